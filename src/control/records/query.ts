/// <reference path="./json-server.d.ts" />
/** The query language of record lists: parsing a query, and matching records. */
import { matchesWhere } from "json-server/lib/matches-where.js";
import { WHERE_OPERATORS } from "json-server/lib/where-operators.js";
import type { Path } from "../../kernel/json.js";
import { isObject, parsePath, valueAt } from "../../kernel/json.js";
import { MatchBudget } from "../../kernel/linear-regex.js";
import type { Problem } from "../../kernel/problems.js";
import { keyProblemAt, problemAt } from "../../kernel/problems.js";
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

/** The field and the operator of a parameter: `text:contains`, `timestamp_gt`, `status`. */
function splitKey(key: string): { readonly field: string; readonly operator: string } {
  const colon = key.lastIndexOf(":");
  if (colon > 0) return { field: key.slice(0, colon), operator: key.slice(colon + 1) };
  const [, field, operator = ""] = /^(.+)_([a-z]+)$/is.exec(key) ?? [];
  return field !== undefined && WHERE_OPERATORS.includes(operator)
    ? { field, operator }
    : { field: key, operator: "eq" };
}

/** The condition in a parameter; none if its value is empty. */
function readCondition(schema: Schema, key: string, text: string): Condition | Problem | undefined {
  const { field, operator } = splitKey(key);
  const found = fieldOf(schema, field);
  if ("problem" in found) return keyProblemAt([key], found.problem);
  const objection = operatorObjection(field, operator, found.types, text === "" || text === "null");
  if (objection !== undefined) return keyProblemAt([key], objection);
  if (text === "") return undefined;
  const texts = operator === "in" ? text.split(",").map((part) => part.trim()) : [text];
  const operands = texts.map((part) => (TEXTS.includes(operator) ? part : readOperand(found.types, part)));
  if (operands.includes(undefined))
    return problemAt([key], `${field} is ${describeType([...found.types])}, and never ${preview(text)}`);
  const never = valueObjection(field, operator, found.schema, operands);
  if (never !== undefined) return problemAt([key], never);
  return { path: parsePath(field), operator, operand: operator === "in" ? operands : operands[0] };
}

/** The conditions of `_where`: fields with operators, nested as the record is, and `or` with a list of such objects. */
function readWhere(schema: Schema, value: unknown, base: Path, problems: Problem[]): Where {
  const all: Condition[] = [];
  const alternatives: (readonly Where[])[] = [];
  if (!isObject(value)) problems.push(problemAt(["_where", ...base], "must be an object"));
  for (const [key, part] of Object.entries(isObject(value) ? value : {})) {
    const path = [...base, ...parsePath(key)];
    if (key === "or") {
      if (!Array.isArray(part)) problems.push(problemAt(["_where", ...path], "must be an array"));
      else alternatives.push(part.map((item) => readWhere(schema, item, base, problems)));
      continue;
    }
    const found = fieldOf(schema, key);
    if ("problem" in found) problems.push(keyProblemAt(["_where", ...path], found.problem));
    else if (!isObject(part))
      problems.push(problemAt(["_where", ...path], `must be an object with ${either(WHERE_OPERATORS)}`));
    else if (Object.keys(part).some((name) => WHERE_OPERATORS.includes(name)))
      for (const [operator, operand] of Object.entries(part)) {
        const objection =
          operatorObjection(key, operator, found.types, operand === null) ??
          valueObjection(key, operator, found.schema, [operand].flat());
        if (objection === undefined) all.push({ path, operator, operand });
        else problems.push(keyProblemAt(["_where", ...path, operator], objection));
      }
    else {
      const inner = readWhere(found.schema, part, path, problems);
      all.push(...inner.all);
      alternatives.push(...inner.either);
    }
  }
  return { all, either: alternatives };
}

function operatorObjection(
  field: string,
  operator: string,
  types: ReadonlySet<string>,
  isNull: boolean,
): string | undefined {
  if (!WHERE_OPERATORS.includes(operator)) return unknownKey("operator", operator, WHERE_OPERATORS);
  if (RANGES.includes(operator) && !types.has("integer") && !types.has("number"))
    return `${field} is no number: ${operator} compares numbers`;
  if (TEXTS.includes(operator) && !types.has("string"))
    return `${field} is no text: ${operator} looks into texts`;
  if (!isNull && !SCALARS.some((type) => types.has(type)))
    return `${field} is no single value: filter by what is in it, or by null`;
  return undefined;
}

/** The problem with operands for a field that has one of a few values. */
function valueObjection(
  field: string,
  operator: string,
  schema: Schema,
  operands: readonly unknown[],
): string | undefined {
  const values = branchesOf(schema).flatMap((branch) => branch.enum ?? []);
  const never = operands.find((operand) => operand !== null && !values.includes(operand));
  if (values.length === 0 || TEXTS.includes(operator) || never === undefined) return undefined;
  return unknownKey(field, String(never), values.map(String));
}

