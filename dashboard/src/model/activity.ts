import { signal } from "@preact/signals";
import { numberOf } from "../../../src/kernel/objects.js";
import type { Message } from "./types";

interface ThreadActivity {
  /** The newest message, as a line: its text, or the name of its file. */
  readonly text: string;
  /** Higher for threads in which something happened later. */
  readonly order: number;
  readonly unread: number;
  /** When it was sent, ms of the sandbox's time; null where nothing was. */
  readonly at: number | null;
  /** The customer's newest message, where nothing that both sides see came after it; else null. */
  readonly due: string | null;
  /** When the page received it, ms of its own clock. */
  readonly heard: number;
}

const NONE: ThreadActivity = { text: "", order: 0, unread: 0, at: null, due: null, heard: 0 };

/** Ids count up: they tell which of two messages is newer where the clock stands. */
const byTime = (one: Message, other: Message): number =>
  one.timestamp - other.timestamp || numberOf(one.id) - numberOf(other.id);

const lineOf = ({ text, attachment }: Message): string => text || (attachment?.name ?? "");

/** The newest message of each thread, and how many came unread since the page was opened. */
export class Activity {
  readonly #threads = signal<ReadonlyMap<string, ThreadActivity>>(new Map());
  #order = 0;

  /**
   * Replaces what is known, which may be gone. For each thread, `messages` has the newest visible message, then the newest.
   * Messages of the fixture need no reply.
   */
  load(messages: readonly Message[], isOfRun: (id: string) => boolean): void {
    const old = this.#threads.peek();
    const threads = new Map<string, ThreadActivity>();
    this.#order = 0;
    for (const message of messages.toSorted(byTime)) {
      const { id, threadId, timestamp: at, fromCustomer, invisible } = message;
      const { unread, at: last } = old.get(threadId) ?? NONE;
      this.#order += 1;
      threads.set(threadId, {
        text: lineOf(message),
        order: this.#order,
        unread: at < (last ?? at) ? 0 : unread,
        at,
        due: invisible ? (threads.get(threadId)?.due ?? null) : fromCustomer && isOfRun(id) ? id : null,
        heard: 0,
      });
    }
    this.#threads.value = threads;
  }

  /** Adds new messages; those of the open thread count as read. */
  add(messages: readonly Message[], open: string | undefined): void {
    if (messages.length === 0) return;
    const threads = new Map(this.#threads.peek());
    for (const message of messages) {
      const { id, threadId, timestamp: at, fromCustomer, invisible } = message;
      const text = lineOf(message);
      this.#order += 1;
      const unread = threadId === open ? 0 : (threads.get(threadId)?.unread ?? 0) + 1;
      const due = invisible ? (threads.get(threadId)?.due ?? null) : fromCustomer ? id : null;
      threads.set(threadId, { text, order: this.#order, unread, at, due, heard: performance.now() });
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
