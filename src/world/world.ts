import { costOf } from "../kernel/cost.js";
import type { HashMap, Owner, Vector } from "../kernel/persistent.js";
import {
  emptyMap,
  emptyVector,
  mapDelete,
  mapGet,
  mapSet,
  vectorAt,
  vectorSet,
  vectorValues,
} from "../kernel/persistent.js";
import type { Sliced } from "../kernel/slices.js";
import { atOnce } from "../kernel/slices.js";
import type { IndexedRecord, IndexName } from "./indexes.js";
import { INDEXES, INDEXES_OF } from "./indexes.js";
import type { CollectionName, FixtureDocument, Records } from "./records.js";
import { COLLECTIONS } from "./records.js";

interface Collection {
  /** Where each record stands in `records`. */
  positions: HashMap<number>;
  /** The records in the order in which they came; a deleted one leaves a hole. */
  records: Vector<Records[CollectionName]>;
}

type Collections = Record<CollectionName, Collection>;
type Indexes = Record<IndexName, HashMap<Vector<string>>>;

/** Everything that a world holds at one moment. A value: whoever has it can read it and build a world from it, nobody changes it. */
export interface WorldState {
  readonly collections: Readonly<Collections>;
  readonly indexes: Readonly<Indexes>;
  readonly counters: Readonly<Counters>;
  /** What its records cost, estimated in bytes. */
  readonly bytes: number;
}

/** Where the world's sources of ids stand. */
export interface Counters {
  readonly threads: number;
  readonly messages: number;
  readonly participations: number;
  /** The place in the seeded stream that ids without digits come from; null until the first is drawn. */
  readonly random: number | null;
}

/** One replaced record: the old version, the new one, or null where there is none. */
export interface Change<C extends CollectionName = CollectionName> {
  readonly collection: C;
  readonly id: string;
  readonly before: Records[C] | null;
  readonly after: Records[C] | null;
}

/** Records by id and by collection, for reading only. */
export interface RecordReader {
  get<C extends CollectionName>(collection: C, id: string): Records[C] | undefined;
  /** The records of a collection, oldest first. */
  all<C extends CollectionName>(collection: C): Iterable<Records[C]>;
  count(collection: CollectionName): number;
}

/** A world for reading only. */
export interface WorldReader extends RecordReader {
  readonly counters: Counters;
  /** The records under a key of an index, in the order in which they came under it. */
  find<I extends IndexName>(index: I, key: string): Iterable<IndexedRecord<I>>;
  /** The first record under a key of an index. */
  findOne<I extends IndexName>(index: I, key: string): IndexedRecord<I> | undefined;
}

/** A collection or list of fewer places than this is never moved together. */
const MIN_COMPACTED = 64;
/** What a record costs beside itself: its places in the collection and in indexes. */
const PLACE_BYTES = 192;
const INDEX_NAMES = Object.keys(INDEXES) as IndexName[];
const NO_INDEXES: readonly IndexName[] = [];

/** What a record costs, estimated in bytes. */
export const costOfRecord = (record: object): number => PLACE_BYTES + costOf(record);

/**
 * The state of one sandbox: records by id and by index, in constant time whatever their number.
 * Records are immutable: a change replaces the record. Snapshots and worlds made from them share all that nobody changed.
 */
export class World implements WorldReader {
  #owner: Owner = {};
  #collections: Collections;
  #indexes: Indexes;
  #bytes: number;
  #ownBytes = 0;
  readonly #start: Readonly<Collections>;
  counters: Counters;

  constructor(state: WorldState) {
    this.#start = state.collections;
    this.#bytes = state.bytes;
    this.#collections = copiesOf(state.collections);
    this.#indexes = { ...state.indexes };
    this.counters = state.counters;
  }

  /** What the records cost that are not the start's: those that it shares with nobody, unless a snapshot has them too. */
  get ownBytes(): number {
    return this.#ownBytes;
  }

  get<C extends CollectionName>(collection: C, id: string): Records[C] | undefined {
    const { positions, records } = this.#collections[collection];
    const position = mapGet(positions, id);
    return position === undefined ? undefined : (vectorAt(records, position) as Records[C]);
  }

  count(collection: CollectionName): number {
    return this.#collections[collection].positions.size;
  }

