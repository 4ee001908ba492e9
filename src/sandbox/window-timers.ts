import { expireWindow } from "../domain/windows.js";
import type { Timer } from "../kernel/clock.js";
import type { Change } from "../world/world.js";
import type { Sandbox } from "./sandbox.js";

/** Closes messaging windows on the sandbox's clock: one timer for each open window that has an end. */
export class WindowTimers {
  readonly #sandbox: Sandbox;
  readonly #timers = new Map<string, Timer>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** Forgets all timers and sets those of the state as it stands. */
  watchAll(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    for (const thread of this.#sandbox.world.find("threadsByWindowEnd", "any"))
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
    const timer = this.#sandbox.clock.at(due, () => {
      this.#timers.delete(threadId);
      this.#sandbox.run({ id: null }, expireWindow, { threadId });
    });
    this.#timers.set(threadId, timer);
  }
}
