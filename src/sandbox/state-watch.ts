import { contain } from "../kernel/contain.js";
import { costOf } from "../kernel/cost.js";
import { differences } from "../kernel/matching.js";
import type { Sliced } from "../kernel/slices.js";
import { inSlices } from "../kernel/slices.js";
import type { CollectionName, Records } from "../world/records.js";
import type { Change } from "../world/world.js";
import type { NearMiss } from "./misses.js";
import { nearestOf } from "./misses.js";
import type { ShownRecords } from "./shown-records.js";
import { Wait } from "./wait.js";
import type { WaitedOn } from "./waited.js";

/** A record of the state: one with an id, or any of its collection. */
export interface StateMatch {
  readonly collection: CollectionName;
  readonly id?: string | undefined;
  /** MATCH */
  readonly values: object;
}
type StateRecord = Records[CollectionName];

/** What an open wait costs beside its match. */
const WAIT_BYTES = 1024;

/** One wait for a state. */
class StateWait extends Wait<never> {
  #records: readonly StateRecord[] = [];
  #scans = 0;

  constructor(
    readonly match: StateMatch,
    timeoutMs: number,
    onEnd: () => void,
  ) {
    super(Number.POSITIVE_INFINITY, timeoutMs, { ended: onEnd });
  }

  /** The records that it ended with. */
  get records(): readonly StateRecord[] {
    return this.#records;
  }

  /** Ends the wait if there are any. */
  hold(records: readonly StateRecord[]): void {
    if (!this.open || records.length === 0) return;
    this.#records = records;
    this.end("met");
  }

  /** Looks at all records as they are now. A later look takes the place of an earlier one. */
  *scan(all: ShownRecords): Sliced<void> {
    this.#scans += 1;
    const number = this.#scans;
    this.look();
    const found: StateRecord[] = [];
    for (const record of candidates(all, this.match)) {
      if (!this.open || number !== this.#scans) return;
      if (holds(this.match, record)) found.push(record);
      yield;
    }
    this.hold(found);
    this.looked([]);
  }
}

/** The waits for a state of one sandbox. A change costs a comparison for each wait for its collection. */
export class StateWatch {
  readonly #sandbox: WaitedOn;
  readonly #waits = new Set<StateWait>();

  constructor(sandbox: WaitedOn) {
    this.#sandbox = sandbox;
  }

  waits(): Iterable<StateWait> {
    return this.#waits;
  }

  /** @throws Refusal where the memory has no room for it */
  add(match: StateMatch, timeoutMs: number, onEnd: () => void): StateWait {
    const { memory } = this.#sandbox;
    const bytes = WAIT_BYTES + costOf(match);
    memory.checkRoom(bytes);
    memory.countWorld(bytes);
    const wait = new StateWait(match, timeoutMs, () => {
      memory.countWorld(-bytes);
      this.#waits.delete(wait);
      onEnd();
    });
    this.#waits.add(wait);
    this.#scan(wait);
    return wait;
  }

  /** Looks at records that have changed; an empty list stands for the whole state. */
  look(changes: readonly Change[]): void {
    if (changes.length === 0) for (const wait of this.#waits) this.#scan(wait);
    if (changes.length === 0 || this.#waits.size === 0) return;
    const records = this.#sandbox.run.shown();
    for (const wait of this.#waits) {
      const { collection, id } = wait.match;
      const changed = changes.flatMap((change) =>
        change.collection === collection && (id === undefined || id === change.id) && change.after !== null
          ? [records.show(collection, change.after)]
          : [],
      );
      wait.hold(changed.filter((record) => holds(wait.match, record)));
    }
  }

  #scan(wait: StateWait): void {
    contain(this.#sandbox.report, () => inSlices(wait.scan(this.#sandbox.run.shownSnapshot())));
  }
}

const holds = ({ values }: StateMatch, record: StateRecord): boolean =>
  differences(values, record).length === 0;

function candidates(records: ShownRecords, { collection, id }: StateMatch): Iterable<StateRecord> {
  if (id === undefined) return records.all(collection);
  const record = records.get(collection, id);
  return record === undefined ? [] : [record];
}

/** The records that come nearest to what is asked; found in steps. */
export const nearestRecords = (records: ShownRecords, match: StateMatch): Sliced<NearMiss<StateRecord>[]> =>
  nearestOf(candidates(records, match), (record) => differences(match.values, record));
