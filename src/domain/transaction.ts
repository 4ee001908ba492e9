import type { BehaviourValues } from "../behaviour/table.js";
import { Random } from "../kernel/random.js";
import type { CollectionName, Records } from "../world/records.js";
import type { Change, Counters, World } from "../world/world.js";
import type { DomainEvent } from "./events.js";

/** Something that went through although the specification does not promise it. */
export interface Note {
  readonly code: string;
  readonly message: string;
  /** The section of the specification that the caller went beyond. */
  readonly section: string;
}

type Write = {
  readonly collection: CollectionName;
  readonly id: string;
  readonly record: Records[CollectionName] | null;
};

const MAX_ID = 999_999_999_999_999;

/**
 * One rule's view of the world. What it writes, emits and notes is kept here and reaches the world only
 * when the rule has come to its end: a rule that throws has changed nothing, counters included.
 */
export class Transaction {
  readonly events: DomainEvent[] = [];
  readonly notes: Note[] = [];
  readonly #writes: Write[] = [];
  #counters: Counters;

  constructor(
    readonly world: World,
    /** The world's time, ms. */
    readonly now: number,
    readonly behaviour: BehaviourValues,
    readonly seed: number,
  ) {
    this.#counters = world.counters;
  }

  get<C extends CollectionName>(collection: C, id: string): Records[C] | undefined {
    for (let at = this.#writes.length - 1; at >= 0; at -= 1) {
      const write = this.#writes[at] as Write;
      if (write.collection === collection && write.id === id)
        return (write.record ?? undefined) as Records[C] | undefined;
    }
    return this.world.get(collection, id);
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

  /** The next id of digits in a collection: one more than any that was ever given out or loaded. */
  nextId(collection: "threads" | "messages"): string {
    let next = this.#counters[collection] + 1;
    if (next > MAX_ID) for (next = 1; this.get(collection, String(next)) !== undefined; ) next += 1;
    else this.#counters = { ...this.#counters, [collection]: next };
    return String(next);
  }

  nextParticipation(): number {
    const participations = this.#counters.participations + 1;
    this.#counters = { ...this.#counters, participations };
    return participations;
  }

  /** An unused id from the sandbox's seed: `prefix` and ten hex digits. */
  drawId(collection: "customers" | "webhooks", prefix: string): string {
    const random = new Random(this.seed);
    random.place = this.#counters.random ?? random.place;
    let id = prefix + random.hex(10);
    while (this.get(collection, id) !== undefined) id = prefix + random.hex(10);
    this.#counters = { ...this.#counters, random: random.place };
    return id;
  }

  /** Carries the writes into the world and tells which records they replaced. */
  commit(): Change[] {
    const changes: Change[] = [];
    for (const { collection, id, record } of this.#writes) {
      const change = record === null ? this.world.remove(collection, id) : this.world.put(collection, record);
      if (change !== null) changes.push(change);
    }
    if (this.#counters !== this.world.counters) {
      const { participations, random } = this.#counters;
      const { threads, messages } = this.world.counters;
      this.world.counters = {
        participations,
        random,
        threads: Math.max(threads, this.#counters.threads),
        messages: Math.max(messages, this.#counters.messages),
      };
    }
    return changes;
  }
}

/** A rule: reads the world through its turn, writes and emits into it, returns its result or throws a `Refusal`. */
export type Rule<Input, Result> = (tx: Transaction, input: Input) => Result;
