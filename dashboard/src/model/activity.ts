import type { Change, Message } from "./types";

/** What the page saw happen in the threads while it was watching: newest message and how many were not read. */
export class Activity {
  readonly #last = new Map<string, { readonly text: string; readonly order: number; unread: number }>();
  /** The order in which messages came, for those that came while the page was watching. */
  readonly arrivals = new Map<string, number>();
  #order = 0;

  note({ collection, before, after }: Change, opened: string | null): void {
    if (collection !== "messages" || before !== null || after === null) return;
    const message = after as Message;
    this.#order += 1;
    this.arrivals.set(message.id, performance.now());
    const unread = message.threadId === opened ? 0 : (this.#last.get(message.threadId)?.unread ?? 0) + 1;
    this.#last.set(message.threadId, { text: message.text, order: this.#order, unread });
  }

  read(threadId: string): void {
    const last = this.#last.get(threadId);
    if (last !== undefined) last.unread = 0;
  }

  unreadIn(threadId: string): number {
    return this.#last.get(threadId)?.unread ?? 0;
  }

  lastTextIn(threadId: string): string | undefined {
    return this.#last.get(threadId)?.text;
  }

  /** Higher for threads in which something happened later; 0 where nothing did. */
  orderOf(threadId: string): number {
    return this.#last.get(threadId)?.order ?? 0;
  }

  clear(): void {
    this.#last.clear();
    this.arrivals.clear();
  }
}
