/// <reference path="./json-server.d.ts" />
/** The query language of record lists: json-server's conditions and pages, over what an index has found. */
import { matchesWhere } from "json-server/lib/matches-where.js";
import { paginate } from "json-server/lib/paginate.js";
import { WHERE_OPERATORS } from "json-server/lib/where-operators.js";
import type { Path } from "../kernel/json.js";
import { parsePath, valueAt } from "../kernel/json.js";
import { getOrInsert } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt } from "../kernel/problems.js";
import type { Schema } from "../kernel/schema.js";
import { array, integer, nullable, object, optional, string, unknown } from "../kernel/schema.js";
import { describeType, either, preview, singular, unknownKey } from "../kernel/words.js";
import type { ShownRecords } from "../sandbox/threads.js";
import { indexOn } from "../service/world/indexes.js";
import type { CollectionName } from "../service/world/records.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "../service/world/records.js";
import { unusable } from "./errors.js";

const RANGES = ["lt", "lte", "gt", "gte"];
const TEXTS = ["contains", "startsWith", "endsWith"];
const SCALARS = ["string", "number", "integer", "boolean"];
/** A longer text would take long to find in a text that nearly contains it. */
const MAX_SEARCHED = 250;

const count = (description: string) =>
  optional(string({ pattern: "^-?\\d+$", "x-form": "an integer", description }));

/** The reserved parameters; any other is a field to filter by. */
export const listQuerySchema = object(
  {
    _sort: optional(string({ description: "comma-separated fields to sort by; -field for descending" })),
    _page: count("returns a page object"),
    _per_page: count("records per page, by default 10"),
    _start: count("position of the first record"),
    _end: count("position after the last record"),
    _limit: count("the maximum number of records"),
    _embed: optional(string({ description: "a related collection or record; may be repeated" })),
  },
  {
    additionalProperties: { type: "string" },
    description:
      "field=value filters; so do field:ne, :lt, :lte, :gt, :gte, :in (comma-separated values), :contains, :startsWith and :endsWith (also written field_ne and so on); field=null matches records without a value",
  },
);

export const pageSchema = object({
  first: integer(),
  prev: nullable(integer()),
  next: nullable(integer()),
  last: integer(),
  pages: integer(),
  items: integer({ description: "the total on all pages" }),
  data: array(unknown()),
});

interface Relation {
  readonly collection: CollectionName;
  /** The field with the id: of the record itself, or of the many that reference it. */
  readonly key: string;
  readonly many: boolean;
  readonly schema: Schema;
}

/** The names that `_embed` accepts for records of a collection. */
function relationsOf(collection: CollectionName): Readonly<Record<string, Relation>> {
  const relations: Record<string, Relation> = {};
  const keyTo = (other: string) => `${singular(other)}Id`;
  const hasField = ({ properties = {} }: Schema, field: string) => Object.hasOwn(properties, field);
  for (const other of COLLECTIONS) {
    const schema: Schema = RECORD_SCHEMAS[other];
    if (hasField(RECORD_SCHEMAS[collection], keyTo(other)))
      relations[singular(other)] = { collection: other, key: keyTo(other), many: false, schema };
    if (hasField(schema, keyTo(collection)))
      relations[other] = { collection: other, key: keyTo(collection), many: true, schema: array(schema) };
  }
  return relations;
}

interface FieldCondition {
  readonly parameter: string;
  readonly path: Path;
  readonly operator: string;
  readonly operand: unknown;
}

const branchesOf = (schema: Schema): readonly Schema[] => [
  schema,
  ...(schema.anyOf ?? []).flatMap((branch) => branchesOf(branch)),
];

/** The alternative schemas of the field at a path, or why it does not exist. */
function fieldAt(whole: Schema, name: string): readonly Schema[] | string {
  let branches = branchesOf(whole);
  const path = parsePath(name);
  for (const segment of path.length === 0 ? [name] : path) {
    const known = branches.flatMap(({ properties = {} }) => Object.keys(properties));
    const parts = branches.map(({ items, properties = {} }) => {
      if (typeof segment === "number") return items;
      return Object.hasOwn(properties, segment) ? properties[segment] : undefined;
    });
    const part = parts.find((found) => found !== undefined);
    if (part === undefined) return unknownKey("field", String(segment), known);
    branches = branchesOf(part);
  }
  return branches;
}

