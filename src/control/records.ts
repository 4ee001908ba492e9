/// <reference path="./json-server.d.ts" />
/** The query language of record lists: json-server's conditions and pages, over what an index has found. */
import { matchesWhere } from "json-server/lib/matches-where.js";
import { paginate } from "json-server/lib/paginate.js";
import { WHERE_OPERATORS } from "json-server/lib/where-operators.js";
import { valueAt } from "../kernel/json.js";
import { getOrInsert } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt } from "../kernel/problems.js";
import type { Schema } from "../kernel/schema.js";
import { array, integer, nullable, object, optional, string, unknown } from "../kernel/schema.js";
import { describeType, either, preview, singular, unknownKey } from "../kernel/words.js";
import type { ShownRecords } from "../sandbox/threads.js";
import { indexOn } from "../service/world/indexes.js";
import type { CollectionName } from "../service/world/records.js";
import { RECORD_SCHEMAS } from "../service/world/records.js";
import { ALL_REFERENCES } from "../service/world/rules.js";
import { unusable } from "./errors.js";

const RANGES = ["lt", "lte", "gt", "gte"];
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
}

/** The names that `_embed` accepts for records of a collection, by the fields that are named after the collection they refer to. */
function relationsOf(collection: CollectionName): Readonly<Record<string, Relation>> {
  const relations: Record<string, Relation> = {};
  for (const { collection: from, field: key, target } of ALL_REFERENCES) {
    if (key !== `${singular(target)}Id`) continue;
    if (from === collection) relations[singular(target)] = { collection: target, key, many: false };
    if (target === collection) relations[from] = { collection: from, key, many: true };
  }
  return relations;
}

interface FieldCondition {
  readonly parameter: string;
  readonly path: readonly string[];
  readonly operator: string;
  readonly operand: unknown;
}

const branchesOf = (schema: Schema): readonly Schema[] => [
  schema,
  ...(schema.anyOf ?? []).flatMap(branchesOf),
];

/** The types of a field, which may be in another (`whatsappSender.active`), or why it does not exist. */
function typesOf(collection: CollectionName, field: string): ReadonlySet<string> | string {
  let branches: readonly Schema[] = [RECORD_SCHEMAS[collection]];
  for (const segment of field.split(".")) {
    const properties: Record<string, Schema> = Object.assign(
      {},
      ...branches.map((branch) => branch.properties),
    );
    if (!Object.hasOwn(properties, segment)) return unknownKey("field", segment, Object.keys(properties));
    branches = branchesOf(properties[segment] ?? {});
  }
  return new Set(branches.flatMap(({ type = [] }) => type));
}

/** The field and the operator of a parameter: `text:contains`, `timestamp_gt`, `status`. */
function splitParameter(parameter: string): readonly [field: string, operator: string] {
  const colon = parameter.lastIndexOf(":");
  if (colon > 0) return [parameter.slice(0, colon), parameter.slice(colon + 1)];
  const [, field, operator = ""] = /^(.+)_([a-z]+)$/is.exec(parameter) ?? [];
  return field !== undefined && WHERE_OPERATORS.includes(operator) ? [field, operator] : [parameter, "eq"];
}

/** The condition in a parameter, or why it can never hold. */
function conditionIn(collection: CollectionName, parameter: string, text: string): FieldCondition | string {
  const [field, operator] = splitParameter(parameter);
  const types = typesOf(collection, field);
  if (typeof types === "string") return types;
  if (!WHERE_OPERATORS.includes(operator)) return unknownKey("operator", operator, WHERE_OPERATORS);
  if (operator === "contains" && text.length > MAX_SEARCHED)
    return `${operator} takes at most ${MAX_SEARCHED} characters`;
  if (RANGES.includes(operator) && types.has("string"))
    return `${field} is not a number: ${operator} compares numbers`;
  const operands = (operator === "in" ? text.split(",").map((part) => part.trim()) : [text]).map((part) =>
    operandIn(types, part),
  );
  if (operands.includes(undefined))
    return `${field} is ${describeType([...types])}, and never ${preview(text)}`;
  const operand = operator === "in" ? operands : operands[0];
  return { parameter, path: field.split("."), operator, operand };
}

