import { segment } from "./address.js";
import { Collection } from "./collection.js";
import type { Transport } from "./transport.js";
import type {
  Attachment,
  EventType,
  LegacyPayload,
  Message,
  MessageEventPayload,
  Thread,
  ThreadStatus,
  TranscriptEntry,
  TransferEventPayload,
} from "./types.js";

/** What a customer or an employee sends: a text, an attachment, or both. */
export interface CustomerMessage {
  readonly text?: string;
  readonly attachment?: Attachment;
}

/** The payload fields that an emitted event is given; the others come from the thread. */
export type EventData<Type extends EventType> = Type extends "message"
  ? Partial<MessageEventPayload["data"] & LegacyPayload>
  : Partial<TransferEventPayload["data"]>;

/** What people do in the conversations of one sandbox. Ids of threads may be given as text or as the number that events carry. */
export class Conversations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The customer writes.
   *
   * @example
   * await sandbox.customerSays("9001", "Is my order ready?");
   */
  customerSays(threadId: string | number, message: string | CustomerMessage): Promise<Message> {
    const body = typeof message === "string" ? { text: message } : message;
    return this.#transport.call("POST", `${thread(threadId)}/inbound`, { body });
  }

  /** An employee writes in the service's own app; `internal`: where the customer does not see it. */
  employeeSays(
    threadId: string | number,
    userId: string,
    message: string | CustomerMessage,
    { internal = false }: { readonly internal?: boolean } = {},
  ): Promise<Message> {
    const content = typeof message === "string" ? { text: message } : message;
    return this.#transport.call("POST", `${thread(threadId)}/employee-message`, {
      body: { userId, ...content, internal },
    });
  }

  /** An employee sends a template, which the messaging window does not keep back. */
  employeeSendsTemplate(threadId: string | number, userId: string, contentSid: string): Promise<Message> {
    return this.#transport.call("POST", `${thread(threadId)}/employee-message`, {
      body: { userId, contentSid },
    });
  }

  /** Lets free-form text through to the customer. */
  openWindow(threadId: string | number): Promise<Thread> {
    return this.#transport.call("POST", `${thread(threadId)}/window`, { body: { open: true } });
  }

  /** Lets only templates through to the customer. */
  closeWindow(threadId: string | number): Promise<Thread> {
    return this.#transport.call("POST", `${thread(threadId)}/window`, { body: { open: false } });
  }

  /** Sets the status directly, not through the simulated API. */
  setStatus(threadId: string | number, status: ThreadStatus): Promise<Thread> {
    return new Collection(this.#transport, "threads").update(String(threadId), { status });
  }

  /** Moves the thread to another business, by an employee (default: the lowest user id there), and emits the event. */
  transfer(threadId: string | number, businessId: string, employeeUserId?: string): Promise<Thread> {
    const body = { businessId, employeeUserId };
    return this.#transport.call("POST", `${thread(threadId)}/transfer`, { body });
  }

  /** The conversation as people would read it, with the deliveries of each message's event; `"md"`: as Markdown. */
  transcript(threadId: string | number): Promise<TranscriptEntry[]>;
  transcript(threadId: string | number, format: "md"): Promise<string>;
  transcript(threadId: string | number, format: "json" | "md" = "json"): Promise<TranscriptEntry[] | string> {
    return this.#transport.call("GET", `${thread(threadId)}/transcript`, { query: { format } });
  }

  /**
   * Emits an event as given, without touching state. `legacy` narrows the receivers: only legacy webhooks, or only others.
   *
   * @returns the ids of the deliveries
   * @example
   * await sandbox.emit("message", { customerThreadId: 9001, messageBody: "Hello again" });
   */
  async emit<Type extends EventType>(
    eventType: Type,
    data: EventData<Type> = {},
    { legacy }: { readonly legacy?: boolean } = {},
  ): Promise<string[]> {
    const body = { eventType, data, legacy };
    return (await this.#transport.call<{ deliveries: string[] }>("POST", "/events", { body })).deliveries;
  }
}

const thread = (id: string | number): string => `/threads/${segment(id)}`;
