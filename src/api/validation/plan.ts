/**
 * A request schema compiled for the dialect: the rules of each node and where its children are.
 * A schema that the dialect cannot express is a mistake in the operation table, so `planOf` throws.
 */
import { omitUndefined } from "../../kernel/objects.js";
import type { Keywords, Schema } from "../../kernel/schema.js";
import { isScalar, type Rule, rulesOf } from "./rules.js";

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
  readonly properties: readonly Property[];
  readonly known: ReadonlySet<string>;
  /** The plan for values under unknown keys. */
  readonly others: Plan | undefined;
  readonly items: Plan | undefined;
}

interface Property {
  readonly key: string;
  readonly plan: Plan;
  readonly required: boolean;
}

const RULE_KEYWORDS =
  "type enum const pattern format uniqueItems minLength maxLength minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum";
const STRUCTURE_KEYWORDS = "anyOf oneOf properties required additionalProperties items";
const ANNOTATIONS = "title description default example examples deprecated $schema $comment";
const SUPPORTED = new Set(`${RULE_KEYWORDS} ${STRUCTURE_KEYWORDS} ${ANNOTATIONS}`.split(" "));

/** @throws Error naming the location and keyword that the dialect cannot express. */
export function planOf(schema: Schema, location = "@"): Plan {
  const { anyOf, oneOf, ...keywords } = withoutNullBranch(keywordsOf(schema, location), location);
  const { additionalProperties: additional, items } = keywords;
  const properties = propertiesOf(keywords, location);
  const someKeys = (oneOf ?? anyOf)?.map((branch) => requiredKey(branch, location));
  return {
    rules: rulesOf({ ...keywords, ...omitUndefined({ type: keywords.type ?? typesOfValues(keywords) }) }),
    isId: keywords["x-id"] === true,
    takesNull: takesNull(keywords),
    isHttps: keywords["x-https"] === true,
    someKeys,
    onlyOneOf: oneOf && someKeys,
    closed: additional === false,
    properties,
    known: new Set(properties.map(({ key }) => key)),
    others: typeof additional === "object" ? planOf(additional, `${location}.*`) : undefined,
    items: items && planOf(items, `${location}[]`),
  };
}

function propertiesOf({ properties = {}, required = [] }: Keywords, location: string): Property[] {
  const children = Object.entries(properties);
  // No schema may redefine what every object inherits.
  if (children.some(([key]) => key in Object.prototype)) throw unsupported("properties", location);
  if (required.some((key) => !Object.hasOwn(properties, key))) throw unsupported("required", location);
  return children.map(([key, child]) => ({
    key,
    plan: planOf(child, `${location}.${key}`),
    required: required.includes(key),
  }));
}

/** `anyOf: [X, null]`, the builder's other way to write "or null", as X with an additional type. */
function withoutNullBranch({ anyOf = [], ...own }: Keywords, location: string): Keywords {
  const [inner, ...more] = anyOf.filter((branch) => branch.type !== "null");
  if (inner === undefined || more.length > 0 || anyOf.length !== 2)
    return anyOf.length === 0 ? own : { anyOf, ...own };
  const keywords = withoutNullBranch(keywordsOf(inner, location), location);
  const type = keywords.type ?? typesOfValues(keywords);
  return { ...keywords, ...own, ...(type && { type: [type, "null"].flat() }) };
}

/** The key that a branch of `anyOf` or `oneOf` requires; other branches are not supported. */
function requiredKey(branch: Schema, location: string): string {
  const [key, ...more] = keywordsOf(branch, location).required ?? [];
  if (key === undefined || more.length > 0 || Object.keys(branch).length > 1)
    throw unsupported("anyOf", location);
  return key;
}

function keywordsOf(keywords: Schema, location: string): Keywords {
  const unknown = Object.keys(keywords).find(
    (keyword) => !SUPPORTED.has(keyword) && !keyword.startsWith("x-"),
  );
  if (unknown !== undefined) throw unsupported(unknown, location);
  const values = valuesOf(keywords);
  const comparable = values?.every(
    (value) => isScalar(value) || (value === null && keywords.enum !== undefined),
  );
  // The dialect never compares null, so it would accept null even if the values do not include it.
  const nullLeftOut = [keywords.type].flat().includes("null") && !values?.includes(null);
  if (values !== undefined && (!comparable || nullLeftOut))
    throw unsupported(keywords.enum === undefined ? "const" : "enum", location);
  // The dialect compares items by identity, so it never finds two equal objects.
  const itemTypes = [keywords.items?.type ?? "object"].flat();
  if (keywords.uniqueItems === true && itemTypes.some((type) => type === "object" || type === "array"))
    throw unsupported("uniqueItems", location);
  return keywords;
}

const takesNull = (keywords: Keywords): boolean => {
  const types = [keywords.type ?? typesOfValues(keywords)].flat();
  return types[0] === undefined || types.includes("null");
};

const valuesOf = (keywords: Keywords): readonly unknown[] | undefined =>
  keywords.enum ?? (keywords.const === undefined ? undefined : [keywords.const]);

/** The dialect only compares scalars, so the type must refuse every other value. */
function typesOfValues(keywords: Keywords): string[] | undefined {
  const types = valuesOf(keywords)?.map((value) => (value === null ? "null" : typeof value));
  return types && [...new Set(types)];
}

const unsupported = (keyword: string, location: string): Error =>
  new Error(`the validation dialect cannot express "${keyword}" as the schema uses it at ${location}`);