/** The field and the operator of a parameter: `text:contains`, `timestamp_gt`, `status`. */
function splitParameter(parameter: string): readonly [field: string, operator: string] {
  const colon = parameter.lastIndexOf(":");
  if (colon > 0) return [parameter.slice(0, colon), parameter.slice(colon + 1)];
  const [, field, operator = ""] = /^(.+)_([a-z]+)$/is.exec(parameter) ?? [];
  return field !== undefined && WHERE_OPERATORS.includes(operator) ? [field, operator] : [parameter, "eq"];
}

/** The condition in a parameter, or why it can never hold. */
function conditionIn(schema: Schema, parameter: string, text: string): FieldCondition | string {
  const [name, operator] = splitParameter(parameter);
  const branches = fieldAt(schema, name);
  if (typeof branches === "string") return branches;
  if (!WHERE_OPERATORS.includes(operator)) return unknownKey("operator", operator, WHERE_OPERATORS);
  const types = new Set(branches.flatMap(({ type = [] }) => type));
  const condition = { parameter, path: parsePath(name), operator };
  if (TEXTS.includes(operator)) {
    if (!types.has("string")) return `${name} is not text: ${operator} searches text`;
    if (text.length > MAX_SEARCHED) return `${operator} takes at most ${MAX_SEARCHED} characters`;
    return { ...condition, operand: text };
  }
  if (RANGES.includes(operator) && !types.has("integer") && !types.has("number"))
    return `${name} is not a number: ${operator} compares numbers`;
  const texts = operator === "in" ? text.split(",").map((part) => part.trim()) : [text];
  const operands = texts.map((part) => operandIn(types, part));
  if (operands.some((operand) => operand !== null) && !SCALARS.some((type) => types.has(type)))
    return `${name} is not a single value: filter by its content, or by null`;
  const known = branches.flatMap((branch) => branch.enum ?? []);
  const isPossible = (operand: unknown) => operand === null || known.length === 0 || known.includes(operand);
  const never = texts.find((_, at) => operands[at] === undefined || !isPossible(operands[at]));
  if (never === undefined) return { ...condition, operand: operator === "in" ? operands : operands[0] };
  if (known.length > 0) return unknownKey(name, never, known.map(String));
  return `${name} is ${describeType([...types])}, and never ${preview(never)}`;
}

/** A value of a query, by the types of its field; undefined if the field never has it. */
function operandIn(types: ReadonlySet<string>, text: string): unknown {
  if (text === "null") return null;
  if (types.has("string")) return text;
  if (types.has("boolean")) return text === "true" ? true : text === "false" ? false : undefined;
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? number : undefined;
}

/** @throws ControlError naming every invalid part of the query */
function readQuery(collection: CollectionName, search: string) {
  const problems: Problem[] = [];
  const texts = new Map<string, string>();
  /** By the name under which each is embedded. */
  const embed: Record<string, Relation> = {};
  const relations = relationsOf(collection);
  for (const [name, text] of new URLSearchParams(search)) {
    const relation = Object.hasOwn(relations, text) ? relations[text] : undefined;
    if (name !== "_embed" && texts.has(name)) problems.push(problemAt([name], "is given twice"));
    else if (name !== "_embed") texts.set(name, text);
    else if (relation !== undefined) embed[text] = relation;
    else {
      const what = `nothing related to ${collection} is called ${JSON.stringify(text)}`;
      problems.push(problemAt([name], `${what}: it must be ${either(Object.keys(relations))}`));
    }
  }
  const { properties } = RECORD_SCHEMAS[collection];
  const related = Object.entries(embed).map(([name, { schema }]) => [name, schema]);
  const schema: Schema = { properties: { ...properties, ...Object.fromEntries(related) } };
  const conditions: FieldCondition[] = [];
  for (const [name, text] of texts) {
    // Every route has the parameter `secrets`.
    if (name === "secrets" || Object.hasOwn(listQuerySchema.properties ?? {}, name)) continue;
    // Without a value it is no condition, but its field and its operator must exist.
    const read = conditionIn(schema, name, text || "null");
    if (typeof read === "string") problems.push(problemAt([name], read));
    else if (text !== "") conditions.push(read);
  }
  const sort = (texts.get("_sort") ?? "").split(",").flatMap((part) => {
    const [, minus, name = ""] = /^(-?)(.*)$/s.exec(part) ?? [];
    if (name === "") return [];
    const field = fieldAt(schema, name);
    if (typeof field === "string") problems.push(problemAt(["_sort"], field));
    return { path: parsePath(name), descending: minus !== "" };
  });
  if (problems.length > 0) throw unusable(problems, "the query");
  /** A parameter that is a number; undefined if it is not given. */
  const number = (name: string) => (texts.has(name) ? Number(texts.get(name)) : undefined);
  return { conditions, sort, number, embed };
}

