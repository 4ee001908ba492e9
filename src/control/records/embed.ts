import { eachInSlices } from "../../kernel/slices.js";
import type { ShownRecords } from "../../sandbox/shown-records.js";
import { indexOn } from "../../world/indexes.js";
import type { Query } from "./query.js";
import type { Relation } from "./relations.js";

/**
 * A function that makes copies of records with what is related to them, which costs the same however many there are.
 * Lists are iterables, to be read once.
 */
export async function embedder(
  records: ShownRecords,
  embed: Query["embed"],
  signal: AbortSignal,
): Promise<(record: object) => object> {
  const finders = await Promise.all(
    Object.entries(embed).map(
      async ([name, relation]) => [name, await makeFinder(records, relation, signal)] as const,
    ),
  );
  if (finders.length === 0) return (record) => record;
  return (record) => ({
    ...record,
    ...Object.fromEntries(finders.map(([name, related]) => [name, related(record)])),
  });
}

/** Finds what is related to a record: by its id, by an index, or in lists that one pass over the collection makes. */
async function makeFinder(
  records: ShownRecords,
  { collection, key, many }: Relation,
  signal: AbortSignal,
): Promise<(record: object) => unknown> {
  const idIn = (record: object, field: string) => String(Reflect.get(record, field));
  if (!many) return (record) => records.get(collection, idIn(record, key));
  const index = indexOn(collection, key);
  if (index !== undefined) return (record) => records.find(index, idIn(record, "id"));
  const lists = new Map<string, object[]>();
  const enter = (other: object) => {
    const list = lists.get(idIn(other, key));
    if (list === undefined) lists.set(idIn(other, key), [other]);
    else list.push(other);
  };
  await eachInSlices(records.all(collection), enter, signal);
  return (record) => lists.get(idIn(record, "id")) ?? [];
}
