/** The query of a list of records, in json-server's language. */
import type { Problem } from "../../kernel/problems.js";
import { keyProblemAt, problemAt } from "../../kernel/problems.js";
import type { Schema } from "../../kernel/schema.js";
import { array, integer, nullable, object, optional, string, unknown } from "../../kernel/schema.js";
import { either } from "../../kernel/words.js";
import type { CollectionName } from "../../world/records.js";
import { RECORD_SCHEMAS } from "../../world/records.js";
import { unusable } from "../control-error.js";
import type { Where } from "./conditions.js";
import { fieldOf, readCondition, readWhere } from "./conditions.js";
import type { Relation } from "./relations.js";
import { relationsOf } from "./relations.js";

const count = (description: string) =>
  optional(string({ pattern: "^-?\\d+$", "x-form": "an integer", description }));

/** Besides these, any field with the value to filter by. */
export const listQuerySchema = object(
  {
    _sort: optional(string({ description: "fields to sort by, with commas between; -field for descending" })),
    _page: count("answers a page object"),
    _per_page: count("records of a page; 10 unless said otherwise"),
    _start: count("position of the first record"),
    _end: count("position after the last record"),
    _limit: count("how many records"),
    _embed: optional(string({ description: "a collection or a record that is related; may be repeated" })),
    _where: optional(
      string({
        description: 'conditions as JSON: {"or":[{"status":{"eq":"waiting"}},{"channel":{"eq":"SMS"}}]}',
      }),
    ),
  },
  {
    additionalProperties: { type: "string" },
    description:
      "field=value filters, and so do field:ne, :lt, :lte, :gt, :gte, :in (values with commas between), :contains, :startsWith and :endsWith, also written field_ne and so on; field=null finds what has no value",
  },
);

/** What `_page` answers. */
export const pageSchema = object({
  first: integer(),
  prev: nullable(integer()),
  next: nullable(integer()),
  last: integer(),
  pages: integer(),
  items: integer({ description: "how many there are on all pages" }),
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
  /** Which part of the list is asked for. */
  readonly range: Readonly<Partial<Record<NumberKey, number>>>;
  /** By the name under which each is embedded. */
  readonly embed: Readonly<Record<string, Relation>>;
}

/** @throws ControlError that names every part of the query that cannot be meant */
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
  return [...doubled].map((key) => keyProblemAt([key], "stands in the query twice"));
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
