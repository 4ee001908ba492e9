import { computed, signal } from "@preact/signals";
import type { Transport } from "../../../src/client/transport.js";
import { errorMessage } from "../lib/control";
import type { TrafficSources } from "./conversation-items";
import { conversationItems, newestDeliveries } from "./conversation-items";
import type { Message, RecordChange } from "./types";

/** The messages of the open thread, and what the page shows between them. */
export class Conversation {
  readonly messages = signal<readonly Message[]>([]);
  readonly state = signal<"loading" | "ready" | "failed">("loading");
  readonly items = computed(() => conversationItems(this.sources, this.threadId, this.messages.value));
  /** Another number each time that the end of the conversation is to be shown. */
  readonly ends = signal(0);
  /** The newest delivery of each message's event to each webhook, by message id. */
  readonly deliveries = computed(() => newestDeliveries(this.sources.deliveries.entries, this.threadId));
  /** Why the messages could not be loaded. */
  error = "";
  /** The changes that came during each load that is under way. */
  readonly #buffers = new Set<RecordChange<"messages">[]>();

  constructor(
    readonly sources: TrafficSources & { readonly transport: Transport },
    readonly threadId: string,
  ) {}

  /** Shows what comes next, wherever the conversation is scrolled to. */
  showEnd(): void {
    this.ends.value += 1;
  }

  async load(): Promise<void> {
    const query = { threadId: this.threadId };
    const buffer: RecordChange<"messages">[] = [];
    this.#buffers.add(buffer);
    try {
      const messages = await this.sources.transport.call<Message[]>("GET", "/data/messages", { query });
      this.messages.value = withChanges(messages, buffer);
      this.state.value = "ready";
    } catch (error) {
      this.error = errorMessage(error);
      if (this.state.peek() === "loading") this.state.value = "failed";
    } finally {
      this.#buffers.delete(buffer);
    }
  }

  apply(changes: readonly RecordChange<"messages">[]): void {
    const own = changes.filter(({ before, after }) => (after ?? before)?.threadId === this.threadId);
    if (own.length === 0) return;
    for (const buffer of this.#buffers) buffer.push(...own);
    this.messages.value = withChanges(this.messages.peek(), own);
  }
}

/** The messages after changes; a change that they contain already has no effect. */
function withChanges(
  messages: readonly Message[],
  changes: readonly RecordChange<"messages">[],
): readonly Message[] {
  const changed = [...messages];
  for (const { id, after } of changes) {
    const at = changed.findLastIndex((message) => message.id === id);
    const replacement = after === null ? [] : [after];
    if (at === -1) changed.push(...replacement);
    else changed.splice(at, 1, ...replacement);
  }
  return changed;
}
