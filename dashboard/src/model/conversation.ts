import { computed, signal } from "@preact/signals";
import { errorMessage } from "../lib/transport";
import { conversationItems, newestDeliveries } from "./conversation-items";
import type { Session } from "./session";
import type { Message, RecordChange } from "./types";

/** The messages of the open thread, and what the page shows between them. */
export class Conversation {
  readonly messages = signal<readonly Message[]>([]);
  readonly state = signal<"loading" | "ready" | "failed">("loading");
  readonly items = computed(() => conversationItems(this.session, this));
  /** The newest delivery of each message's event to each webhook, by message id. */
  readonly deliveries = computed(() => newestDeliveries(this.session.deliveries.entries, this.threadId));
  /** Why the messages could not be loaded. */
  error = "";
  /** Changes that came while the messages were being loaded; null when they are not. */
  #buffered: RecordChange<"messages">[] | null = null;

  constructor(
    readonly session: Session,
    readonly threadId: string,
  ) {}

  async load(): Promise<void> {
    const { threadId } = this;
    this.#buffered = [];
    try {
      const messages = await this.session.transport.call<Message[]>("GET", "/data/messages", {
        query: { threadId },
      });
      this.messages.value = withChanges(messages, this.#buffered);
      this.state.value = "ready";
    } catch (error) {
      this.error = errorMessage(error);
      this.messages.value = withChanges(this.messages.peek(), this.#buffered);
      this.state.value = this.messages.peek().length > 0 ? "ready" : "failed";
    }
    this.#buffered = null;
  }

  apply(changes: readonly RecordChange<"messages">[]): void {
    const own = changes.filter(({ before, after }) => (after ?? before)?.threadId === this.threadId);
    if (this.#buffered !== null) this.#buffered.push(...own);
    else if (own.length > 0) this.messages.value = withChanges(this.messages.peek(), own);
  }
}

function withChanges(
  messages: readonly Message[],
  changes: readonly RecordChange<"messages">[],
): readonly Message[] {
  const changed = [...messages];
  for (const { id, after } of changes) {
    const at = changed.findLastIndex((message) => message.id === id);
    const there = at === -1 ? 0 : 1;
    changed.splice(at === -1 ? changed.length : at, there, ...(after === null ? [] : [after]));
  }
  return changed;
}
