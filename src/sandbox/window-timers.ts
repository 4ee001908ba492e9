import type { Rule, WorldView } from "../domain/transaction.js";
import { expireWindow, windowEndOf } from "../domain/windows.js";
import type { Clock, Timer } from "../kernel/clock.js";
import type { Thread } from "../world/records.js";

/** The parts of a run that windows need. */
interface TimedRun {
  readonly clock: Clock;
  view(): WorldView;
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
    const view = this.#run.view();
    const { "window.undatedEnd": undated, "window.duration": duration } = view.behaviour;
    const mayEnd = undated === "never" || duration === null;
    for (const thread of mayEnd ? view.find("threadsByWindowEnd", "any") : view.all("threads"))
      this.#set(view, thread);
  }

  /** Keeps the timer of a thread in step with its record; null where that is gone. */
  watch(id: string, thread: Thread | null): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    if (thread !== null) this.#set(this.#run.view(), thread);
  }

  #set(view: WorldView, thread: Thread): void {
    const { id } = thread;
    const due = thread.isMessagingWindowOpen ? windowEndOf(view, thread) : undefined;
    if (due === undefined) return;
    const timer = this.#run.clock.at(due, () => {
      this.#timers.delete(id);
      this.#run.transact({ id: null }, expireWindow, { threadId: id });
      // A message that was put into the thread may have moved an end that its record does not name.
      this.watch(id, this.#run.view().get("threads", id) ?? null);
    });
    this.#timers.set(id, timer);
  }
}
