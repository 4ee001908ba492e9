/** What recorded answers show of the whole answers in the behaviour table, with placeholders for what repeats the call. */

import { isObject } from "../../kernel/json.js";
import type { Answer, Scope } from "../../service/behaviour/entry.js";
import { filled } from "../../service/behaviour/entry.js";
import type { AnswerKey } from "../../service/behaviour/table.js";
import { BEHAVIOUR_TABLE } from "../../service/behaviour/table.js";
import type { Domain } from "./possible.js";

/** A part of a scope that the recording does not show. */
export const UNKNOWN = Symbol("unknown");

/**
 * The templates that fit a part of the answers so far; `varies`: none does, but it seems to be made up anew each time.
 * A template with the text `hidden` may fit as well: the recording does not show what it stands for.
 */
type Part =
  | { readonly options: readonly unknown[]; readonly varies?: true; readonly hidden?: string }
  | { readonly items: readonly Part[] }
  | { readonly fields: Readonly<Record<string, Part>> };

export const defaultOf = (key: AnswerKey): Answer => BEHAVIOUR_TABLE[key].default as Answer;

/** JSON with sorted keys: its order means nothing. */
export const stable = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  ) ?? "null";

/** What is known of one answer of the table: its status, whether its body is the default's, and what else it may be. */
export class AnswerForm implements Domain {
  private constructor(
    readonly key: AnswerKey,
    readonly status: number,
    readonly hasDefaultBody: boolean,
    readonly part: Part | undefined,
  ) {}

  static of(key: AnswerKey, { status, body }: Answer, scope: Scope): AnswerForm {
    const isDefault = matches(defaultOf(key).body, body, scope) !== undefined;
    return new AnswerForm(key, status, isDefault, partOf(body, scope, [...textsIn(scope)]));
  }

  meet(other: AnswerForm): AnswerForm | undefined {
    if (this === other) return this;
    if (this.status !== other.status) return undefined;
    const hasDefaultBody = this.hasDefaultBody && other.hasDefaultBody;
    const part = this.part && other.part && met(this.part, other.part);
    if (part === undefined && !hasDefaultBody) return undefined;
    const next = new AnswerForm(this.key, this.status, hasDefaultBody, part);
    return next.#isSame(this) ? this : next;
  }

  join = (other: AnswerForm): AnswerForm | undefined => (this.#isSame(other) ? this : undefined);

  #isSame = (other: AnswerForm): boolean =>
    this === other ||
    (this.status === other.status &&
      this.hasDefaultBody === other.hasDefaultBody &&
      stable(this.part) === stable(other.part));

  /**
   * The answer, if only one is left. The default explains more than a body that repeats it word by word. `isSingle`: whether only
   * one exchange shows it.
   */
  value(isSingle: boolean): Answer | undefined {
    const { status, part } = this;
    if (this.hasDefaultBody) return { status, body: defaultOf(this.key).body };
    const bodies = part === undefined ? [] : bodiesOf(part, isSingle);
    return bodies.length === 1 ? { status, body: bodies[0] } : undefined;
  }

  /** Whether an earlier value of the entry is still possible. A placeholder may be found in the request, too. */
  allows({ status, body }: Answer): boolean {
    if (status !== this.status) return false;
    return (
      (this.hasDefaultBody && stable(body) === stable(defaultOf(this.key).body)) ||
      (this.part !== undefined && fits(this.part, body))
    );
  }
}

const isMinted = (value: unknown): boolean => masked(value) !== value;
const plain = (value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("${request.", "${") : value;

function fits(part: Part, body: unknown): boolean {
  if ("options" in part)
    return (
      part.varies === true ||
      part.options.some((option) => plain(option) === plain(body)) ||
      isAllowed(part, body)
    );
  if ("items" in part)
    return (
      Array.isArray(body) &&
      body.length === part.items.length &&
      part.items.every((item, index) => fits(item, body[index]))
    );
  const names = Object.keys(part.fields);
  return (
    isObject(body) &&
    Object.keys(body).length === names.length &&
    names.every((name) => name in body && fits(part.fields[name] as Part, body[name]))
  );
}

/** What unknown parts of a scope are, if a template gives this value; undefined if it does not. */
export function matches(template: unknown, value: unknown, scope: Scope): Record<string, string> | undefined {
  if (typeof template === "string") return textMatches(template, value, scope);
  if (Array.isArray(template)) {
    if (!Array.isArray(value) || value.length !== template.length) return undefined;
    return allMatch(template.map((part, index) => matches(part, value[index], scope)));
  }
  if (!isObject(template)) return template === value ? {} : undefined;
  const names = Object.keys(template);
  if (!isObject(value) || Object.keys(value).sort().join("\n") !== [...names].sort().join("\n"))
    return undefined;
  return allMatch(names.map((name) => matches(template[name], value[name], scope)));
}

const allMatch = (found: readonly (Record<string, string> | undefined)[]) =>
  found.includes(undefined) ? undefined : Object.assign({}, ...found);

const GAP = "\u0000";
const PLACEHOLDER = /\$\{([^}]*)\}/g;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function textMatches(template: string, value: unknown, scope: Scope): Record<string, string> | undefined {
  const isUnknown = (name: string) => scope[name] === UNKNOWN;
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = ""]) => name).filter(isUnknown);
  if (names.length === 0) return stable(filled(template, scope)) === stable(value) ? {} : undefined;
  if (typeof value !== "string") return undefined;
  const known = template.replace(PLACEHOLDER, (whole, name) =>
    isUnknown(name) ? GAP : String(filled(whole, scope) ?? ""),
  );
  const found = new RegExp(`^${known.split(GAP).map(escaped).join("(.+)")}$`, "s").exec(value);
  return found === null
    ? undefined
    : Object.fromEntries(names.map((name, index) => [name, found[index + 1] ?? ""]));
}

