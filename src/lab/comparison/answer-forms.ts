/** The whole answers of the behaviour table that could explain what was answered: as they came, and with placeholders. */
import { isDeepStrictEqual } from "node:util";
import { isObject, mapLeaves } from "../../kernel/json.js";
import { isIdField, isTimeField, type TracedCall } from "../../scenarios/trace.js";
import { isRefusal } from "./differences.js";

/** A call whose answer on the simulator an entry decides, and how the other side answered it. */
export interface Witness {
  readonly own: TracedCall;
  readonly other: TracedCall;
}

interface AnswerForm {
  readonly value: { readonly status: number; readonly body: unknown };
  /** No other answer of the table, with or without placeholders, would read like this. */
  readonly isCertain: boolean;
}

/** The answers that could be behind what the other side answered: as they came, and with placeholders for what repeats the call. */
export function answerForms(witnesses: readonly Witness[]): AnswerForm[] {
  const usable = witnesses.filter(
    ({ own, other }) => other.status !== null && isRefusal(own) === isRefusal(other),
  );
  const read = usable.map(({ own, other: { status, body = null } }) => {
    const scope = scopeOf(own);
    return { status: status as number, body, scope, general: withPlaceholders(body, scope) };
  });
  const areAlike = (part: "status" | "body" | "general") =>
    read.length === witnesses.length && read.every((one) => isDeepStrictEqual(one[part], read[0]?.[part]));
  const isVerbatim =
    areAlike("body") &&
    read.some(({ body, general }) => isDeepStrictEqual(body, general)) &&
    (read.length > 1 || !read.some(({ body }) => isMinted(body)));
  const used = [...new Set(JSON.stringify(read[0]?.general ?? null).match(/\$\{[^}]*\}/g))];
  const varies = (name: string) => new Set(read.map(({ scope }) => scope[name.slice(2, -1)])).size > 1;
  const isGeneral = areAlike("general") && !areAlike("body") && used.every(varies);
  const forms = read.flatMap(({ status, body, general }) => [
    { value: { status, body }, isCertain: areAlike("status") && isVerbatim },
    { value: { status, body: general }, isCertain: areAlike("status") && (isGeneral || isVerbatim) },
  ]);
  // What has the form of a placeholder would be filled in.
  const plain = forms.filter(({ value }, index) => index % 2 === 1 || !JSON.stringify(value).includes("${"));
  return [...new Map(plain.map((form) => [JSON.stringify(form.value), form])).values()];
}

/** Whether a body has an id or a time, which another answer may have otherwise. */
function isMinted(body: unknown): boolean {
  let found = false;
  mapLeaves(body, (_, key) => {
    found ||= isIdField(key) || isTimeField(key);
  });
  return found;
}

const withPlaceholders = (body: unknown, scope: Readonly<Record<string, string>>): unknown =>
  mapLeaves(body, (leaf) => {
    if (typeof leaf !== "string") return leaf;
    const longestFirst = Object.entries(scope).sort(([, a], [, b]) => b.length - a.length);
    return longestFirst.reduce((text, [name, part]) => text.replaceAll(part, `\${${name}}`), leaf);
  });

/** A shorter text may be a part of a word by chance. */
const SHORT = 3;

/** The texts of a call that its answer may repeat, by their placeholders. */
function scopeOf({ call, sent }: TracedCall): Readonly<Record<string, string>> {
  const [method = "", target = ""] = call.split(/ (.*)/s);
  const { pathname, searchParams } = new URL(target, "http://messaging-sim.invalid");
  const [, , kind = "", id = ""] = pathname.split("/").map(decodeURIComponent);
  const fields = isObject(sent) ? Object.entries(sent) : [];
  const texts: readonly (readonly [string, unknown])[] = [
    ["method", method],
    ["path", pathname],
    ["customerThreadId", searchParams.get("customerThreadId")],
    [kind === "webhooks" ? "hookId" : "customerId", id],
    ...fields.map(([name, value]) => [`request.${name}`, value] as const),
  ];
  const given = texts.map(([name, value]) => [name, isObject(value) ? "" : String(value ?? "")] as const);
  return Object.fromEntries(given.filter(([, text]) => text.length >= SHORT));
}
