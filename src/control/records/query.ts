/// <reference path="./json-server.d.ts" />
/** The query language of record lists: parsing a query, and matching records. */
import { matchesWhere } from "json-server/lib/matches-where.js";
import { WHERE_OPERATORS } from "json-server/lib/where-operators.js";
import type { Path } from "../../kernel/json.js";
import { isObject, parsePath, valueAt } from "../../kernel/json.js";
import { MatchBudget } from "../../kernel/linear-regex.js";
import type { Problem } from "../../kernel/problems.js";
import { problemAt } from "../../kernel/problems.js";
import type { Schema } from "../../kernel/schema.js";
import { array, integer, nullable, object, optional, string, unknown } from "../../kernel/schema.js";
import { describeType, either, preview, singular, unknownKey } from "../../kernel/words.js";
import type { CollectionName } from "../../service/world/records.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "../../service/world/records.js";
import { unusable } from "../errors.js";

export interface Relation {
  readonly collection: CollectionName;
  /** The field with the id: of the record itself, or of the many that reference it. */
  readonly key: string;
  readonly many: boolean;
  readonly schema: Schema;
}

const keyTo = (collection: string): string => `${singular(collection)}Id`;

const hasField = ({ properties = {} }: Schema, field: string): boolean => Object.hasOwn(properties, field);

/** The names that `_embed` accepts for records of a collection. */
function relationsOf(collection: CollectionName): Readonly<Record<string, Relation>> {
  const relations: Record<string, Relation> = {};
  for (const other of COLLECTIONS) {
    const schema: Schema = RECORD_SCHEMAS[other];
    if (hasField(RECORD_SCHEMAS[collection], keyTo(other)))
      relations[singular(other)] = { collection: other, key: keyTo(other), many: false, schema };
    if (hasField(schema, keyTo(collection)))
      relations[other] = { collection: other, key: keyTo(collection), many: true, schema: array(schema) };
  }
  return relations;
}

const RANGES = ["lt", "lte", "gt", "gte"];
const TEXTS = ["contains", "startsWith", "endsWith"];
const SCALARS = ["string", "number", "integer", "boolean"];

interface Condition {
  readonly path: Path;
  readonly operator: string;
  readonly operand: unknown;
}

/** Conditions that must all hold, and lists of which one must. */
interface Where {
  readonly all: readonly Condition[];
  readonly either: readonly (readonly Where[])[];
}

/** Whether a record matches. A missing value counts as null. @throws CostlyMatch */
export const holds = (record: unknown, { all, either: alternatives }: Where): boolean =>
  all.every((condition) => meets(record, condition)) &&
  alternatives.every((ones) => ones.some((one) => holds(record, one)));

function meets(record: unknown, { path, operator, operand }: Condition): boolean {
  const value = valueAt(record, path) ?? null;
  // A text may be the word "null".
  if (operator === "eq") return value === operand || (operand === null && value === "null");
  if (RANGES.includes(operator) && typeof value !== "number") return false;
  if (operator === "contains") new MatchBudget(path.join(".")).search(String(value), String(operand).length);
  return matchesWhere({ value }, { value: { [operator]: operand } });
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly types: ReadonlySet<string>;
}

const branchesOf = (schema: Schema): readonly Schema[] => [
  schema,
  ...(schema.anyOf ?? []).flatMap((branch) => branchesOf(branch)),
];

/** The field at a path, or why it does not exist. */
function fieldOf(whole: Schema, name: string): Field | string {
  let schema = whole;
  const path = parsePath(name);
  for (const segment of path.length === 0 ? [name] : path) {
    const branches = branchesOf(schema);
    const partOf = ({ items, properties = {} }: Schema) =>
      typeof segment === "number"
        ? items
        : Object.hasOwn(properties, segment)
          ? properties[segment]
          : undefined;
    const part = branches.map(partOf).find((found) => found !== undefined);
    const known = branches.flatMap(({ properties = {} }) => Object.keys(properties));
    if (part === undefined) return unknownKey("field", String(segment), known);
    schema = part;
  }
  return { name, schema, types: new Set(branchesOf(schema).flatMap(({ type = [] }) => type)) };
}

