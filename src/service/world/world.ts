import { fromKeys } from "../../kernel/objects.js";
import { INDEXES, INDEXES_OF, type IndexedRecord, type IndexName } from "./indexes.js";
import { COLLECTIONS, type CollectionName, type Records } from "./records.js";
import type { Collections, Counters, Indexes, WorldState } from "./state.js";

/** One replaced record: its old and new version, or null if there is none. */
export interface RecordChange<C extends CollectionName = CollectionName> {
  readonly collection: C;
  readonly id: string;
  readonly before: Records[C] | null;
  readonly after: Records[C] | null;
}

export interface RecordReader {
  get<C extends CollectionName>(collection: C, id: string): Records[C] | undefined;
  all<C extends CollectionName>(collection: C): Iterable<Records[C]>;
  count(collection: CollectionName): number;
}

export interface WorldReader extends RecordReader {
  readonly counters: Counters;
  /** The records under an index key, in the order in which they were added to it. */
  find<I extends IndexName>(index: I, key: string): Iterable<IndexedRecord<I>>;
}

/**
 * The state of one sandbox, with constant-time access to records by id and by index. Records are immutable: a change replaces
 * the record. Collections and indexes are copied on write: worlds and snapshots share those that nobody has changed since.
 */
export class World implements WorldReader {
  #collections: Collections;
  #indexes: Indexes;
  /** The maps and sets that only this world has: it copies any other one before it writes to it. */
  #own = new WeakSet<object>();
  counters: Counters;

  constructor(state: WorldState) {
    this.#collections = { ...state.collections };
    this.#indexes = { ...state.indexes };
    this.counters = state.counters;
  }

  get<C extends CollectionName>(collection: C, id: string): Records[C] | undefined {
    return this.#collections[collection].get(id) as Records[C] | undefined;
  }

  count(collection: CollectionName): number {
    return this.#collections[collection].size;
  }

  all<C extends CollectionName>(collection: C): Iterable<Records[C]> {
    return this.#collections[collection].values() as Iterable<Records[C]>;
  }

  *find<I extends IndexName>(index: I, key: string): Generator<IndexedRecord<I>> {
    const { collection } = INDEXES[index];
    for (const id of this.#indexes[index].get(key) ?? []) yield this.get(collection, id) as IndexedRecord<I>;
  }

  /** Replaces the record with the same id, or appends it to its collection. */
  put<C extends CollectionName>(collection: C, record: Records[C]): RecordChange<C> {
    const { id } = record;
    const before = this.get(collection, id) ?? null;
    this.#ownMap(this.#collections, collection).set(id, record);
    this.#reindex(collection, id, before, record);
    this.#countUp(collection, id);
    return { collection, id, before, after: record };
  }

  /** Removes a record; null if there is none. */
  remove<C extends CollectionName>(collection: C, id: string): RecordChange<C> | null {
    const before = this.get(collection, id);
    if (before === undefined) return null;
    this.#ownMap(this.#collections, collection).delete(id);
    this.#reindex(collection, id, before, null);
    return { collection, id, before, after: null };
  }

  /** The current state, in constant time: the next write to a collection copies it. */
  snapshot(): WorldState {
    this.#own = new WeakSet();
    return {
      collections: { ...this.#collections },
      indexes: { ...this.#indexes },
      counters: this.counters,
    };
  }

  /** Replaces the world's state, in constant time. */
  restore(state: WorldState): void {
    this.#collections = { ...state.collections };
    this.#indexes = { ...state.indexes };
    this.counters = state.counters;
  }

  #ownMap<Name extends string, V>(maps: Record<Name, ReadonlyMap<string, V>>, name: Name): Map<string, V> {
    const map = maps[name];
    if (this.#own.has(map)) return map as Map<string, V>;
    const copy = new Map(map);
    this.#own.add(copy);
    maps[name] = copy;
    return copy;
  }

  #reindex(
    collection: CollectionName,
    id: string,
    before: Records[CollectionName] | null,
    after: Records[CollectionName] | null,
  ): void {
    for (const name of INDEXES_OF[collection]) {
      const keys = INDEXES[name].keys as (record: Records[CollectionName]) => readonly string[];
      const left = before === null ? [] : keys(before);
      const entered = after === null ? [] : keys(after);
      for (const key of left) if (!entered.includes(key)) this.#unlist(name, key, id);
      for (const key of entered) if (!left.includes(key)) this.#ownIds(name, key).add(id);
    }
  }

  #ownIds(name: IndexName, key: string): Set<string> {
    const index = this.#ownMap(this.#indexes, name);
    const ids = index.get(key);
    if (ids !== undefined && this.#own.has(ids)) return ids as Set<string>;
    const copy = new Set(ids);
    this.#own.add(copy);
    index.set(key, copy);
    return copy;
  }

  #unlist(name: IndexName, key: string, id: string): void {
    const ids = this.#ownIds(name, key);
    ids.delete(id);
    if (ids.size === 0) this.#ownMap(this.#indexes, name).delete(key);
  }

  #countUp(collection: CollectionName, id: string): void {
    if (collection !== "messages" && collection !== "threads") return;
    const number = Number(id);
    if (number > this.counters[collection]) this.counters = { ...this.counters, [collection]: number };
  }
}

export const collectionsOf = (records: Pick<RecordReader, "all">): Record<CollectionName, object[]> =>
  fromKeys(COLLECTIONS, (name) => [...records.all(name)]);
