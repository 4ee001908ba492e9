/**
 * The messages of the service's validation dialect, which is that of schema-inspector 2.1.0.
 * Each maker reads the JSON Schema keywords of a node and returns its rule, or undefined if no keyword needs one.
 */

import { isObject, JSON_TYPES } from "../../kernel/json.js";
import type { Keywords } from "../../kernel/schema.js";
import { FORMATS, INSPECTOR_EMAIL } from "../../kernel/schema.js";
import { andMore, MAX_LISTED } from "../../kernel/words.js";
import type { BehaviourKey, BehaviourValues } from "../../service/behaviour/table.js";
import { urlObjection } from "../../service/domain/webhooks.js";

/** One failed rule, as the service's 400 answers list them (specification: "Validation error shape"). */
export interface ValidationProblem {
  readonly message: string;
  /** The location: `@`, `@.email`, `@.user.sms`, `@.subscribedEvents[0]`, `@["odd key"]`. */
  readonly property: string;
}

export const isValidationProblem = (value: unknown): value is ValidationProblem =>
  isObject(value) && typeof value.message === "string" && typeof value.property === "string";

export interface Reporter {
  readonly values: BehaviourValues;
  /** @param decidedBy the behaviour entry without which the rule would have passed */
  report(message: string, decidedBy?: BehaviourKey): void;
}

/** A key or index on the path to a value; `item`: the key of a field where an array item is expected. */
export type Segment = string | number | { readonly item: string };

const IDENTIFIER = /^[a-z$_][a-z0-9$_]*$/i;

/** A path as the dialect writes it, starting at the body; quotes inside a key are not escaped. */
export const propertyText = (path: readonly Segment[]): string =>
  path.reduce<string>((text, segment) => {
    if (typeof segment === "number") return `${text}[${segment}]`;
    if (typeof segment === "object") return `${text}[${segment.item}]`;
    return IDENTIFIER.test(segment) ? `${text}.${segment}` : `${text}["${segment}"]`;
  }, "@");

export type ValueRule = (value: unknown, to: Reporter) => void;
type RuleMaker = (keywords: Keywords) => ValueRule | undefined;

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

const quoted = (values: readonly unknown[]): string => values.map((value) => `"${value}"`).join(" or ");

function realType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const type: RuleMaker = ({ type: name }) => {
  const test = typeof name === "string" ? JSON_TYPES[name] : undefined;
  if (test === undefined) throw new Error(`the validation dialect does not know the type ${name}`);
  return (value, to) => {
    if (!test(value)) to.report(`must be ${name}, but is ${realType(value)}`);
  };
};

const matching =
  (name: string, test: (text: string) => boolean): ValueRule =>
  (value, to) => {
    if (typeof value === "string" && !test(value))
      to.report(`must match [${name}], but is equal to "${value}"`);
  };

const pattern: RuleMaker = ({ pattern }) => {
  if (pattern === undefined) return undefined;
  const expression = new RegExp(pattern, "u");
  return matching(`/${expression.source}/`, (text) => expression.test(text));
};

const format: RuleMaker = ({ format }) => {
  if (format === undefined) return undefined;
  if (format === "email") return email;
  const known = FORMATS[format]?.test;
  if (known === undefined) throw new Error(`the validation dialect does not know the format ${format}`);
  return matching(format, known instanceof RegExp ? (text) => known.test(text) : known);
};

// The HTML standard's definition, and the package's own pattern.
const isValidEmail = FORMATS.email?.test as RegExp;
const email: ValueRule = (value, to) => {
  if (typeof value !== "string") return;
  const valid = isValidEmail.test(value);
  const inspected = INSPECTOR_EMAIL.test(value);
  if (to.values["widget.emailFormat"] === "valid" ? valid : inspected) return;
  to.report(
    `must match [email], but is equal to "${value}"`,
    valid === inspected ? undefined : "widget.emailFormat",
  );
};

const hasLength = (value: unknown): value is string | readonly unknown[] =>
  typeof value === "string" || Array.isArray(value);

/** The length in characters, as JSON Schema counts them, or in items. */
function lengthOf(value: string | readonly unknown[]): number {
  let length = 0;
  for (const _ of value) length++;
  return length;
}

// The dialect applies its length rule to strings and arrays, regardless of the node's type.
const length =
  (
    keyword: "minLength" | "maxLength",
    word: string,
    wrong: (has: number, limit: number) => boolean,
  ): RuleMaker =>
  ({ [keyword]: limit }) => {
    if (limit === undefined) return undefined;
    return (value, to) => {
      if (!hasLength(value)) return;
      const has = lengthOf(value);
      if (wrong(has, limit)) to.report(`must be ${word} than ${limit} elements, but it has ${has}`);
    };
  };

const equality: RuleMaker = ({ enum: values }) => {
  if (values === undefined) return undefined;
  const expected = `[${quoted(values)}]`;
  return (value, to) => {
    if (isScalar(value) && !values.includes(value))
      to.report(`must be equal to ${expected}, but is equal to "${value}"`);
  };
};

const isWebhookUrl = FORMATS["webhook-url"]?.test as (text: string) => boolean;
const https: RuleMaker = ({ "x-https": isRequired }) => {
  if (isRequired !== true) return undefined;
  return (value, to) => {
    // What is no URL at all is a problem of the format.
    if (typeof value !== "string" || /^https:/i.test(value) || !isWebhookUrl(value)) return;
    const objection = urlObjection(value, to.values["webhooks.insecureUrls"]);
    if (objection !== undefined) to.report(objection, "webhooks.insecureUrls");
  };
};

/** All rules on a single value, in the order in which the dialect reports them. */
const MAKERS: readonly RuleMaker[] = [
  type,
  pattern,
  format,
  length("minLength", "longer", (has, limit) => has < limit),
  length("maxLength", "shorter", (has, limit) => has > limit),
  equality,
  https,
];

export const rulesOf = (keywords: Keywords): ValueRule[] =>
  MAKERS.map((make) => make(keywords)).filter((rule) => rule !== undefined);

export const needsKey = (keys: readonly string[]): string => `must have at least key ${quoted(keys)}`;
export const onlyOneKey = (keys: readonly string[]): string => `must have only one of keys ${quoted(keys)}`;
export const unknownKeys = (keys: readonly string[]): string =>
  `should not contains ${keys.length > 1 ? "properties" : "property"} [${listed(keys.map((key) => `"${key}"`))}]`;

const listed = (texts: readonly (string | number)[]): string =>
  texts.length <= MAX_LISTED
    ? texts.join(", ")
    : `${texts.slice(0, MAX_LISTED).join(", ")}, ${andMore(texts.length - MAX_LISTED)}`;
