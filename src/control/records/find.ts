/** Answers queries over the records of a world, in chunks, so that a large world blocks nobody. */
import { paginate } from "json-server/lib/paginate.js";
import { Parts } from "../../kernel/http/answer.js";
import { valueAt } from "../../kernel/json.js";
import { getOrInsert, mapped } from "../../kernel/objects.js";
import type { Chunked } from "../../kernel/realtime.js";
import { chunked } from "../../kernel/realtime.js";
import type { ShownRecords } from "../../sandbox/threads.js";
import { indexOn } from "../../service/world/indexes.js";
import type { CollectionName } from "../../service/world/records.js";
import type { Query, Relation, SortField } from "./query.js";
import { holds, readQuery } from "./query.js";

/** A function that copies a record together with related ones, at constant cost per record. */
function* embedder(records: ShownRecords, embed: Query["embed"]): Chunked<(record: object) => object> {
  const finders: [string, (record: object) => unknown][] = [];
  for (const [name, relation] of Object.entries(embed))
    finders.push([name, yield* finderOf(records, relation)]);
  return (record) => ({
    ...record,
    ...Object.fromEntries(finders.map(([name, related]) => [name, related(record)])),
  });
}

/** Finds records related to a record: by id, by an index, or in lists built in one pass over the collection. */
function* finderOf(
  records: ShownRecords,
  { collection, key, many }: Relation,
): Chunked<(record: object) => unknown> {
  const idIn = (record: object, field: string) => String(Reflect.get(record, field));
  if (!many) return (record) => records.get(collection, idIn(record, key));
  const index = indexOn(collection, key);
  if (index !== undefined) return (record) => [...records.find(index, idIn(record, "id"))];
  const lists = new Map<string, object[]>();
  for (const other of records.all(collection)) {
    getOrInsert(lists, idIn(other, key), () => []).push(other);
    yield;
  }
  return (record) => lists.get(idIn(record, "id")) ?? [];
}

/**
 * The records of a collection that match a query, or one page of them, as a value for `streamJson`. `records` must not change
 * meanwhile. @throws ControlError for an invalid query; the reason of `signal`
 */
export const findRecords = (
  records: ShownRecords,
  collection: CollectionName,
  search: string,
  signal: AbortSignal,
): Promise<object> => chunked(find(records, collection, readQuery(collection, search)), signal);

function* find(records: ShownRecords, collection: CollectionName, query: Query): Chunked<object> {
  const { where, sort, number } = query;
  const embed = yield* embedder(records, query.embed);
  const isEarly = asksForEmbedded(query);
  const found: object[] = [];
  for (const record of candidates(records, collection, query)) {
    const whole = isEarly ? embed(record) : record;
    if (holds(whole, where)) found.push(whole);
    yield;
  }
  const sorted = sort.length === 0 ? found : yield* sortedBy(comparison(sort), found);
  const hasParts = Object.keys(query.embed).length > 0;
  const finished = (record: object) => (hasParts ? new Parts(isEarly ? record : embed(record)) : record);
  const page = number("_page");
  if (page !== undefined) {
    const part = paginate(sorted, page, number("_per_page") ?? 10);
    return { ...part, data: part.data.map(finished) };
  }
  const start = number("_start") ?? 0;
  const limit = number("_limit");
  const end = number("_end") ?? (limit === undefined ? undefined : start + limit);
  return mapped(sorted.slice(start, end), finished);
}

/** One record with what the query embeds, as a value for `streamJson`; undefined if there is none. */
export async function findRecord(
  records: ShownRecords,
  collection: CollectionName,
  id: string,
  search: string,
  signal: AbortSignal,
): Promise<object | undefined> {
  const { embed } = readQuery(collection, search);
  const record = records.get(collection, id);
  return record && (await chunked(embedder(records, embed), signal))(record);
}

/** The candidates: all records, or those that an index finds for a value in the query. */
function candidates(records: ShownRecords, collection: CollectionName, { where }: Query): Iterable<object> {
  for (const { path, operator, operand } of where.all) {
    const [field, ...rest] = path;
    if (operator !== "eq" || typeof operand !== "string" || rest.length > 0) continue;
    if (field === "id") {
      const record = records.get(collection, operand);
      return record === undefined ? [] : [record];
    }
    const index = indexOn(collection, String(field));
    if (index !== undefined) return records.find(index, operand);
  }
  return records.all(collection);
}

function asksForEmbedded({ where, sort, embed }: Query): boolean {
  const isEmbedded = (name: unknown) => Object.hasOwn(embed, String(name));
  const asks = ({ all, either }: Query["where"]): boolean =>
    all.some(({ path }) => isEmbedded(path[0])) || either.some((ones) => ones.some(asks));
  return asks(where) || sort.some(({ path }) => isEmbedded(path[0]));
}

const SORTED_AT_ONCE = 1024;

/** A sorted copy of a list; the sort is stable. */
export function* sortedBy<T>(compare: (a: T, b: T) => number, items: readonly T[]): Chunked<T[]> {
  if (items.length <= SORTED_AT_ONCE) return [...items].sort(compare);
  const middle = items.length >>> 1;
  const left = yield* sortedBy(compare, items.slice(0, middle));
  const right = yield* sortedBy(compare, items.slice(middle));
  const merged: T[] = [];
  for (let [l, r] = [0, 0]; merged.length < items.length; ) {
    const takesLeft = r === right.length || (l < left.length && compare(left[l] as T, right[r] as T) <= 0);
    merged.push((takesLeft ? left[l++] : right[r++]) as T);
    if (merged.length % SORTED_AT_ONCE === 0) yield;
  }
  return merged;
}

/** Compares records as json-server does: missing values, false and empty texts come last, texts in natural order. */
function comparison(sort: readonly SortField[]): (a: object, b: object) => number {
  const { compare } = new Intl.Collator();
  return (a, b) => {
    for (const { path, descending } of sort) {
      const order = compareValues(valueAt(a, path), valueAt(b, path), compare);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  };
}

function compareValues(a: unknown, b: unknown, compareTexts: (a: string, b: string) => number): number {
  if (a === b) return 0;
  if (isNothing(b)) return isNothing(a) ? 0 : -1;
  if (isNothing(a)) return 1;
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  return Number(a) - Number(b) || 0;
}

const isNothing = (value: unknown): boolean => value !== 0 && !value;
