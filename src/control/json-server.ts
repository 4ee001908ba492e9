/** json-server's query language over a live world: its own query service reads a lowdb database whose data is the world's. */
import type { Data, Item, PaginatedItems, Service } from "json-server/lib/service.js";
import type { Low } from "lowdb";
import { parsePath } from "../kernel/path.js";
import { problemAt } from "../kernel/problems.js";
import { array, integer, nullable, object, optional, string, unknown } from "../kernel/schema.js";
import { type GivenCollections, openDatabase } from "../world/database.js";
import type { CollectionName } from "../world/records.js";
import type { World } from "../world/world.js";
import { unusable } from "./errors.js";

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
    description: "field=value filters; field_ne, field_lt, field_lte, field_gt and field_gte do so too",
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

/** The records of a collection that a query selects, or one page of them. @throws ControlError for a field given twice */
export async function findRecords(
  world: World,
  collection: CollectionName,
  search: string,
): Promise<Item[] | PaginatedItems> {
  const { filters, arrangement, embed } = queryOf(search);
  const related = embed.length === 0 ? {} : { _embed: [...embed] };
  const service = await serviceOver(world);
  if (Object.keys(filters).length === 0)
    return service.find(collection, { ...related, ...arrangement }) as Item[] | PaginatedItems;
  const found = service.find(collection, { ...related, ...filters }) as Item[];
  const equal = Object.keys(filters).filter(
    (key) => filters[key] !== "" && !/_(lt|lte|gt|gte|ne)$/.test(key),
  );
  // The service lets a record through whose field is null or absent: no value is equal to nothing.
  const sound = found.filter((item) => equal.every((key) => valueAt(item, key) != null));
  const rest = await serviceOver(world, { [collection]: sound });
  return rest.find(collection, arrangement) as Item[] | PaginatedItems;
}

/** One record with what the query embeds in it; undefined when there is none. Looks at no other of its collection. */
export async function findRecord(
  world: World,
  collection: CollectionName,
  id: string,
  search: string,
): Promise<object | undefined> {
  const record = world.get(collection, id);
  const { embed } = queryOf(search);
  if (record === undefined || embed.length === 0) return record;
  const service = await serviceOver(world, { [collection]: [record] });
  return service.findById(collection, id, { _embed: [...embed] });
}

async function serviceOver(world: World, given?: GivenCollections): Promise<Service> {
  const { Service } = await import("json-server/lib/service.js");
  return new Service(openDatabase(world, given) as unknown as Low<Data>);
}

function queryOf(search: string): Query {
  const filters: Record<string, string> = Object.create(null);
  const arrangement: Record<string, string | number> = {};
  const embed: string[] = [];
  for (const [key, value] of new URLSearchParams(search)) {
    if (key === "_embed") embed.push(value);
    else if (key in filters || key in arrangement)
      throw unusable([problemAt([key], "stands in the query twice")]);
    else if (ARRANGING.has(key)) arrangement[key] = NUMBERS.has(key) ? Number.parseInt(value, 10) : value;
    else filters[key] = value;
  }
  return { filters, arrangement, embed };
}

function valueAt(item: unknown, key: string): unknown {
  let value = item;
  for (const segment of parsePath(key)) value = Object(value)[segment];
  return value;
}
