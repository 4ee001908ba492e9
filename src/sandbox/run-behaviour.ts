import { Behaviour } from "../behaviour/behaviour.js";
import type { ReadCounts } from "../behaviour/counted-values.js";
import type { BehaviourValues } from "../behaviour/table.js";
import type { ChangeLog, KeptParts } from "./durable.js";
import { DurableMap } from "./durable.js";
import type { JournalEntry } from "./journal.js";
import type { MemoryLease } from "./memory.js";

interface RunBehaviourContext {
  /** Counts who consults the values. */
  readonly reads: ReadCounts;
  readonly memory: MemoryLease;
  readonly log: ChangeLog;
  /** What another process had. */
  readonly kept: KeptParts | undefined;
}

/** The behaviour of a run: that of its start, and what was changed since, which outlasts the process. */
export class RunBehaviour extends Behaviour {
  /** The values that were changed since the start. */
  readonly patches: DurableMap<unknown>;
  readonly #log: ChangeLog;
  readonly #memory: MemoryLease;

  constructor(start: Partial<BehaviourValues>, { reads, memory, log, kept }: RunBehaviourContext) {
    const patches = new DurableMap<unknown>(log, "behaviour", kept);
    super({ ...start, ...Object.fromEntries(patches.entries()) }, reads);
    this.patches = patches;
    this.#log = log;
    this.#memory = memory;
    if (patches.size > 0) this.#count({});
  }

  /** What decides about a call: consulted by the system under test, but not by a scenario's own calls. */
  valuesFor({ by }: Pick<JournalEntry, "by">): BehaviourValues {
    return by === "client" ? this.counted : this.values;
  }

  /** @throws Refusal where the memory has no room for the change, or it cannot be kept */
  override patch(values: Partial<BehaviourValues>): void {
    this.#log.check();
    this.#count(values);
    for (const [key, value] of Object.entries(values)) this.patches.set(key, value);
    super.patch(values);
  }

  #count(values: Partial<BehaviourValues>): void {
    this.#memory.set("behaviour", { ...Object.fromEntries(this.patches.entries()), ...values });
  }
}
