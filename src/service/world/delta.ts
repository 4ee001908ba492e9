/** A state written as what differs from another one, so that several of a kind need little room. */
import type { Chunked } from "../../kernel/chunked.js";
import { vectorValues } from "../../kernel/persistent.js";
import type { FixtureDocument } from "./fixture.js";
import type { IndexName } from "./indexes.js";
import { INDEXES, INDEXES_OF } from "./indexes.js";
import type { CollectionName, Records } from "./records.js";
import { COLLECTIONS } from "./records.js";
import type { Counters, WorldState } from "./state.js";
import { costOfRecord, indexOf, stateInSteps } from "./state.js";
import { World } from "./world.js";

/** What of a collection differs from the same one of another state. */
interface CollectionDelta {
  /** How many of the other's records, from the first on, have the ids of all that are here, in their order. */
  readonly count?: number;
  /** The ids of all that are here, in their order, where that is not so. */
  readonly ids?: readonly string[];
  /** The records that are not as they are there. */
  readonly records: readonly object[];
}

/** What of a state differs from another; a collection that is left out is the same. */
export type StateDelta = { readonly [C in CollectionName]?: CollectionDelta } & {
  readonly counters: Counters;
};

type AnyRecord = Records[CollectionName];

/** What of `state` differs from `base`. */
export function* deltaInSteps(state: WorldState, base: WorldState): Chunked<StateDelta> {
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

/** A state, and what of it costs memory beside the base: the records that the base does not have. */
interface DerivedState {
  readonly state: WorldState;
  readonly ownBytes: number;
}

/** The state that `delta` describes; it shares with `base` whatever is the same. @throws RangeError for a delta of another base */
export function* stateFromDelta(base: WorldState, { counters, ...delta }: StateDelta): Chunked<DerivedState> {
  const world = new World(base);
  const reordered = new Set<IndexName>();
  const names = COLLECTIONS.filter((name) => delta[name] !== undefined);
  if (names.some((name) => delta[name]?.ids !== undefined))
    return yield* rebuilt(world, { counters, ...delta });
  for (const name of names) {
    const { count = 0, records } = delta[name] as CollectionDelta;
    const ids = [...idsOf(world, name)];
    if (ids.length < count) throw missing(name, count - ids.length);
    for (const id of ids.slice(count)) {
      world.remove(name, id);
      yield;
    }
    // What a delta holds was checked as records are.
    for (const record of records as readonly AnyRecord[]) {
      const { before } = world.put(name, record);
      for (const index of movedIndexes(name, before, record)) reordered.add(index);
      yield;
    }
  }
  const { indexes, ...state } = world.snapshot();
  const own = { ...indexes };
  for (const index of reordered) own[index] = indexOf({}, index, world.all(INDEXES[index].collection));
  return { state: { ...state, indexes: own, counters }, ownBytes: world.ownBytes };
}

/** The indexes in which a record stands elsewhere than before. */
const movedIndexes = (name: CollectionName, before: AnyRecord | null, after: AnyRecord): IndexName[] =>
  (INDEXES_OF[name] ?? []).filter((index) => {
    const keys = INDEXES[index].keys as (record: AnyRecord) => readonly string[];
    return before === null || keys(before).join("\n") !== keys(after).join("\n");
  });

/** The state that `delta` describes, put together anew: records came or went in the middle. */
function* rebuilt(base: World, { counters, ...delta }: StateDelta): Chunked<DerivedState> {
  const document = {} as Record<CollectionName, readonly AnyRecord[]>;
  let ownBytes = 0;
  for (const name of COLLECTIONS) {
    const changes = delta[name] ?? { count: base.count(name), records: [] };
    const own = new Map<string, AnyRecord>();
    for (const record of changes.records as readonly AnyRecord[]) {
      own.set(record.id, record);
      ownBytes += costOfRecord(record);
    }
    const ids = changes.ids ?? [...idsOf(base, name)].slice(0, changes.count);
    const records: AnyRecord[] = [];
    for (const id of ids) {
      const record = own.get(id) ?? base.get(name, id);
      if (record === undefined) throw new RangeError(`${name}: there is no record "${id}"`);
      records.push(record);
      yield;
    }
    document[name] = records;
  }
  const state = yield* stateInSteps(document as FixtureDocument);
  return { state: { ...state, counters }, ownBytes };
}

function* idsOf(world: World, name: CollectionName): Generator<string> {
  for (const { id } of world.all(name)) yield id;
}

const missing = (name: CollectionName, count: number) =>
  new RangeError(`${name}: ${count} records are missing`);