/** A value of a query, by the types of its field; undefined if the field never has it. */
function operandIn(types: ReadonlySet<string>, text: string): unknown {
  if (text === "null") return null;
  if (types.has("string")) return text;
  if (types.has("boolean")) return text === "true" ? true : text === "false" ? false : undefined;
  const number = types.has("integer") || types.has("number") ? Number(text || Number.NaN) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** @throws ControlError naming every invalid part of the query */
function readQuery(collection: CollectionName, search: string) {
  const problems: Problem[] = [];
  const texts = new Map<string, string>();
  const conditions: FieldCondition[] = [];
  /** By the name under which each is embedded. */
  const embed: Record<string, Relation> = {};
  const relations = relationsOf(collection);
  for (const [name, text] of new URLSearchParams(search)) {
    const refuse = (message: string) => problems.push(problemAt([name], message));
    if (name === "_embed") {
      if (Object.hasOwn(relations, text)) Object.assign(embed, { [text]: relations[text] });
      else
        refuse(
          `nothing related to ${collection} is called ${preview(text)}: it must be ${either(Object.keys(relations))}`,
        );
      continue;
    }
    if (texts.has(name)) refuse("is given twice");
    texts.set(name, text);
    // Every route has the parameter `secrets`.
    if (name === "secrets" || Object.hasOwn(listQuerySchema.properties ?? {}, name)) continue;
    // Without a value it is no condition, but its field and its operator must exist.
    const read = conditionIn(collection, name, text || "null");
    if (typeof read === "string") refuse(read);
    else if (text !== "") conditions.push(read);
  }
  const sort = (texts.get("_sort") ?? "")
    .split(",")
    .filter(Boolean)
    .map((text) => {
      const field = text.replace(/^-/, "");
      const types = typesOf(collection, field);
      if (typeof types === "string") problems.push(problemAt(["_sort"], types));
      return { path: field.split("."), descending: field !== text };
    });
  if (problems.length > 0) throw unusable(problems, "query");
  const page = texts.get("_page");
  const paging =
    page === undefined ? undefined : ([Number(page), Number(texts.get("_per_page") ?? 10)] as const);
  return { conditions, sort, paging, embed };
}

type RecordQuery = ReturnType<typeof readQuery>;

/** The records of a collection that match a query, or one page of them. @throws ControlError for an invalid query */
export function findRecords(records: ShownRecords, collection: CollectionName, search: string): object {
  const { conditions, sort, paging, embed } = readQuery(collection, search);
  const where = Object.fromEntries(
    conditions.map(({ parameter, operator, operand }) => [parameter, { [operator]: operand }]),
  );
  // json-server's matching sees the values of the fields in the query, by parameter.
  const valuesOf = (record: object) =>
    Object.fromEntries(conditions.map((condition) => [condition.parameter, valueIn(record, condition)]));
  const matching = [...candidates(records, collection, conditions)].filter((record) =>
    matchesWhere(valuesOf(record), where),
  );
  const found = sorted(matching, sort);
  const embedded = embedder(records, embed);
  if (paging === undefined) return found.map(embedded);
  const page = paginate(found, ...paging);
  return { ...page, data: page.data.map(embedded) };
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
    if (operator !== "eq" || typeof operand !== "string") continue;
    const index = indexOn(collection, path.join("."));
    if (index !== undefined) return records.find(index, operand);
  }
  return records.all(collection);
}

/** A function that copies a record together with related ones, which are looked up by id, or in lists built in one pass. */
function embedder(
  records: ShownRecords,
  embed: Readonly<Record<string, Relation>>,
): (record: object) => object {
  const idIn = (record: object, field: string) => String(Reflect.get(record, field));
  const finders = Object.entries(embed).map(([name, { collection, key, many }]) => {
    if (!many) return [name, (record: object) => records.get(collection, idIn(record, key))] as const;
    const lists = new Map<string, object[]>();
    for (const other of records.all(collection)) getOrInsert(lists, idIn(other, key), () => []).push(other);
    return [name, (record: object) => lists.get(idIn(record, "id")) ?? []] as const;
  });
  if (finders.length === 0) return (record) => record;
  return (record) => ({
    ...record,
    ...Object.fromEntries(finders.map(([name, related]) => [name, related(record)])),
  });
}

/** Sorts as json-server does, which parses the paths again for each pair: missing values, false and empty texts come last. */
function sorted(records: readonly object[], sort: RecordQuery["sort"]): readonly object[] {
  if (sort.length === 0) return records;
  const { compare } = new Intl.Collator();
  const isNothing = (value: unknown) => value !== 0 && !value;
  const order = (a: unknown, b: unknown): number => {
    if (a && b && typeof a === "string" && typeof b === "string") return compare(a, b);
    return Number(isNothing(a)) - Number(isNothing(b)) || Number(a) - Number(b) || 0;
  };
  return records.toSorted((one, other) => {
    for (const { path, descending } of sort) {
      const found = order(valueAt(one, path), valueAt(other, path));
      if (found !== 0) return descending ? -found : found;
    }
    return 0;
  });
}
