/** The state of a world at one moment, and how a fixture becomes one. */

import { estimateBytes } from "../../kernel/json.js";
import { fromKeys, getOrInsert, keysOf } from "../../kernel/objects.js";
import { type HashMap, mapOver, type Owner, type Vector, vectorOf } from "../../kernel/persistent.js";
import { atOnce, type Chunked } from "../../kernel/realtime.js";
import { INDEXES, type IndexName, type IndexRule } from "./indexes.js";
import type { FixtureDocument } from "./records.js";
import { COLLECTIONS, type CollectionName, type Records } from "./records.js";
import { positionsOf } from "./rules.js";

interface Collection {
  positions: HashMap<number>;
  /** The records in order of insertion; a deleted one leaves a hole. */
  records: Vector<Records[CollectionName]>;
}

export type Collections = Record<CollectionName, Collection>;
export type Indexes = Record<IndexName, HashMap<Vector<string>>>;

/** The complete state of a world at one moment. It is an immutable value: anyone can read it and build a world from it. */
export interface WorldState {
  readonly collections: Readonly<Collections>;
  readonly indexes: Readonly<Indexes>;
  readonly counters: Readonly<Counters>;
  readonly bytes: number;
}

export interface Counters {
  readonly threads: number;
  readonly messages: number;
  readonly participations: number;
  /** The position in the seeded stream for non-numeric ids; null until the first one is generated. */
  readonly random: number | null;
}

/** The cost of a record beyond itself: its entries in the collection and in indexes. */
const PLACE_BYTES = 192;

export const costOfRecord = (record: object): number => PLACE_BYTES + estimateBytes(record);

export const copyCollections = (collections: Collections): Collections =>
  fromKeys(COLLECTIONS, (name) => ({ ...collections[name] }));

export const stateOf = (document: FixtureDocument): WorldState => atOnce(stateChunked(document));

/** The same in chunks, yielding to the event loop between them. */
export function* stateChunked(document: FixtureDocument): Chunked<WorldState> {
  const owner = {};
  const collections = {} as Collections;
  const largest = { threads: 0, messages: 0 };
  let bytes = 0;
  for (const name of COLLECTIONS) {
    const records: readonly Records[CollectionName][] = document[name];
    for (const record of records) {
      bytes += costOfRecord(record);
      if (name === "threads" || name === "messages")
        largest[name] = Math.max(largest[name], Number(record.id));
    }
    collections[name] = collectionOf(owner, records);
    yield;
  }
  const indexes = {} as Indexes;
  for (const name of keysOf(INDEXES)) {
    indexes[name] = indexOf(owner, name, document[INDEXES[name].collection]);
    yield;
  }
  return { collections, indexes, counters: { ...largest, participations: 0, random: null }, bytes };
}

export const collectionOf = (owner: Owner, records: readonly Records[CollectionName][]): Collection => ({
  positions: mapOver(owner, positionsOf(records)),
  records: vectorOf(owner, records),
});

function indexOf(
  owner: Owner,
  name: IndexName,
  records: Iterable<Records[CollectionName]>,
): HashMap<Vector<string>> {
  const { keys } = INDEXES[name] as IndexRule<CollectionName>;
  const lists = new Map<string, string[]>();
  for (const record of records)
    for (const key of new Set(keys(record))) getOrInsert(lists, key, () => []).push(record.id);
  return mapOver(owner, new Map([...lists].map(([key, list]) => [key, vectorOf(owner, list)])));
}
