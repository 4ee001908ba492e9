import { Random } from "../../kernel/random.js";
import type { BehaviourValues } from "../behaviour/table.js";
import type { IndexedRecord, IndexName } from "../world/indexes.js";
import { INDEXES } from "../world/indexes.js";
import type { CollectionName, Records } from "../world/records.js";
import type { Counters } from "../world/state.js";
import { costOfRecord } from "../world/state.js";
import type { Change, World, WorldReader } from "../world/world.js";
import type { DomainEvent } from "./events.js";

/** Something that was accepted although the specification does not promise it. */
export interface Note {
  readonly code: string;
  readonly message: string;
  /** The section of the specification that the caller went beyond. */
  readonly section: string;
}

/** What a rule can read: records, the world's time and the current behaviour. */
export interface WorldView extends WorldReader {
  /** The world's time, ms. */
  readonly now: number;
  /** The world's time when its sandbox started, ms. */
  readonly began: number;
  readonly behaviour: BehaviourValues;
}

interface Write {
  readonly collection: CollectionName;
  readonly id: string;
  readonly record: Records[CollectionName] | null;
}

const MAX_ID = 999_999_999_999_999;

/**
 * A rule's unit of work: the only way to write, and a view that includes its own writes. Writes, events and notes of the rule
 * take effect with `commit`; a rule that throws has changed nothing, not even counters.
 */
export class Transaction implements WorldView {
  readonly events: DomainEvent[] = [];
  readonly notes: Note[] = [];
  readonly #world: World;
  readonly #writes: Write[] = [];
  counters: Counters;

  constructor(
    world: World,
    readonly now: number,
    readonly behaviour: BehaviourValues,
    readonly seed: number,
    readonly began = now,
  ) {
    this.#world = world;
    this.counters = world.counters;
  }

  get<C extends CollectionName>(collection: C, id: string): Records[C] | undefined {
    const write = this.#lastWrite(collection, id);
    return write === undefined
      ? this.#world.get(collection, id)
      : ((write.record ?? undefined) as Records[C]);
  }

  count(collection: CollectionName): number {
    let count = this.#world.count(collection);
    for (const [id, record] of this.#pending(collection)) {
      if (record !== null) count += 1;
      if (this.#world.get(collection, id) !== undefined) count -= 1;
    }
    return count;
  }

  all<C extends CollectionName>(collection: C): Iterable<Records[C]> {
    return this.#withWrites(collection, this.#world.all(collection), () => true);
  }

  find<I extends IndexName>(index: I, key: string): Iterable<IndexedRecord<I>> {
    const { collection, keys } = INDEXES[index];
    const keysOf = keys as (record: Records[CollectionName]) => readonly string[];
    const found = this.#withWrites(collection, this.#world.find(index, key), (record) =>
      keysOf(record).includes(key),
    );
    return found as Iterable<IndexedRecord<I>>;
  }

  findOne<I extends IndexName>(index: I, key: string): IndexedRecord<I> | undefined {
    for (const record of this.find(index, key)) return record;
    return undefined;
  }

  put<C extends CollectionName>(collection: C, record: Records[C]): Records[C] {
    this.#writes.push({ collection, id: record.id, record });
    return record;
  }

  remove(collection: CollectionName, id: string): void {
    this.#writes.push({ collection, id, record: null });
  }

  emit(event: DomainEvent): void {
    this.events.push(event);
  }

  note(code: string, message: string, section: string): void {
    this.notes.push({ code, message, section });
  }

  /** The next numeric id in a collection: one more than any id that was ever issued or loaded. */
  nextId(collection: "threads" | "messages"): string {
    let next = this.counters[collection] + 1;
    if (next > MAX_ID) for (next = 1; this.get(collection, String(next)) !== undefined; ) next += 1;
    else this.counters = { ...this.counters, [collection]: next };
    return String(next);
  }

  nextParticipation(): number {
    const participations = this.counters.participations + 1;
    this.counters = { ...this.counters, participations };
    return participations;
  }

  /** An unused id from the sandbox's seed: `prefix` and ten hex digits. */
  drawId(collection: "customers" | "webhooks", prefix: string): string {
    const random = new Random(this.seed);
    random.position = this.counters.random ?? random.position;
    let id = prefix + random.hex(10);
    while (this.get(collection, id) !== undefined) id = prefix + random.hex(10);
    this.counters = { ...this.counters, random: random.position };
    return id;
  }

  get hasWrites(): boolean {
    return this.#writes.length > 0 || this.counters !== this.#world.counters;
  }

  /** By how much `commit` will increase the size of the world, estimated in bytes. */
  get growth(): number {
    const last = new Map(this.#writes.map((write) => [`${write.collection} ${write.id}`, write]));
    let bytes = 0;
    for (const { collection, id, record } of last.values()) {
      const before = this.#world.get(collection, id);
      bytes +=
        (record === null ? 0 : costOfRecord(record)) - (before === undefined ? 0 : costOfRecord(before));
    }
    return bytes;
  }

  commit(): Change[] {
    const changes: Change[] = [];
    // The world increments its counter for each record that it takes.
    this.#world.counters = this.counters;
    for (const { collection, id, record } of this.#writes) {
      const change =
        record === null ? this.#world.remove(collection, id) : this.#world.put(collection, record);
      if (change !== null) changes.push(change);
    }
    return changes;
  }

  #lastWrite(collection: CollectionName, id: string): Write | undefined {
    return this.#writes.findLast((write) => write.collection === collection && write.id === id);
  }

  /** The written records of a collection, by id; null for a deleted one. */
  #pending<C extends CollectionName>(collection: C): Map<string, Records[C] | null> {
    const pending = new Map<string, Records[C] | null>();
    for (const write of this.#writes)
      if (write.collection === collection) pending.set(write.id, write.record as Records[C] | null);
    return pending;
  }

  #withWrites<C extends CollectionName>(
    collection: C,
    records: Iterable<Records[C]>,
    fits: (record: Records[C]) => boolean,
  ): Iterable<Records[C]> {
    const pending = this.#pending(collection);
    return pending.size === 0 ? records : merged(records, pending, fits);
  }
}

/** The records as they will be after `commit`: replaced ones in their place, new ones at the end. */
function* merged<R extends { readonly id: string }>(
  records: Iterable<R>,
  pending: Map<string, R | null>,
  fits: (record: R) => boolean,
): Generator<R> {
  for (const record of records) {
    const written = pending.get(record.id);
    pending.delete(record.id);
    if (written === undefined) yield record;
    else if (written !== null && fits(written)) yield written;
  }
  for (const written of pending.values()) if (written !== null && fits(written)) yield written;
}

/** A rule: reads the world through its transaction, writes and emits into it, returns its result or throws a `Refusal`. */
export type Rule<Input, Result> = (tx: Transaction, input: Input) => Result;
