/**
 * A request schema compiled for the dialect: the rules of each node and where its children are.
 * A keyword that has no rule here would be ignored, so `planOf` throws.
 */
import { omitUndefined } from "../../kernel/objects.js";
import type { Schema } from "../../kernel/schema.js";
import { type Rule, rulesOf } from "./rules.js";

export interface Plan {
  readonly rules: readonly Rule[];
  /** A string that may also be given as a number, because it is an id. */
  readonly isId: boolean;
  readonly takesNull: boolean;
  /** A webhook URL that must be HTTPS. */
  readonly isHttps: boolean;
  readonly someKeys: readonly string[] | undefined;
  readonly onlyOneOf: readonly string[] | undefined;
  readonly closed: boolean;
  readonly properties: readonly { readonly key: string; readonly plan: Plan; readonly required: boolean }[];
  readonly known: ReadonlySet<string>;
  /** The plan for values under unknown keys. */
  readonly others: Plan | undefined;
  readonly items: Plan | undefined;
}

const SUPPORTED = new Set(
  (
    "type enum pattern format minLength maxLength anyOf oneOf properties required additionalProperties items " +
    "title description default example examples deprecated"
  ).split(" "),
);

/** @throws Error naming the location and keyword that the dialect cannot express. */
export function planOf(schema: Schema, location = "@"): Plan {
  const unsupported = Object.keys(schema).find((key) => !SUPPORTED.has(key) && !key.startsWith("x-"));
  if (unsupported !== undefined)
    throw new Error(
      `the validation dialect cannot express "${unsupported}" as the schema uses it at ${location}`,
    );
  const branch = orNull(schema);
  if (branch !== undefined) return planOf(branch, location);
  const { anyOf, oneOf, additionalProperties: additional, items, properties = {}, required = [] } = schema;
  const type = schema.type ?? typesOf(schema.enum);
  // A branch names the one key that it requires.
  const someKeys = (oneOf ?? anyOf)?.flatMap((each) => each.required ?? []);
  const children = Object.entries(properties).map(([key, child]) => ({
    key,
    plan: planOf(child, `${location}.${key}`),
    required: required.includes(key),
  }));
  return {
    rules: rulesOf({ ...schema, ...omitUndefined({ type }) }),
    isId: schema["x-id"] === true,
    takesNull: type === undefined || [type].flat().includes("null"),
    isHttps: schema["x-https"] === true,
    someKeys,
    onlyOneOf: oneOf && someKeys,
    closed: additional === false,
    properties: children,
    known: new Set(Object.keys(properties)),
    others: typeof additional === "object" ? planOf(additional, `${location}.*`) : undefined,
    items: items && planOf(items, `${location}[]`),
  };
}

/** `anyOf: [X, null]`, the builder's other way to write "or null", as X with an additional type. */
function orNull({ anyOf = [], ...own }: Schema): Schema | undefined {
  const [inner, ...more] = anyOf.filter((branch) => branch.type !== "null");
  if (inner === undefined || more.length > 0 || anyOf.length !== 2) return undefined;
  const type = inner.type ?? typesOf(inner.enum);
  return { ...inner, ...own, ...(type && { type: [type, "null"].flat() }) };
}

/** The dialect only compares scalars, so the type must refuse every other value. */
function typesOf(values: readonly unknown[] | undefined): string[] | undefined {
  const types = values?.map((value) => (value === null ? "null" : typeof value));
  return types && [...new Set(types)];
}
