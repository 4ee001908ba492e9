/**
 * A request schema read once for the dialect: the rules of each node and where its children are.
 * A schema that the dialect has no words for is a mistake of whoever wrote it, and is refused here.
 */
import type { Schema } from "../../kernel/schema.js";
import { isScalar, type Keywords, type Rule, rulesOf } from "./rules.js";

export interface Plan {
  readonly rules: readonly Rule[];
  /** A string where a number may stand for an id. */
  readonly isId: boolean;
  /** At least one of these keys. */
  readonly someKeys: readonly string[] | undefined;
  /** At most one of these keys; JSON Schema does not check this. */
  readonly atMostOneOf: readonly string[] | undefined;
  /** Whether this node or one below has `atMostOneOf`. */
  readonly exclusive: boolean;
  /** Unknown keys are refused. */
  readonly closed: boolean;
  readonly properties: ReadonlyMap<string, Property>;
  /** Of the values under keys that `properties` does not name. */
  readonly others: Plan | undefined;
  readonly items: Plan | undefined;
}

const WORDED = new Set([
  ...[
    "type",
    "enum",
    "const",
    "pattern",
    "format",
    "uniqueItems",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
  ],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "anyOf"],
  ...["properties", "required", "additionalProperties", "items"],
]);
const ANNOTATIONS = new Set([
  "title",
  "description",
  "default",
  "example",
  "examples",
  "deprecated",
  "$schema",
  "$comment",
]);

export interface Property {
  readonly plan: Plan;
  readonly required: boolean;
}

/** @throws Error naming the place and keyword that the dialect cannot put into words. */
export function planOf(schema: Schema, place = "@"): Plan {
  refuseUnworded(schema, place);
  const { anyOf, ...keywords } = withoutNullBranch(schema, place);
  const properties = propertiesOf(keywords, place);
  const additional = keywords.additionalProperties;
  const others = typeof additional === "object" ? planOf(additional as Schema, `${place}.*`) : undefined;
  const items = keywords.items === undefined ? undefined : planOf(keywords.items as Schema, `${place}[]`);
  const { atMostOneOf } = (keywords["x-dialect"] ?? {}) as { atMostOneOf?: readonly string[] };
  const children = [...[...properties.values()].map(({ plan }) => plan), others, items];
  return {
    rules: rulesOf({ ...keywords, type: keywords.type ?? typesOfValues(keywords) }),
    isId: keywords["x-id"] === true,
    someKeys: anyOf === undefined ? undefined : someKeys(anyOf as readonly Schema[], place),
    atMostOneOf,
    exclusive: atMostOneOf !== undefined || children.some((child) => child?.exclusive),
    closed: additional === false,
    properties,
    others,
    items,
  };
}

function propertiesOf(keywords: Keywords, place: string): Map<string, Property> {
  const required = new Set(keywords.required as string[] | undefined);
  const children = Object.entries((keywords.properties ?? {}) as Record<string, Schema>);
  // Ajv takes what every object inherits for a field of that name.
  if (children.some(([key]) => key in Object.prototype)) throw unworded("properties", place);
  for (const key of required) if (!children.some(([name]) => name === key)) throw unworded("required", place);
  return new Map(
    children.map(([key, child]) => [
      key,
      { plan: planOf(child, `${place}.${key}`), required: required.has(key) },
    ]),
  );
}

/** `anyOf: [X, null]`, the builder's other way to write "or null", as X with one more type. */
function withoutNullBranch(schema: Schema, place: string): Keywords {
  const { anyOf, ...own } = schema;
  const branches = (anyOf ?? []) as readonly Schema[];
  const [inner, ...more] = branches.filter((branch) => branch.type !== "null");
  if (inner === undefined || more.length > 0 || branches.length !== 2) return schema;
  refuseUnworded(inner, place);
  const keywords = withoutNullBranch(inner, place);
  const type = keywords.type ?? typesOfValues(keywords);
  return { ...keywords, ...own, ...(type === undefined ? {} : { type: [type, "null"].flat() }) };
}

function someKeys(branches: readonly Schema[], place: string): string[] {
  return branches.map((branch) => {
    const [key, ...more] = (branch.required ?? []) as string[];
    if (key === undefined || more.length > 0 || Object.keys(branch).length > 1)
      throw unworded("anyOf", place);
    return key;
  });
}

function refuseUnworded(keywords: Keywords, place: string): void {
  for (const keyword of Object.keys(keywords))
    if (!WORDED.has(keyword) && !ANNOTATIONS.has(keyword) && !keyword.startsWith("x-"))
      throw unworded(keyword, place);
  const values = valuesOf(keywords);
  const comparable = values?.every(
    (value) => isScalar(value) || (value === null && keywords.enum !== undefined),
  );
  // The dialect compares no null, so it would let null pass where the values leave it out.
  const nullLeftOut = [keywords.type].flat().includes("null") && !values?.includes(null);
  if (values && (!comparable || nullLeftOut))
    throw unworded(keywords.enum === undefined ? "const" : "enum", place);
  // The dialect compares items by identity, so it never finds two equal objects.
  const itemTypes = [(keywords.items as Schema | undefined)?.type ?? "object"].flat();
  if (keywords.uniqueItems === true && itemTypes.some((type) => type === "object" || type === "array"))
    throw unworded("uniqueItems", place);
}

/** The values that a node is restricted to. */
const valuesOf = (keywords: Keywords): readonly unknown[] | undefined =>
  (keywords.enum as unknown[] | undefined) ?? (keywords.const === undefined ? undefined : [keywords.const]);

/** The dialect compares scalars only: what else is wrong has to be said of the type. */
function typesOfValues(keywords: Keywords): string[] | undefined {
  const types = valuesOf(keywords)?.map((value) => (value === null ? "null" : typeof value));
  return types && [...new Set(types)];
}

const unworded = (keyword: string, place: string): Error =>
  new Error(`the validation dialect has no words for "${keyword}" as the schema uses it at ${place}`);
