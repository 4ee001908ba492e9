/** What a query over a collection may name: the fields of its records, and what is embedded in them. */
import { isObject } from "../kernel/json.js";
import { isKeyOf } from "../kernel/keys.js";
import { parsePath } from "../kernel/path.js";
import type { Problem } from "../kernel/problems.js";
import { keyProblemAt } from "../kernel/problems.js";
import type { Schema } from "../kernel/schema.js";
import { array, object } from "../kernel/schema.js";
import { either, unknownKey } from "../kernel/words.js";
import type { CollectionName } from "../world/records.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "../world/records.js";

type Operator = "" | "ne" | "lt" | "lte" | "gt" | "gte";

/** `timestamp_gt` → `timestamp` and `gt` */
export function filterOf(key: string): { readonly field: string; readonly operator: Operator } {
  const [, field = key, operator = ""] = /^(.*)_(lt|lte|gt|gte|ne)$/s.exec(key) ?? [];
  return { field, operator: operator as Operator };
}

const SCALARS = ["string", "number", "integer", "boolean"];

/** What is wrong with what a query filters by, sorts by and embeds. */
export function queryProblems(
  collection: CollectionName,
  filters: Readonly<Record<string, string>>,
  sort: readonly string[],
  embed: readonly string[],
): Problem[] {
  const relations = relationsOf(collection);
  const unrelated = embed.filter((name) => !Object.hasOwn(relations, name));
  const { properties = {} } = RECORD_SCHEMAS[collection] as Schema;
  const related = embed.filter((name) => Object.hasOwn(relations, name));
  const embedded = Object.fromEntries(related.map((name) => [name, relations[name] ?? {}]));
  const schema = object({ ...properties, ...embedded });
  return [
    ...unrelated.map((name) =>
      keyProblemAt(
        ["_embed"],
        `nothing related to ${collection} is called ${JSON.stringify(name)}: it must be ${either(Object.keys(relations))}`,
      ),
    ),
    ...Object.entries(filters).flatMap(([key, text]) => filterProblems(schema, key, text)),
    ...sort.flatMap((field) => {
      const found = fieldOf(schema, field);
      return "problem" in found ? [keyProblemAt(["_sort"], found.problem)] : [];
    }),
  ];
}

function filterProblems(schema: Schema, key: string, text: string): Problem[] {
  const { field, operator } = filterOf(key);
  const found = fieldOf(schema, field);
  if ("problem" in found) return [keyProblemAt([key], found.problem)];
  const isRange = operator !== "" && operator !== "ne";
  const types = typesOf(found.schema);
  if (isRange && !types.has("integer") && !types.has("number"))
    return [keyProblemAt([key], `${field} is no number: _${operator} compares numbers`)];
  if (!isRange && text !== "" && text !== "null" && !SCALARS.some((type) => types.has(type)))
    return [keyProblemAt([key], `${field} is no single value: filter by what is in it, or by null`)];
  return [];
}

type Found = { readonly schema: Schema } | { readonly problem: string };

/** The schema of the field at a path, or why there is none. */
function fieldOf(schema: Schema, text: string): Found {
  let current = schema;
  for (const segment of parsePath(text)) {
    const branches = branchesOf(current);
    const next = branches
      .map(({ items, properties = {} }) =>
        typeof segment === "number" ? items : isKeyOf(properties, segment) ? properties[segment] : undefined,
      )
      .find((part) => part !== undefined);
    if (next === undefined) {
      const known = branches.flatMap(({ properties = {} }) => Object.keys(properties));
      return { problem: unknownKey("field", String(segment), known) };
    }
    current = next;
  }
  return current === schema ? { problem: unknownKey("field", text, []) } : { schema: current };
}

/** The schema itself, and its alternatives. */
const branchesOf = (schema: Schema): readonly Schema[] => [
  schema,
  ...(schema.anyOf ?? []).flatMap((branch) => branchesOf(branch)),
];

const typesOf = (schema: Schema): ReadonlySet<string> =>
  new Set(branchesOf(schema).flatMap(({ type = [] }) => type));

/** `businesses` → `business` */
const singular = (collection: string): string => collection.replace(/(ss)es$|s$/, "$1");

/** What `_embed` can name for records of a collection: one record that they name, or a list of those that name them. */
function relationsOf(collection: CollectionName): Readonly<Record<string, Schema>> {
  const relations: Record<string, Schema> = {};
  for (const other of COLLECTIONS) {
    const schema: Schema = RECORD_SCHEMAS[other];
    const own: Schema = RECORD_SCHEMAS[collection];
    if (names(own, other)) relations[singular(other)] = schema;
    if (names(schema, collection)) relations[other] = array(schema);
  }
  return relations;
}

const names = ({ properties }: Schema, collection: string): boolean =>
  isObject(properties) && Object.hasOwn(properties, `${singular(collection)}Id`);
