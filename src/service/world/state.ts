/** The state of a world at one moment, and how a fixture becomes one. */

import { fromKeys, getOrInsert, keysOf } from "../../kernel/objects.js";
import { INDEXES, type IndexName, type IndexRule } from "./indexes.js";
import type { FixtureDocument } from "./records.js";
import { COLLECTIONS, type CollectionName, type Records } from "./records.js";

/** The records of each collection by id, in order of insertion. */
export type Collections = Record<CollectionName, ReadonlyMap<string, Records[CollectionName]>>;
/** The ids of the records under each key of an index, in the order in which they were added to it. */
export type Indexes = Record<IndexName, ReadonlyMap<string, ReadonlySet<string>>>;

/** The complete state of a world at one moment. It is an immutable value: anyone can read it and build a world from it. */
export interface WorldState {
  readonly collections: Readonly<Collections>;
  readonly indexes: Readonly<Indexes>;
  readonly counters: Readonly<Counters>;
}

export interface Counters {
  readonly threads: number;
  readonly messages: number;
  readonly participations: number;
  /** The position in the seeded stream for non-numeric ids; null until the first one is generated. */
  readonly random: number | null;
}

export function stateOf(document: FixtureDocument): WorldState {
  const largestId = (name: "threads" | "messages") =>
    document[name].reduce((largest, { id }) => Math.max(largest, Number(id)), 0);
  return {
    collections: fromKeys(COLLECTIONS, (name) => byId(document[name])),
    indexes: fromKeys(keysOf(INDEXES), (name) => indexOf(name, document[INDEXES[name].collection])),
    counters: {
      threads: largestId("threads"),
      messages: largestId("messages"),
      participations: 0,
      random: null,
    },
  };
}

const byId = (records: readonly Records[CollectionName][]): Collections[CollectionName] =>
  new Map(records.map((record) => [record.id, record]));

function indexOf(
  name: IndexName,
  records: readonly Records[CollectionName][],
): ReadonlyMap<string, ReadonlySet<string>> {
  const { keys } = INDEXES[name] as IndexRule<CollectionName>;
  const lists = new Map<string, Set<string>>();
  for (const record of records)
    for (const key of keys(record)) getOrInsert(lists, key, () => new Set()).add(record.id);
  return lists;
}
