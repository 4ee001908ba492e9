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
 * The templates that fit a value in the answers so far; `varies`: none does, but it seems to be made up anew each time.
 * A template with the text `hidden` may fit as well: the recording does not show what it stands for.
 */
interface Leaf {
  readonly options: readonly unknown[];
  readonly varies?: true;
  readonly hidden?: string | undefined;
}
/** The values in a body, by their paths. */
type Leaves = ReadonlyMap<string, Leaf>;

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
    readonly answer: Answer,
    readonly hasDefaultBody: boolean,
    readonly leaves: Leaves | undefined,
  ) {}

  static of(key: AnswerKey, answer: Answer, scope: Scope): AnswerForm {
    const isDefault = matches(defaultOf(key).body, answer.body, scope) !== undefined;
    const echoes = [...textsIn(scope)];
    const leaves = [...leavesIn(answer.body)].map(
      ([path, value]) => [path, leafOf(value, scope, echoes)] as const,
    );
    return new AnswerForm(key, answer, isDefault, new Map(leaves));
  }

  get status(): number {
    return this.answer.status;
  }

  meet(other: AnswerForm): AnswerForm | undefined {
    if (this === other) return this;
    if (this.status !== other.status) return undefined;
    const hasDefaultBody = this.hasDefaultBody && other.hasDefaultBody;
    const leaves = this.leaves && other.leaves && met(this.leaves, other.leaves);
    if (leaves === undefined && !hasDefaultBody) return undefined;
    const next = new AnswerForm(this.key, this.answer, hasDefaultBody, leaves);
    return next.#isSame(this) ? this : next;
  }

  join = (other: AnswerForm): AnswerForm | undefined => (this.#isSame(other) ? this : undefined);

  #isSame = (other: AnswerForm): boolean =>
    this === other ||
    (this.status === other.status &&
      this.hasDefaultBody === other.hasDefaultBody &&
      stable([...(this.leaves ?? [])]) === stable([...(other.leaves ?? [])]));

  /**
   * The answer, if only one is left. The default explains more than a body that repeats it word by word. `isSingle`: whether only
   * one exchange shows it; then what looks like an id or a time may be another one in the next answer.
   */
  value(isSingle: boolean): Answer | undefined {
    const { leaves, answer } = this;
    const { status } = answer;
    if (this.hasDefaultBody) return { status, body: defaultOf(this.key).body };
    if (leaves === undefined) return undefined;
    const isCertain = [...leaves.values()].every(
      ({ options, hidden }) =>
        options.length === 1 && hidden === undefined && !(isSingle && options.some(isMinted)),
    );
    return isCertain ? { status, body: bodyOf(answer.body, leaves) } : undefined;
  }

  /** Whether an earlier value of the entry is still possible. A placeholder may be found in the request, too. */
  allows({ status, body }: Answer): boolean {
    if (status !== this.status) return false;
    if (this.hasDefaultBody && stable(body) === stable(defaultOf(this.key).body)) return true;
    const wanted = [...leavesIn(body)];
    return (
      wanted.length === this.leaves?.size &&
      wanted.every(([path, value]) => fits(this.leaves?.get(path), value))
    );
  }
}

const isMinted = (value: unknown): boolean => masked(value) !== value;
const plain = (value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("${request.", "${") : value;

const fits = (leaf: Leaf | undefined, value: unknown): boolean =>
  leaf !== undefined &&
  (leaf.varies === true || isAllowed(leaf, value) || leaf.options.map(plain).includes(plain(value)));

/** The values in a body. An object or array without any is one that no call repeats. */
function* leavesIn(body: unknown, path = ""): Generator<readonly [path: string, value: unknown]> {
  const isList = Array.isArray(body);
  if (!isList && !isObject(body)) return yield [path, body];
  const parts = Object.entries(body);
  if (parts.length === 0) yield [path + (isList ? "[]" : "{}"), undefined];
  for (const [name, part] of parts) yield* leavesIn(part, pathTo(path, name, isList));
}
/** No two values have the same path, whatever their names. */
const pathTo = (path: string, name: string | number, isList: boolean): string =>
  `${path}[${isList ? name : JSON.stringify(name)}]`;

/** A body with the only options of its values. */
function bodyOf(body: unknown, leaves: Leaves, path = ""): unknown {
  if (Array.isArray(body)) return body.map((item, index) => bodyOf(item, leaves, pathTo(path, index, true)));
  if (!isObject(body)) return leaves.get(path)?.options[0];
  const parts = Object.entries(body).map(([name, part]) => [
    name,
    bodyOf(part, leaves, pathTo(path, name, false)),
  ]);
  return Object.fromEntries(parts);
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

/** A text that repeats more of a call may be any combination of placeholders. */
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

function leafOf(body: unknown, scope: Scope, echoes: readonly Echo[]): Leaf {
  const whole = echoes.flatMap(([path, value]) => (value === body ? [`\${${path}}`] : []));
  const hidden = hiddenIn(body, scope);
  if (hidden !== undefined) return { options: [body, ...whole], hidden };
  if (typeof body !== "string") return { options: [body, ...whole] };
  if (body.includes("${")) return { options: [], varies: true };
  let options = new Set([body, ...whole]);
  for (const [path, value] of echoes) {
    const text = typeof value === "object" ? "" : String(value ?? "");
    if (text === "" || !body.includes(text)) continue;
    const own = text.length < SHORT ? `(?<!\\w)${escaped(text)}(?!\\w)` : escaped(text);
    const place = new RegExp(`(\\$\\{[^}]*\\})|${own}`, "gu");
    const more = [...options].map((option) =>
      option.replace(place, (_, before?: string) => before ?? `\${${path}}`),
    );
    options = new Set([...options, ...more]);
    if (options.size > MAX_OPTIONS) return { options: [], varies: true };
  }
  return { options: [...options] };
}

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

const isAllowed = ({ options, hidden }: Leaf, option: unknown): boolean =>
  options.includes(option) || (hidden !== undefined && String(option).includes(hidden));

function met(some: Leaves, others: Leaves): Leaves | undefined {
  const both = new Map<string, Leaf>();
  for (const [path, one] of some) {
    const other = others.get(path);
    const leaf = other && metLeaf(one, other);
    if (leaf !== undefined) both.set(path, leaf);
  }
  return both.size === some.size && both.size === others.size ? both : undefined;
}

function metLeaf(a: Leaf, b: Leaf): Leaf | undefined {
  const both = new Set([...a.options, ...b.options]);
  const options = [...both].filter((option) => isAllowed(a, option) && isAllowed(b, option));
  const hidden = a.hidden === b.hidden ? a.hidden : undefined;
  if ((options.length > 0 || hidden) && !a.varies && !b.varies) return { options, hidden };
  const isAlike = a.varies || b.varies || masked(a.options[0]) === masked(b.options[0]);
  return isAlike ? { options: [], varies: true } : undefined;
}
