/** A state stored as the difference from another, so that several similar ones need little space. */

import { vectorValues } from "../../kernel/persistent.js";
import type { Chunked } from "../../kernel/realtime.js";
import { INDEXES_OF } from "./indexes.js";
import { COLLECTIONS, type CollectionName, type Records } from "./records.js";
import { type Counters, collectionOf, costOfRecord, indexOf, type WorldState } from "./state.js";
import { World } from "./world.js";

/** The difference of a collection. */
interface CollectionDelta {
  /** If the ids equal those of the first records of the base, in order: how many. */
  readonly count?: number;
  /** Otherwise: all ids, in order. */
  readonly ids?: readonly string[];
  /** The records that differ from the base. */
  readonly records: readonly object[];
}

/** The difference between two states; an omitted collection is the same. */
type StateDelta = { readonly [C in CollectionName]?: CollectionDelta } & {
  readonly counters: Counters;
};

type AnyRecord = Records[CollectionName];

export function* deltaChunked(state: WorldState, base: WorldState): Chunked<StateDelta> {
  const delta: { [C in CollectionName]?: CollectionDelta } = {};
  const there = new World(base);
  for (const name of COLLECTIONS) {
    const { records } = state.collections[name];
    if (records === base.collections[name].records) continue;
    const others = there.all(name);
    const changed: AnyRecord[] = [];
    const ids: string[] = [];
    let isPrefix = true;
    for (const record of vectorValues(records)) {
      ids.push(record.id);
      isPrefix &&= others.next().value?.id === record.id;
      if (there.get(name, record.id) !== record) changed.push(record);
      yield;
    }
    if (isPrefix && changed.length === 0 && ids.length === there.count(name)) continue;
    delta[name] = isPrefix ? { count: ids.length, records: changed } : { ids, records: changed };
  }
  return { ...delta, counters: state.counters };
}

/** The state that `delta` describes; it shares unchanged parts with `base`. @throws RangeError if the delta is for another base */
export function* stateFromDelta(
  base: WorldState,
  { counters, ...delta }: StateDelta,
): Chunked<{ readonly state: WorldState; readonly ownBytes: number }> {
  const there = new World(base);
  const [collections, indexes] = [{ ...base.collections }, { ...base.indexes }];
  let [bytes, ownBytes] = [base.bytes, 0];
  for (const name of COLLECTIONS) {
    const changes = delta[name];
    if (changes === undefined) continue;
    // The records of a delta were validated when they were created.
    const own = new Map((changes.records as readonly AnyRecord[]).map((record) => [record.id, record]));
    const records: AnyRecord[] = [];
    for (const id of changes.ids ?? firstIds(there, name, changes.count)) {
      const record = own.get(id) ?? there.get(name, id);
      if (record === undefined) throw new RangeError(`${name}: there is no record "${id}"`);
      records.push(record);
      bytes += costOfRecord(record);
      yield;
    }
    for (const record of there.all(name)) bytes -= costOfRecord(record);
    for (const record of own.values()) ownBytes += costOfRecord(record);
    collections[name] = collectionOf({}, records);
    for (const index of INDEXES_OF[name]) indexes[index] = indexOf({}, index, records);
  }
  return { state: { collections, indexes, counters, bytes }, ownBytes };
}

function firstIds(world: World, name: CollectionName, count = 0): string[] {
  const ids = Array.from(world.all(name), ({ id }) => id);
  if (ids.length < count) throw new RangeError(`${name}: ${count - ids.length} records are missing`);
  return ids.slice(0, count);
}
