import type { Chunked } from "../../kernel/chunked.js";
import type { ShownRecords } from "../../sandbox/threads.js";
import { indexOn } from "../../world/indexes.js";
import type { Query } from "./query.js";
import type { Relation } from "./relations.js";

/**
 * A function that makes copies of records with what is related to them, which costs the same however many there are.
 * Lists are iterables, to be read once.
 */
export function* embedder(records: ShownRecords, embed: Query["embed"]): Chunked<(record: object) => object> {
  const finders: [string, (record: object) => unknown][] = [];
  for (const [name, relation] of Object.entries(embed))
    finders.push([name, yield* finderOf(records, relation)]);
  if (finders.length === 0) return (record) => record;
  return (record) => ({
    ...record,
    ...Object.fromEntries(finders.map(([name, related]) => [name, related(record)])),
  });
}

/** Finds what is related to a record: by its id, by an index, or in lists that one pass over the collection makes. */
function* finderOf(
  records: ShownRecords,
  { collection, key, many }: Relation,
): Chunked<(record: object) => unknown> {
  const idIn = (record: object, field: string) => String(Reflect.get(record, field));
  if (!many) return (record) => records.get(collection, idIn(record, key));
  const index = indexOn(collection, key);
  if (index !== undefined) return (record) => records.find(index, idIn(record, "id"));
  const lists = new Map<string, object[]>();
  for (const other of records.all(collection)) {
    const list = lists.get(idIn(other, key));
    if (list === undefined) lists.set(idIn(other, key), [other]);
    else list.push(other);
    yield;
  }
  return (record) => lists.get(idIn(record, "id")) ?? [];
}
