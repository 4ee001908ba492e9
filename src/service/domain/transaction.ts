import { Random } from "../../kernel/random.js";
import type { BehaviourValues } from "../behaviour/table.js";
import type { IndexedRecord, IndexName } from "../world/indexes.js";
import type { CollectionName, Records } from "../world/records.js";
import type { Counters } from "../world/state.js";
import type { RecordChange, World, WorldReader } from "../world/world.js";
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

interface RecordWrite {
  readonly collection: CollectionName;
  readonly id: string;
  readonly record: Records[CollectionName] | null;
}

const MAX_ID = 999_999_999_999_999;

/**
 * A rule's unit of work, and the only way to write. Writes, events and notes of the rule take effect with `commit`; a rule that
 * throws has changed nothing, not even counters. Until then, `get` sees the rule's own writes; lists and counts do not.
 */
export class Transaction implements WorldView {
  readonly events: DomainEvent[] = [];
  readonly notes: Note[] = [];
  readonly #world: World;
  readonly #writes: RecordWrite[] = [];
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
    for (let at = this.#writes.length - 1; at >= 0; at -= 1) {
      const write = this.#writes[at] as RecordWrite;
      if (write.collection === collection && write.id === id)
        return (write.record ?? undefined) as Records[C];
    }
    return this.#world.get(collection, id);
  }

  count(collection: CollectionName): number {
    return this.#world.count(collection);
  }

  all<C extends CollectionName>(collection: C): Iterable<Records[C]> {
    return this.#world.all(collection);
  }

  find<I extends IndexName>(index: I, key: string): Iterable<IndexedRecord<I>> {
    return this.#world.find(index, key);
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

  commit(): RecordChange[] {
    const changes: RecordChange[] = [];
    // The world increments its counter for each record that it takes.
    this.#world.counters = this.counters;
    for (const { collection, id, record } of this.#writes) {
      const change =
        record === null ? this.#world.remove(collection, id) : this.#world.put(collection, record);
      if (change !== null) changes.push(change);
    }
    return changes;
  }
}

/** A rule: reads the world through its transaction, writes and emits into it, returns its result or throws a `Refusal`. */
export type Rule<Input, Result> = (tx: Transaction, input: Input) => Result;