type RecordQuery = ReturnType<typeof readQuery>;

/** The records of a collection that match a query, or one page of them. @throws ControlError for an invalid query */
export function findRecords(records: ShownRecords, collection: CollectionName, search: string): object {
  const { conditions, sort, number, embed } = readQuery(collection, search);
  const where = Object.fromEntries(
    conditions.map(({ parameter, operator, operand }) => [parameter, { [operator]: operand }]),
  );
  // json-server's matching sees the values of the fields in the query, by parameter.
  const valuesOf = (record: object) =>
    Object.fromEntries(conditions.map((condition) => [condition.parameter, valueIn(record, condition)]));
  const whole = [...candidates(records, collection, conditions)].map(embedder(records, embed));
  const matching = whole.filter((record) => matchesWhere(valuesOf(record), where));
  const found = sorted(matching, sort);
  const page = number("_page");
  if (page !== undefined) return paginate(found, page, number("_per_page") ?? 10);
  const start = number("_start") ?? 0;
  const limit = number("_limit");
  return found.slice(start, number("_end") ?? (limit === undefined ? undefined : start + limit));
}

/** One record with what the query embeds; undefined if there is none. @throws ControlError for an invalid query */
export function findRecord(
  records: ShownRecords,
  collection: CollectionName,
  id: string,
  search: string,
): object | undefined {
  const { embed } = readQuery(collection, search);
  const record = records.get(collection, id);
  return record && embedder(records, embed)(record);
}

/** A missing value counts as null; one that is no number is neither more nor less than any. */
function valueIn(record: object, { path, operator }: FieldCondition): unknown {
  const value = valueAt(record, path) ?? null;
  return RANGES.includes(operator) && typeof value !== "number" ? undefined : value;
}

/** All records, or those that an index finds for a value in the query. */
function candidates(
  records: ShownRecords,
  collection: CollectionName,
  conditions: readonly FieldCondition[],
): Iterable<object> {
  for (const { path, operator, operand } of conditions) {
    const [field, ...rest] = path;
    if (operator !== "eq" || typeof operand !== "string" || rest.length > 0) continue;
    if (field === "id") return [records.get(collection, operand)].filter((record) => record !== undefined);
    const index = indexOn(collection, String(field));
    if (index !== undefined) return records.find(index, operand);
  }
  return records.all(collection);
}

/** A function that copies a record together with related ones, at constant cost per record. */
function embedder(
  records: ShownRecords,
  embed: Readonly<Record<string, Relation>>,
): (record: object) => object {
  const finders = Object.entries(embed).map(
    ([name, relation]) => [name, relatedFinder(records, relation)] as const,
  );
  if (finders.length === 0) return (record) => record;
  return (record) => ({
    ...record,
    ...Object.fromEntries(finders.map(([name, related]) => [name, related(record)])),
  });
}

/** Finds records related to a record: by id, by an index, or in lists built in one pass over the collection. */
function relatedFinder(
  records: ShownRecords,
  { collection, key, many }: Relation,
): (record: object) => unknown {
  const idIn = (record: object, field: string) => String(Reflect.get(record, field));
  if (!many) return (record) => records.get(collection, idIn(record, key));
  const index = indexOn(collection, key);
  if (index !== undefined) return (record) => [...records.find(index, idIn(record, "id"))];
  const lists = new Map<string, object[]>();
  for (const other of records.all(collection)) getOrInsert(lists, idIn(other, key), () => []).push(other);
  return (record) => lists.get(idIn(record, "id")) ?? [];
}

/** Sorts as json-server does, which reads the fields again for each pair: missing values, false and empty texts come last. */
function sorted(records: readonly object[], sort: RecordQuery["sort"]): object[] {
  if (sort.length === 0) return [...records];
  const { compare } = new Intl.Collator();
  const isNothing = (value: unknown) => value !== 0 && !value;
  const order = (a: unknown, b: unknown): number => {
    if (a === b || (isNothing(a) && isNothing(b))) return 0;
    if (isNothing(a) || isNothing(b)) return isNothing(a) ? 1 : -1;
    return typeof a === "string" && typeof b === "string" ? compare(a, b) : Number(a) - Number(b) || 0;
  };
  const rows = records.map((record) => ({ record, values: sort.map(({ path }) => valueAt(record, path)) }));
  rows.sort((a, b) => {
    for (const [at, { descending }] of sort.entries()) {
      const found = order(a.values[at], b.values[at]);
      if (found !== 0) return descending ? -found : found;
    }
    return 0;
  });
  return rows.map(({ record }) => record);
}