/** The value of a text for a field of these types; undefined if it is invalid. */
function readOperand(types: ReadonlySet<string>, text: string): unknown {
  if (text === "null") return null;
  if (types.has("string")) return text;
  if (types.has("boolean")) return text === "true" ? true : text === "false" ? false : undefined;
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? number : undefined;
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

/** The schema and types of the field at a path, or why it does not exist. */
function fieldOf(
  schema: Schema,
  text: string,
): { readonly schema: Schema; readonly types: ReadonlySet<string> } | { readonly problem: string } {
  let current = schema;
  for (const segment of parsePath(text)) {
    const branches = branchesOf(current);
    const next = branches
      .map(({ items, properties = {} }) =>
        typeof segment === "number"
          ? items
          : Object.hasOwn(properties, segment)
            ? properties[segment]
            : undefined,
      )
      .find((part) => part !== undefined);
    if (next === undefined) {
      const known = branches.flatMap(({ properties = {} }) => Object.keys(properties));
      return { problem: unknownKey("field", String(segment), known) };
    }
    current = next;
  }
  if (current === schema) return { problem: unknownKey("field", text, Object.keys(schema.properties ?? {})) };
  return { schema: current, types: new Set(branchesOf(current).flatMap(({ type = [] }) => type)) };
}

const branchesOf = (schema: Schema): readonly Schema[] => [
  schema,
  ...(schema.anyOf ?? []).flatMap((branch) => branchesOf(branch)),
];

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

type NumberKey = "_page" | "_per_page" | "_start" | "_end" | "_limit";
const NUMBERS: readonly string[] = ["_page", "_per_page", "_start", "_end", "_limit"] satisfies NumberKey[];

export interface SortField {
  readonly field: string;
  readonly descending: boolean;
}

export interface Query {
  readonly where: Where;
  readonly sort: readonly SortField[];
  /** The requested part of the list. */
  readonly range: Readonly<Partial<Record<NumberKey, number>>>;
  /** By the name under which each is embedded. */
  readonly embed: Readonly<Record<string, Relation>>;
}

/** @throws ControlError naming every invalid part of the query */
export function readQuery(collection: CollectionName, search: string): Query {
  const parameters = [...new URLSearchParams(search)];
  const problems = doubledKeys(parameters);
  const textOf = (name: string) => parameters.find(([key]) => key === name)?.[1];
  const names = parameters.filter(([key]) => key === "_embed").map(([, name]) => name);
  const embed = embedded(collection, names, problems);
  const schema = withEmbedded(RECORD_SCHEMAS[collection], embed);
  const conditions = parameters
    .filter(([key]) => !Object.hasOwn(listQuerySchema.properties ?? {}, key))
    .map(([key, text]) => readCondition(schema, key, text));
  for (const condition of conditions)
    if (condition !== undefined && "message" in condition) problems.push(condition);
  const sort = readSort(schema, textOf("_sort") ?? "", problems);
  const raw = readWhere(schema, parseWhere(textOf("_where"), problems), [], problems);
  if (problems.length > 0) throw unusable(problems, "the query");
  const stated = conditions.flatMap((condition) =>
    condition === undefined || "message" in condition ? [] : [condition],
  );
  const range = parameters.filter(([key]) => NUMBERS.includes(key)).map(([key, text]) => [key, Number(text)]);
  return { where: { ...raw, all: [...stated, ...raw.all] }, sort, range: Object.fromEntries(range), embed };
}

function doubledKeys(parameters: readonly (readonly [string, string])[]): Problem[] {
  const keys = parameters.map(([key]) => key).filter((key) => key !== "_embed");
  const doubled = new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
  return [...doubled].map((key) => keyProblemAt([key], "is given twice"));
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
      problems.push(keyProblemAt(["_embed"], `${what}: it must be ${known}`));
    }
  }
  return embed;
}

const withEmbedded = ({ properties = {} }: Schema, embed: Query["embed"]): Schema => ({
  type: "object",
  properties: {
    ...properties,
    ...Object.fromEntries(Object.entries(embed).map(([name, { schema }]) => [name, schema])),
  },
});

function readSort(schema: Schema, text: string, problems: Problem[]): SortField[] {
  return text
    .split(",")
    .filter((part) => part !== "" && part !== "-")
    .map((part) => {
      const descending = part.startsWith("-");
      const field = descending ? part.slice(1) : part;
      const found = fieldOf(schema, field);
      if ("problem" in found) problems.push(keyProblemAt(["_sort"], found.problem));
      return { field, descending };
    });
}

function parseWhere(text: string | undefined, problems: Problem[]): unknown {
  if (text === undefined) return {};
  try {
    return JSON.parse(text);
  } catch {
    problems.push(problemAt(["_where"], "must be JSON"));
    return {};
  }
}
