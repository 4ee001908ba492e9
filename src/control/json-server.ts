/** json-server's query language over the records of a world: json-server's query service on a read-only lowdb database. */
import type { Data, Item, PaginatedItems } from "json-server/lib/service.js";
import type { Low } from "lowdb";
import { valueAt } from "../kernel/json.js";
import { parsePath } from "../kernel/path.js";
import { problemAt } from "../kernel/problems.js";
import { array, integer, nullable, object, optional, string, unknown } from "../kernel/schema.js";
import { openDatabase } from "../world/database.js";
import type { CollectionName } from "../world/records.js";
import type { RecordReader } from "../world/world.js";
import { unusable } from "./control-error.js";
import { filterOf, queryProblems } from "./query-fields.js";

const count = (description: string) =>
  optional(string({ pattern: "^-?\\d+$", "x-form": "an integer", description }));

/** The query of a list: besides these, any field with the value to filter by. */
export const listQuerySchema = object(
  {
    _sort: optional(string({ description: "fields to sort by, with commas between; -field for descending" })),
    _page: count("answers a page object"),
    _per_page: count("records of a page; 10 unless said otherwise"),
    _start: count("position of the first record"),
    _end: count("position after the last record"),
    _limit: count("how many records"),
    _embed: optional(string({ description: "a collection or a record that is related; may be repeated" })),
  },
  {
    additionalProperties: { type: "string" },
    description:
      "field=value filters, and so do field_ne, field_lt, field_lte, field_gt and field_gte; field=null finds what has no value",
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

const NUMBERS = new Set(["_page", "_per_page", "_start", "_end", "_limit"]);
const ARRANGING = new Set([...NUMBERS, "_sort"]);

interface Query {
  /** Fields and values. */
  readonly filters: Readonly<Record<string, string>>;
  /** Sorting and paging. */
  readonly arrangement: Readonly<Record<string, string | number>>;
  readonly embed: readonly string[];
}

type Found = Item[] | PaginatedItems;

/**
 * The records of a collection that a query selects, or one page of them.
 * Only what is answered gets its related records, unless the query filters or sorts by these.
 *
 * @throws ControlError for a query that cannot be read
 */
export async function findRecords(
  records: RecordReader,
  collection: CollectionName,
  search: string,
): Promise<Found> {
  const { filters, arrangement, embed } = queryOf(search);
  const sort = String(arrangement._sort ?? "").split(",");
  const sorted = sort.map((field) => field.replace(/^-/, "")).filter((field) => field !== "");
  const problems = queryProblems(collection, filters, sorted, embed);
  if (problems.length > 0) throw unusable(problems, "the query");
  const { Service } = await import("json-server/lib/service.js");
  const select = (query: Record<string, unknown>, items?: readonly object[]): Found => {
    const database = openDatabase(records, items === undefined ? {} : { [collection]: items });
    return new Service(database as unknown as Low<Data>).find(collection, query) as Found;
  };
  const early = embed.some((name) => isAbout(name, filters, arrangement)) ? { _embed: [...embed] } : {};
  try {
    const found = select({ ...early, ...filters }) as Item[];
    const arranged = select(arrangement, fitting(found, filters));
    if (embed.length === 0 || "_embed" in early) return arranged;
    if (Array.isArray(arranged)) return select({ _embed: [...embed] }, arranged);
    return { ...arranged, data: select({ _embed: [...embed] }, arranged.data) as Item[] };
  } catch (error) {
    throw unusable([problemAt([], `cannot be answered: ${(error as Error).message}`)], "the query");
  }
}

/** Whether a query filters or sorts by what is embedded as `name`. */
function isAbout(name: string, filters: Query["filters"], { _sort = "" }: Query["arrangement"]): boolean {
  const fields = [...Object.keys(filters), ...String(_sort).split(",")];
  return fields.some((field) => field.replace(/^-/, "").split(/[.[]/)[0] === name);
}

/** What of the found the query means: the query service keeps every object, and every item without a value. */
function fitting(items: Item[], filters: Query["filters"]): Item[] {
  const asked = Object.entries(filters).filter(([, text]) => text !== "");
  return items.filter((item) => asked.every(([key, text]) => fits(item, key, text)));
}

function fits(item: Item, key: string, text: string): boolean {
  const { field, operator } = filterOf(key);
  const value = valueAt(item, parsePath(field)) ?? null;
  if (operator === "ne") return text !== "null" || value !== null;
  if (operator !== "") return true;
  // A text may be the word "null".
  return text === "null" ? value === null || value === text : typeof value !== "object";
}

/** One record with what the query embeds in it; undefined when there is none. Looks at no other of its collection. */
export async function findRecord(
  records: RecordReader,
  collection: CollectionName,
  id: string,
  search: string,
): Promise<object | undefined> {
  const record = records.get(collection, id);
  const { embed } = queryOf(search);
  const problems = queryProblems(collection, {}, [], embed);
  if (problems.length > 0) throw unusable(problems, "the query");
  if (record === undefined || embed.length === 0) return record;
  const { Service } = await import("json-server/lib/service.js");
  const database = openDatabase(records, { [collection]: [record] }) as unknown as Low<Data>;
  return new Service(database).findById(collection, id, { _embed: [...embed] });
}

function queryOf(search: string): Query {
  const filters: Record<string, string> = Object.create(null);
  const arrangement: Record<string, string | number> = {};
  const embed: string[] = [];
  for (const [key, value] of new URLSearchParams(search)) {
    if (key === "_embed") embed.push(value);
    else if (Object.hasOwn(filters, key) || Object.hasOwn(arrangement, key))
      throw unusable([problemAt([key], "stands in the query twice")]);
    else if (ARRANGING.has(key)) arrangement[key] = NUMBERS.has(key) ? Number.parseInt(value, 10) : value;
    else filters[key] = value;
  }
  return { filters, arrangement, embed };
}