  /** The records of a collection, oldest first. */
  all<C extends CollectionName>(collection: C): Generator<Records[C]> {
    return vectorValues(this.#collections[collection].records) as Generator<Records[C]>;
  }

  /** The records under a key of an index, in the order in which they came under it. */
  *find<I extends IndexName>(index: I, key: string): Generator<IndexedRecord<I>> {
    const ids = mapGet(this.#indexes[index], key);
    if (ids === undefined) return;
    const { collection } = INDEXES[index];
    for (const id of vectorValues(ids)) yield this.get(collection, id) as IndexedRecord<I>;
  }

  /** The first record under a key of an index. */
  findOne<I extends IndexName>(index: I, key: string): IndexedRecord<I> | undefined {
    const ids = mapGet(this.#indexes[index], key);
    if (ids === undefined) return undefined;
    for (const id of vectorValues(ids)) return this.get(INDEXES[index].collection, id) as IndexedRecord<I>;
    return undefined;
  }

  /** Puts a record in place of the one with its id, or at the end of its collection. */
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

  /** Takes a record out; null when there is none. */
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
      this.#close(held);
    return { collection, id, before, after: null };
  }

  /** The state as it stands, for good. Costs the same at any size. */
  snapshot(): WorldState {
    this.#owner = {};
    return {
      collections: copiesOf(this.#collections),
      indexes: { ...this.#indexes },
      counters: this.counters,
      bytes: this.#bytes,
    };
  }

  /** Puts a state in place of the world's own, `ownBytes` of it not the start's. Costs the same at any size. */
  restore(state: WorldState, ownBytes = state.bytes): void {
    this.#owner = {};
    this.#bytes = state.bytes;
    this.#ownBytes = ownBytes;
    this.#collections = copiesOf(state.collections);
    this.#indexes = { ...state.indexes };
    this.counters = state.counters;
  }

  /** Moves the records of a collection together once most of its places are holes. */
  #close(held: Collection): void {
    const records = [...vectorValues(held.records)];
    held.positions = emptyMap(this.#owner);
    held.records = emptyVector(this.#owner);
    for (const [position, record] of records.entries()) {
      held.positions = mapSet(held.positions, this.#owner, record.id, position);
      held.records = vectorSet(held.records, this.#owner, position, record);
    }
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
    this.#ownBytes += added - (isShared ? 0 : gone);
  }

  #reindex(
    collection: CollectionName,
    id: string,
    before: Records[CollectionName] | null,
    after: Records[CollectionName] | null,
  ): void {
    for (const name of INDEXES_OF[collection] ?? NO_INDEXES) {
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

  #unlist(name: IndexName, key: string, id: string): void {
    const index = this.#indexes[name];
    const ids = mapGet(index, key) ?? emptyVector<string>(this.#owner);
    let position = 0;
    let holes = 0;
    for (
      let other = vectorAt(ids, 0);
      position < ids.length && other !== id;
      other = vectorAt(ids, position)
    ) {
      if (other === undefined) holes += 1;
      position += 1;
    }
    let rest = vectorSet(ids, this.#owner, position, undefined);
    if (holes * 2 > position + MIN_COMPACTED) rest = vectorOf(this.#owner, vectorValues(rest));
    if (vectorValues(rest).next().done) this.#indexes[name] = mapDelete(index, this.#owner, key);
    else if (rest !== ids) this.#indexes[name] = mapSet(index, this.#owner, key, rest);
  }

  #countUp(collection: CollectionName, id: string): void {
    if (collection !== "messages" && collection !== "threads") return;
    const number = Number(id);
    if (number > this.counters[collection]) this.counters = { ...this.counters, [collection]: number };
  }
}

function vectorOf<V>(owner: Owner, values: Iterable<V>): Vector<V> {
  let vector = emptyVector<V>(owner);
  for (const value of values) vector = vectorSet(vector, owner, vector.length, value);
  return vector;
}

const copiesOf = (collections: Collections): Collections => {
  const copies = {} as Collections;
  for (const name of COLLECTIONS) copies[name] = { ...collections[name] };
  return copies;
};

/** The records of every collection, each to be read once. */
export const collectionsOf = (records: Pick<RecordReader, "all">): Record<CollectionName, Iterable<object>> =>
  Object.fromEntries(COLLECTIONS.map((name) => [name, records.all(name)])) as Record<
    CollectionName,
    Iterable<object>
  >;

/** All records as a fixture document (contract section 2). */
export const documentOf = (records: RecordReader): FixtureDocument =>
  Object.fromEntries(COLLECTIONS.map((name) => [name, [...records.all(name)]])) as unknown as FixtureDocument;

/** The state that a loaded fixture describes. */
export const stateOf = (document: FixtureDocument): WorldState => atOnce(stateInSteps(document));

/** The same, in steps: the ids of a loaded fixture are unique, so nothing need be looked up. */
export function* stateInSteps(document: FixtureDocument): Sliced<WorldState> {
  const owner = {};
  const collections = {} as Collections;
  let bytes = 0;
  for (const name of COLLECTIONS) {
    let positions = emptyMap<number>(owner);
    const records: readonly Records[CollectionName][] = document[name];
    let vector = emptyVector<Records[CollectionName]>(owner);
    for (const record of records) {
      positions = mapSet(positions, owner, record.id, vector.length);
      vector = vectorSet(vector, owner, vector.length, record);
      bytes += costOfRecord(record);
      yield;
    }
    collections[name] = { positions, records: vector };
  }
  const indexes = {} as Indexes;
  for (const name of INDEX_NAMES) indexes[name] = yield* indexInSteps(owner, name, document);
  const largest = (ids: readonly { readonly id: string }[]) =>
    ids.reduce((most, { id }) => Math.max(most, Number(id)), 0);
  const counters = {
    threads: largest(document.threads),
    messages: largest(document.messages),
    participations: 0,
    random: null,
  };
  return { collections, indexes, counters, bytes };
}

/** The records of a collection under the keys of an index. */
function* indexInSteps(
  owner: Owner,
  name: IndexName,
  document: FixtureDocument,
): Sliced<HashMap<Vector<string>>> {
  const { collection } = INDEXES[name];
  const keys = INDEXES[name].keys as (record: Records[CollectionName]) => readonly string[];
  const lists = new Map<string, Vector<string>>();
  for (const record of document[collection]) {
    for (const key of new Set(keys(record))) {
      const list = lists.get(key) ?? emptyVector<string>(owner);
      lists.set(key, vectorSet(list, owner, list.length, record.id));
    }
    yield;
  }
  let index = emptyMap<Vector<string>>(owner);
  for (const [key, list] of lists) {
    index = mapSet(index, owner, key, list);
    yield;
  }
  return index;
}
