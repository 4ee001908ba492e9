import { batch, computed, signal } from "@preact/signals";
import type { Transport } from "../../../src/client/transport.js";
import type { BoundedMap } from "../lib/bounded-map";
import { errorMessage } from "../lib/control";
import type { ChangeNote } from "../story/change-note";
import type { ControlNote } from "../story/control-note";
import { type Elapsed, elapsedBetween } from "../story/elapsed";
import { itemsOf, nothingKept, type Origin, type Turn, turnsOf } from "../story/turns";
import type { Causes } from "./causes";
import type { LiveLog } from "./live-log";
import type { SandboxClock } from "./sandbox-clock";
import type { DeliveryRecord, Message, RecordChange, RequestRecord } from "./types";

/** How many of the newest messages the page loads at first, and how many more each time that it is asked for them. */
const LOADED = 10_000;
/** How many it keeps of those that come: with each of them all are told anew. Where more were loaded, as many as those. */
const KEPT = 2_000;
/** So many more may come before the oldest go: they do not leave one by one from under somebody who reads them. */
const ROOM = 500;

/** What a conversation needs of the session that it stands in. */
interface ConversationContext {
  readonly requests: LiveLog<RequestRecord>;
  readonly deliveries: LiveLog<DeliveryRecord>;
  readonly controls: LiveLog<ControlNote>;
  readonly changes: LiveLog<ChangeNote>;
  readonly causes: Causes;
  readonly heard: BoundedMap<number>;
  readonly clock: SandboxClock;
  readonly transport: Transport;
  originOf(message: Message): Origin | undefined;
  isResolvedSince(threadId: string, messageId: string): boolean;
}

/** The messages of the open thread, and what the page shows between them. */
export class Conversation {
  readonly messages = signal<readonly Message[]>([]);
  /** How many messages there are before those that the page keeps. */
  readonly earlier = signal(0);
  readonly state = signal<"loading" | "ready" | "failed">("loading");
  readonly turns = computed(() => this.#turns());
  readonly items = computed(() => itemsOf(this.turns.value));
  /** The message of the customer that an answer is due to since this run of the sandbox; null where none is. */
  readonly due = computed(() => this.#due());
  /** Another number each time that the end of the conversation is to be shown. */
  readonly ends = signal(0);
  readonly #kept = nothingKept();
  #wanted = LOADED;
  #max = KEPT;
  /** Why the messages could not be loaded. */
  error = "";
  /** The changes that came during each load that is under way. */
  readonly #buffers = new Set<RecordChange<"messages">[]>();

  constructor(
    readonly session: ConversationContext,
    readonly threadId: string,
  ) {}

  #turns(): Turn[] {
    const { session, threadId } = this;
    const { requests, deliveries, controls, changes, causes, heard } = session;
    const instantOf = ({ id, timestamp }: Message) => ({ time: timestamp, heard: heard.get(id) });
    return turnsOf({
      threadId,
      messages: this.messages.value,
      kept: this.#kept,
      requests: requests.entries,
      deliveries: deliveries.entries,
      controls: controls.entries,
      changes: changes.entries,
      writerOf: (id) => causes.writerOf(id),
      originOf: (message) => session.originOf(message),
      elapsed: (from, to) => elapsedBetween(instantOf(from), instantOf(to)),
    });
  }

  #due(): Message | null {
    const { unanswered } = this.turns.value.at(-1) ?? {};
    if (unanswered === undefined || this.session.originOf(unanswered) === undefined) return null;
    const newest = this.messages.value.findLast(({ fromCustomer }) => fromCustomer) ?? unanswered;
    return this.session.isResolvedSince(this.threadId, newest.id) ? null : unanswered;
  }

  /** How long an answer to a message has been due; undefined where nobody knows. */
  dueFor({ id, timestamp }: Message): Elapsed | undefined {
    const now = { time: this.session.clock.now(), heard: performance.now() };
    return elapsedBetween({ time: timestamp, heard: this.session.heard.get(id) }, now);
  }

  /** Shows what comes next, wherever the conversation is scrolled to. */
  showEnd(): void {
    this.ends.value += 1;
  }

  async load(): Promise<void> {
    const query = { threadId: this.threadId };
    const buffer: RecordChange<"messages">[] = [];
    this.#buffers.add(buffer);
    try {
      const messages = await this.session.transport.call<Message[]>("GET", "/data/messages", { query });
      this.#max = Math.max(KEPT, Math.min(messages.length, this.#wanted));
      const loaded = messages.slice(-this.#wanted);
      this.#keep(withChanges(loaded, buffer), messages.length - loaded.length);
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
    this.#keep(withChanges(this.messages.peek(), own), this.earlier.peek());
  }

  /** Shows more of the messages before those that are shown. */
  showEarlier(): Promise<void> {
    this.#wanted += LOADED;
    return this.load();
  }

  #keep(messages: readonly Message[], earlier: number): void {
    const kept = messages.length > this.#max + ROOM ? messages.slice(-this.#max) : messages;
    batch(() => {
      this.messages.value = kept;
      this.earlier.value = earlier + messages.length - kept.length;
    });
  }
}

/** The messages after changes; one that they contain already, and one of a message that is not kept, has no effect. */
function withChanges(
  messages: readonly Message[],
  changes: readonly RecordChange<"messages">[],
): readonly Message[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  for (const { id, before, after } of changes) {
    if (after === null) byId.delete(id);
    else if (before === null || byId.has(id)) byId.set(id, after);
  }
  return [...byId.values()];
}