/** A text with more placeholders than this is not tried in every combination. */
const MAX_OPTIONS = 64;
/** A shorter text may be a part of a word by chance. */
const SHORT = 3;

type Echo = readonly [path: string, value: unknown];

/** What is left of a text where a placeholder stands for nothing. */
const BLANK = /^$|^\s|\s\s|\s$/;

/** The placeholders that may be behind a part and do not show. */
function hiddenIn(body: unknown, { request, message }: Scope): string | undefined {
  if (isObject(message) && message.id === undefined && isMinted(body)) return "${message.id}";
  const isBlank = body === null || (typeof body === "string" && BLANK.test(body));
  return isBlank && !isObject(request) ? "${request." : undefined;
}

function partOf(body: unknown, scope: Scope, echoes: readonly Echo[]): Part {
  const isEcho = ([, value]: Echo) => isObject(value) && stable(value) === stable(body);
  if (Array.isArray(body)) return { items: body.map((item) => partOf(item, scope, echoes)) };
  if (isObject(body)) {
    if (Object.keys(body).length > 0 && echoes.some(isEcho)) return { options: [], varies: true };
    return {
      fields: Object.fromEntries(
        Object.entries(body).map(([name, part]) => [name, partOf(part, scope, echoes)]),
      ),
    };
  }
  const whole = echoes.flatMap(([path, value]) => (value === body ? [`\${${path}}`] : []));
  const hidden = hiddenIn(body, scope);
  if (hidden !== undefined) return { options: [body, ...whole], hidden };
  if (typeof body !== "string") return { options: [body, ...whole] };
  if (body.includes("${")) return { options: [], varies: true };
  let options = new Set([body, ...whole]);
  for (const [path, value] of echoes) {
    const text = typeof value === "object" ? "" : String(value ?? "");
    if (text === "" || !body.includes(text)) continue;
    const place = new RegExp(text.length < SHORT ? `(?<!\\w)${escaped(text)}(?!\\w)` : escaped(text), "gu");
    const more = [...options].map((option) =>
      option.includes("${") ? option : option.replace(place, () => `\${${path}}`),
    );
    options = new Set([...options, ...more, ...between([...options], place, path)].slice(0, MAX_OPTIONS));
  }
  return { options: [...options] };
}

/** Texts that have placeholders already, with another one in what is left. */
const between = (options: readonly string[], place: RegExp, path: string): string[] =>
  options.flatMap((option) => {
    if (!option.includes("${")) return [];
    const replaced = option
      .split(/(\$\{[^}]*\})/)
      .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(place, () => `\${${path}}`)));
    return [replaced.join("")];
  });

function* textsIn(value: unknown, path = ""): Generator<Echo> {
  if (path !== "" && value !== null && value !== undefined && typeof value !== "symbol") yield [path, value];
  if (!isObject(value)) return;
  for (const [name, part] of Object.entries(value))
    if (/^\w+$/.test(name)) yield* textsIn(part, path === "" ? name : `${path}.${name}`);
}

/** Ids and times differ from one answer to the next; codes do not. */
const MANY = 1_000_000;
export const masked = (value: unknown): unknown =>
  typeof value === "number" && value >= MANY
    ? MANY
    : typeof value === "string"
      ? value.replace(/[\w-]*\d[\w-]*/g, "0")
      : value;

const isAllowed = ({ options, hidden }: Extract<Part, { options: unknown }>, option: unknown): boolean =>
  options.includes(option) || (hidden !== undefined && String(option).includes(hidden));

function met(a: Part, b: Part): Part | undefined {
  if ("items" in a && "items" in b) {
    if (a.items.length !== b.items.length) return undefined;
    const items = a.items.map((item, index) => met(item, b.items[index] as Part));
    return items.includes(undefined) ? undefined : { items: items as Part[] };
  }
  if ("fields" in a && "fields" in b) {
    const names = Object.keys(a.fields);
    if (names.length !== Object.keys(b.fields).length) return undefined;
    const fields = names.map((name) => {
      const [one, other] = [a.fields[name], b.fields[name]];
      return [name, one && other && met(one, other)] as const;
    });
    return fields.some(([, part]) => part === undefined)
      ? undefined
      : { fields: Object.fromEntries(fields) as Record<string, Part> };
  }
  if (!("options" in a && "options" in b)) return undefined;
  const both = new Set([...a.options, ...b.options]);
  const options = [...both].filter((option) => isAllowed(a, option) && isAllowed(b, option));
  const hidden = a.hidden === b.hidden ? a.hidden : undefined;
  if ((options.length > 0 || hidden) && !a.varies && !b.varies) return { options, ...(hidden && { hidden }) };
  const isAlike = a.varies || b.varies || masked(a.options[0]) === masked(b.options[0]);
  return isAlike ? { options: [], varies: true } : undefined;
}

/** The bodies that are left, at most two. What looks like an id or a time may be another one in the next answer. */
function bodiesOf(part: Part, isSingle: boolean): unknown[] {
  if ("options" in part)
    return part.hidden || (isSingle && part.options.some(isMinted)) ? [] : part.options.slice(0, 2);
  if ("items" in part) {
    const items = part.items.map((item) => bodiesOf(item, isSingle));
    return items.every(({ length }) => length === 1) ? [items.map(([item]) => item)] : [];
  }
  const fields = Object.entries(part.fields).map(([name, one]) => [name, bodiesOf(one, isSingle)] as const);
  return fields.every(([, { length }]) => length === 1)
    ? [Object.fromEntries(fields.map(([name, [one]]) => [name, one]))]
    : [];
}
