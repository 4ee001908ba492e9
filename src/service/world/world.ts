import { fromKeys } from "../../kernel/objects.js";
import type { Owner } from "../../kernel/persistent.js";
import {
  emptyVector,
  mapDelete,
  mapGet,
  mapSet,
  vectorAt,
  vectorOf,
  vectorSet,
  vectorValues,
} from "../../kernel/persistent.js";
import type { IndexedRecord, IndexName } from "./indexes.js";
import { INDEXES, INDEXES_OF } from "./indexes.js";
import type { CollectionName, Records } from "./records.js";
import { COLLECTIONS } from "./records.js";
import type { Collections, Counters, Indexes, WorldState } from "./state.js";
import { collectionOf, copyCollections, costOfRecord } from "./state.js";

/** One replaced record: its old and new version, or null if there is none. */
export interface Change<C extends CollectionName = CollectionName> {
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

/** Collections and lists shorter than this are never compacted. */
const MIN_COMPACTED = 64;

/**
 * The state of one sandbox, with constant-time access to records by id and by index.
 * Records are immutable: a change replaces the record. Snapshots and worlds built from them share everything unchanged.
 */
export class World implements WorldReader {
  #owner: Owner = {};
  #collections: Collections;
  #indexes: Indexes;
  #bytes: number;
  /** The size of the records that are not part of the start; nothing but snapshots shares these. */
  ownBytes = 0;
  readonly #start: Readonly<Collections>;
  counters: Counters;

  constructor(state: WorldState) {
    this.#start = state.collections;
    this.#bytes = state.bytes;
    this.#collections = copyCollections(state.collections);
    this.#indexes = { ...state.indexes };
    this.counters = state.counters;
  }

  get<C extends CollectionName>(collection: C, id: string): Records[C] | undefined {
    const { positions, records } = this.#collections[collection];
    const position = mapGet(positions, id);
    return position === undefined ? undefined : (vectorAt(records, position) as Records[C]);
  }

  count(collection: CollectionName): number {
    return this.#collections[collection].positions.size;
  }

  all<C extends CollectionName>(collection: C): Generator<Records[C]> {
    return vectorValues(this.#collections[collection].records) as Generator<Records[C]>;
  }

  *find<I extends IndexName>(index: I, key: string): Generator<IndexedRecord<I>> {
    const ids = mapGet(this.#indexes[index], key);
    if (ids === undefined) return;
    const { collection } = INDEXES[index];
    for (const id of vectorValues(ids)) yield this.get(collection, id) as IndexedRecord<I>;
  }

  /** Replaces the record with the same id, or appends it to its collection. */
  put<C extends CollectionName>(collection: C, record: Records[C]): Change<C> {
    const held = this.#collections[collection];
    const known = mapGet(held.positions, record.id);
    const before = known === undefined ? null : (vectorAt(held.records, known) as Records[C]);
    const position = known ?? held.records.length;
    if (known === undefined) held.positions = mapSet(held.positions, this.#owner, record.id, position);
    held.records = vectorSet(held.records, this.#owner, position, record);
    this.#reindex(collection, record.id, before, record);
    this.#count(collection, before, record);
    this.#countUp(collection, record.id);
    return { collection, id: record.id, before, after: record };
  }

  /** Removes a record; null if there is none. */
  remove<C extends CollectionName>(collection: C, id: string): Change<C> | null {
    const held = this.#collections[collection];
    const position = mapGet(held.positions, id);
    if (position === undefined) return null;
    const before = vectorAt(held.records, position) as Records[C];
    held.positions = mapDelete(held.positions, this.#owner, id);
    held.records = vectorSet(held.records, this.#owner, position, undefined);
    this.#reindex(collection, id, before, null);
    this.#count(collection, before, null);
    if (held.records.length > MIN_COMPACTED && held.positions.size * 4 < held.records.length)
      this.#collections[collection] = collectionOf(this.#owner, [...vectorValues(held.records)]);
    return { collection, id, before, after: null };
  }

  /** An immutable copy of the current state, in constant time. */
  snapshot(): WorldState {
    this.#owner = {};
    return {
      collections: copyCollections(this.#collections),
      indexes: { ...this.#indexes },
      counters: this.counters,
      bytes: this.#bytes,
    };
  }

  /** Replaces the world's state, `ownBytes` of which are not part of the start. Takes constant time. */
  restore(state: WorldState, ownBytes = state.bytes): void {
    this.#owner = {};
    this.#bytes = state.bytes;
    this.ownBytes = ownBytes;
    this.#collections = copyCollections(state.collections);
    this.#indexes = { ...state.indexes };
    this.counters = state.counters;
  }

  #count(
    collection: CollectionName,
    before: Records[CollectionName] | null,
    after: Records[CollectionName] | null,
  ): void {
    const added = after === null ? 0 : costOfRecord(after);
    const gone = before === null ? 0 : costOfRecord(before);
    const { positions, records } = this.#start[collection];
    const position = before === null ? undefined : mapGet(positions, before.id);
    const isShared = position !== undefined && vectorAt(records, position) === before;
    this.#bytes += added - gone;
    this.ownBytes += added - (isShared ? 0 : gone);
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
      for (const key of entered) if (!left.includes(key)) this.#enlist(name, key, id);
    }
  }

  #enlist(name: IndexName, key: string, id: string): void {
    const index = this.#indexes[name];
    const ids = mapGet(index, key);
    const grown = vectorSet(ids ?? emptyVector<string>(this.#owner), this.#owner, ids?.length ?? 0, id);
    if (grown !== ids) this.#indexes[name] = mapSet(index, this.#owner, key, grown);
  }

  /** Leaves a hole, and closes the holes once there are many: removing all records of a long list takes linear time. */
  #unlist(name: IndexName, key: string, id: string): void {
    const index = this.#indexes[name];
    const ids = mapGet(index, key) ?? emptyVector<string>(this.#owner);
    let [position, holes] = [0, 0];
    for (; position < ids.length && vectorAt(ids, position) !== id; position += 1)
      if (vectorAt(ids, position) === undefined) holes += 1;
    let rest = vectorSet(ids, this.#owner, position, undefined);
    if (holes * 2 > position + MIN_COMPACTED) rest = vectorOf(this.#owner, [...vectorValues(rest)]);
    this.#indexes[name] = vectorValues(rest).next().done
      ? mapDelete(index, this.#owner, key)
      : mapSet(index, this.#owner, key, rest);
  }

  #countUp(collection: CollectionName, id: string): void {
    if (collection !== "messages" && collection !== "threads") return;
    const number = Number(id);
    if (number > this.counters[collection]) this.counters = { ...this.counters, [collection]: number };
  }
}

export const collectionsOf = (records: Pick<RecordReader, "all">): Record<CollectionName, Iterable<object>> =>
  fromKeys(COLLECTIONS, (name) => records.all(name));
