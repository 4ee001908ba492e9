import { signal } from "@preact/signals";
import type { Message } from "./types";

interface ThreadActivity {
  /** The text of the newest message. */
  readonly text: string;
  /** Higher for threads in which something happened later. */
  readonly order: number;
  readonly unread: number;
  /** When it was sent, ms of the sandbox's time; null where nothing was. */
  readonly at: number | null;
  /** Whether the customer wrote last, of what both sides see. */
  readonly isDue: boolean;
}

const NONE: ThreadActivity = { text: "", order: 0, unread: 0, at: null, isDue: false };

/** The newest message of each thread since the page was opened, and how many are unread. */
export class Activity {
  readonly #threads = signal<ReadonlyMap<string, ThreadActivity>>(new Map());
  #order = 0;

  /** Adds new messages; those of open threads count as read. */
  add(messages: readonly Message[], isOpen: (threadId: string) => boolean): void {
    if (messages.length === 0) return;
    const threads = new Map(this.#threads.peek());
    for (const { threadId, text, timestamp: at, fromCustomer, invisible } of messages) {
      this.#order += 1;
      const unread = isOpen(threadId) ? 0 : (threads.get(threadId)?.unread ?? 0) + 1;
      const isDue = invisible ? threads.get(threadId)?.isDue === true : fromCustomer;
      threads.set(threadId, { text, order: this.#order, unread, at, isDue });
    }
    this.#threads.value = threads;
  }

  markRead(threadId: string): void {
    const activity = this.#threads.peek().get(threadId);
    if (activity !== undefined)
      this.#threads.value = new Map(this.#threads.peek()).set(threadId, { ...activity, unread: 0 });
  }

  /** The activity in a thread; `order` is 0 where there was none. */
  in(threadId: string): ThreadActivity {
    return this.#threads.value.get(threadId) ?? NONE;
  }

  /** The unread messages of all threads. */
  get unread(): number {
    return [...this.#threads.value.values()].reduce((sum, { unread }) => sum + unread, 0);
  }

  clear(): void {
    this.#threads.value = new Map();
  }
}