/** Why an operator does not fit a field, or the field never has one of the operands. */
function objectionTo(
  { name, schema, types }: Field,
  operator: string,
  operands: readonly unknown[],
): string | undefined {
  if (!WHERE_OPERATORS.includes(operator)) return unknownKey("operator", operator, WHERE_OPERATORS);
  if (RANGES.includes(operator) && !types.has("integer") && !types.has("number"))
    return `${name} is not a number: ${operator} compares numbers`;
  if (TEXTS.includes(operator)) {
    if (!types.has("string")) return `${name} is not text: ${operator} searches text`;
    return undefined;
  }
  const values = operands.filter((operand) => operand !== null);
  if (values.length > 0 && !SCALARS.some((type) => types.has(type)))
    return `${name} is not a single value: filter by its content, or by null`;
  const known = branchesOf(schema).flatMap((branch) => branch.enum ?? []);
  const never = values.find((value) => !known.includes(value));
  if (known.length === 0 || never === undefined) return undefined;
  return unknownKey(name, String(never), known.map(String));
}

/** The field and the operator of a parameter: `text:contains`, `timestamp_gt`, `status`. */
function splitKey(key: string): readonly [field: string, operator: string] {
  const colon = key.lastIndexOf(":");
  if (colon > 0) return [key.slice(0, colon), key.slice(colon + 1)];
  const [, field, operator = ""] = /^(.+)_([a-z]+)$/is.exec(key) ?? [];
  return field !== undefined && WHERE_OPERATORS.includes(operator) ? [field, operator] : [key, "eq"];
}

/** The condition in a parameter; none if its value is empty. */
function readCondition(schema: Schema, key: string, text: string, problems: Problem[]): Condition[] {
  const [name, operator] = splitKey(key);
  const refuse = (message: string): [] => {
    problems.push(problemAt([key], message));
    return [];
  };
  const field = fieldOf(schema, name);
  if (typeof field === "string") return refuse(field);
  const texts = operator === "in" ? text.split(",").map((part) => part.trim()) : [text];
  const given = text === "" ? [] : texts.map((part) => (part === "null" ? null : part));
  const objection = objectionTo(field, operator, given);
  if (objection !== undefined) return refuse(objection);
  if (text === "") return [];
  const operands = texts.map((part) => (TEXTS.includes(operator) ? part : readOperand(field, part)));
  if (operands.includes(undefined))
    return refuse(`${name} is ${describeType([...field.types])}, and never ${preview(text)}`);
  return [{ path: parsePath(name), operator, operand: operator === "in" ? operands : operands[0] }];
}

function readOperand({ types }: Field, text: string): unknown {
  if (text === "null") return null;
  if (types.has("string")) return text;
  if (types.has("boolean")) return text === "true" ? true : text === "false" ? false : undefined;
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? number : undefined;
}

/** The conditions of `_where`: fields with operators, nested as the record is, and `or` with a list of such objects. */
function readWhere(schema: Schema, value: unknown, base: Path, problems: Problem[]): Where {
  const all: Condition[] = [];
  const alternatives: (readonly Where[])[] = [];
  const refuse = (path: Path, message: string) => problems.push(problemAt(["_where", ...path], message));
  if (!isObject(value)) refuse(base, "must be an object");
  for (const [key, part] of Object.entries(isObject(value) ? value : {})) {
    const path = [...base, ...parsePath(key)];
    if (key === "or") {
      if (!Array.isArray(part)) refuse(path, "must be an array");
      else alternatives.push(part.map((item) => readWhere(schema, item, base, problems)));
      continue;
    }
    const field = fieldOf(schema, key);
    if (typeof field === "string") refuse(path, field);
    else if (!isObject(part)) refuse(path, `must be an object with ${either(WHERE_OPERATORS)}`);
    else if (Object.keys(part).some((name) => WHERE_OPERATORS.includes(name)))
      for (const [operator, operand] of Object.entries(part)) {
        const objection = objectionTo(field, operator, [operand].flat());
        if (objection === undefined) all.push({ path, operator, operand });
        else refuse([...path, operator], objection);
      }
    else {
      const inner = readWhere(field.schema, part, path, problems);
      all.push(...inner.all);
      alternatives.push(...inner.either);
    }
  }
  return { all, either: alternatives };
}

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
    _where: optional(
      string({
        description: 'conditions as JSON: {"or":[{"status":{"eq":"waiting"}},{"channel":{"eq":"SMS"}}]}',
      }),
    ),
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

