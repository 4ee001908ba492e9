import type { Rule } from "../domain/transaction.js";
import { expireWindow } from "../domain/windows.js";
import type { Clock, Timer } from "../kernel/clock.js";
import type { Change, WorldReader } from "../world/world.js";

/** The parts of a run that windows need. */
interface TimedRun {
  readonly world: WorldReader;
  readonly clock: Clock;
  transact<Input>(cause: { readonly id: null }, rule: Rule<Input, void>, input: Input): void;
}

/** Closes messaging windows on the sandbox's clock: one timer for each open window that has an end. */
export class WindowTimers {
  readonly #run: TimedRun;
  readonly #timers = new Map<string, Timer>();

  constructor(run: TimedRun) {
    this.#run = run;
  }

  /** Forgets all timers and sets those of the state as it stands. */
  watchAll(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    for (const thread of this.#run.world.find("threadsByWindowEnd", "any"))
      this.#set(thread.id, thread.windowClosesAt as number);
  }

  /** Keeps the timer of a thread in step with its record. */
  watch({ id, after }: Change<"threads">): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    if (after?.isMessagingWindowOpen && typeof after.windowClosesAt === "number")
      this.#set(id, after.windowClosesAt);
  }

  #set(threadId: string, due: number): void {
    const timer = this.#run.clock.at(due, () => {
      this.#timers.delete(threadId);
      this.#run.transact({ id: null }, expireWindow, { threadId });
    });
    this.#timers.set(threadId, timer);
  }
}