export interface SortField {
  readonly path: Path;
  readonly descending: boolean;
}

export interface Query {
  readonly where: Where;
  readonly sort: readonly SortField[];
  /** A parameter that is a number; undefined if it is not given. */
  readonly number: (name: "_page" | "_per_page" | "_start" | "_end" | "_limit") => number | undefined;
  /** By the name under which each is embedded. */
  readonly embed: Readonly<Record<string, Relation>>;
}

/** @throws ControlError naming every invalid part of the query */
export function readQuery(collection: CollectionName, search: string): Query {
  // Every route has the parameter `secrets`.
  const parameters = [...new URLSearchParams(search)].filter(([key]) => key !== "secrets");
  const problems: Problem[] = [];
  const keys = parameters.map(([key]) => key).filter((key) => key !== "_embed");
  for (const key of new Set(keys.filter((key, index) => keys.indexOf(key) !== index)))
    problems.push(problemAt([key], "is given twice"));
  const texts = new Map([...parameters].reverse());
  const names = parameters.filter(([key]) => key === "_embed").map(([, name]) => name);
  const embed = embedded(collection, names, problems);
  const related = Object.entries(embed).map(([name, { schema }]) => [name, schema]);
  const { properties } = RECORD_SCHEMAS[collection];
  const schema: Schema = { properties: { ...properties, ...Object.fromEntries(related) } };
  const stated = parameters
    .filter(([key]) => !Object.hasOwn(listQuerySchema.properties ?? {}, key))
    .flatMap(([key, text]) => readCondition(schema, key, text, problems));
  const sort = readSort(schema, texts.get("_sort") ?? "", problems);
  const raw = readWhere(schema, parseWhere(texts.get("_where") ?? "{}", problems), [], problems);
  if (problems.length > 0) throw unusable(problems, "the query");
  return {
    where: { ...raw, all: [...stated, ...raw.all] },
    sort,
    number: (name) => (texts.has(name) ? Number(texts.get(name)) : undefined),
    embed,
  };
}

function embedded(collection: CollectionName, names: readonly string[], problems: Problem[]): Query["embed"] {
  const relations = relationsOf(collection);
  const embed: Record<string, Relation> = {};
  for (const name of names) {
    const relation = Object.hasOwn(relations, name) ? relations[name] : undefined;
    if (relation !== undefined) embed[name] = relation;
    else {
      const known = either(Object.keys(relations));
      const what = `nothing related to ${collection} is called ${JSON.stringify(name)}`;
      problems.push(problemAt(["_embed"], `${what}: it must be ${known}`));
    }
  }
  return embed;
}

function readSort(schema: Schema, text: string, problems: Problem[]): SortField[] {
  return text
    .split(",")
    .filter((part) => part !== "" && part !== "-")
    .map((part) => {
      const descending = part.startsWith("-");
      const name = descending ? part.slice(1) : part;
      const field = fieldOf(schema, name);
      if (typeof field === "string") problems.push(problemAt(["_sort"], field));
      return { path: parsePath(name), descending };
    });
}

function parseWhere(text: string, problems: Problem[]): unknown {
  try {
    return JSON.parse(text);
  } catch {
    problems.push(problemAt(["_where"], "must be JSON"));
    return {};
  }
}
