import { programUrl, sandboxToken } from "../kernel/names.js";
import { Expectations } from "./expectations.js";
import type { Fault } from "./handles.js";
import { Collection, FaultHandle, Sink } from "./handles.js";
import { SINK } from "./log-entries.js";
import type { StreamEvent } from "./stream.js";
import { eventBatches } from "./stream.js";
import type { Transport } from "./transport.js";
import type {
  Attachment,
  ClockReading,
  CollectionName,
  Connection,
  CoverageReport,
  Duration,
  EventType,
  LegacyPayload,
  Message,
  MessageEventPayload,
  SandboxInfo,
  SnapshotInfo,
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

/** The payload fields of an emitted event; others are taken from the thread. */
export type EventData<Type extends EventType> = Type extends "message"
  ? Partial<MessageEventPayload["data"] & LegacyPayload>
  : Partial<TransferEventPayload["data"]>;

const contentOf = (message: string | CustomerMessage): CustomerMessage =>
  typeof message === "string" ? { text: message } : message;

/**
 * Everything that can be done with one sandbox. Thread ids may be strings or the numbers that events carry; lists are ordered
 * from oldest to newest. A method that calls a single route takes the parts of its path, then its query or its body.
 */
export class SandboxClient extends Expectations {
  readonly #transport: Transport;

  constructor(
    transport: Transport,
    within: Duration,
    readonly id: string,
    /** The base address of the simulated API, to be used by your program. */
    readonly url: string,
  ) {
    super(transport, within);
    this.#transport = transport;
  }

  /** The whole state, as a fixture document. */
  readonly state = this.route("GET /state");
  /** Restores the state and clock of a snapshot. */
  readonly restore = this.route("POST /snapshots/:name/restore");
  /** The sandbox's time, and whether it is frozen. */
  readonly clock = this.route("GET /clock");
  /** Sets the clock (ISO or ms), freezes it, or unfreezes it. */
  readonly setClock = this.route("PUT /clock");
  /** All behaviours that the specification leaves open, with their current values. */
  readonly behaviour = this.route("GET /behaviour");
  /**
   * Changes behaviours.
   *
   * @example
   * await sandbox.patchBehaviour({ "window.duration": "24h", "delivery.attempts": 4 });
   */
  readonly patchBehaviour = this.route("PATCH /behaviour");
  /** Why the customer of a thread has no reply: `cause` in one word, and the diagnosis in a sentence. */
  readonly why = this.route("GET /threads/:id/why");
  /** The calls to the simulated API. */
  readonly requests = this.route("GET /requests");
  /** The deliveries of events to webhooks, with their outcomes. */
  readonly deliveries = this.route("GET /deliveries");
  /** Sends the same body again as a new delivery. */
  readonly replay = this.route("POST /deliveries/:id/replay");
  /** The warnings about calls that rely on undocumented behaviour. */
  readonly warnings = this.route("GET /warnings");
  /** The rules in force, with how often each was seen and fired. */
  readonly faults = this.route("GET /faults");
  /** Removes all rules. */
  readonly clearFaults = this.route("DELETE /faults");

  /** The API key for a token of the fixture in this sandbox. It determines which sandbox a call belongs to. */
  token(fixtureToken: string): string {
    return sandboxToken(this.id, fixtureToken);
  }

  /** The current records of one collection. */
  data<C extends CollectionName>(collection: C): Collection<C> {
    return new Collection(this.#transport, collection);
  }

  /** Saves state and clock under a name. */
  snapshot(name: string): Promise<SnapshotInfo> {
    return this.route("POST /snapshots")({ name });
  }

  /**
   * Advances virtual time. Timers that fall due run in order; resolves when they have settled.
   *
   * @example
   * await sandbox.advance("25h"); // the messaging window has closed
   */
  advance(by: Duration): Promise<ClockReading> {
    return this.route("POST /clock/advance")({ by });
  }

  /**
   * The customer writes.
   *
   * @example
   * await sandbox.customerSays("9001", "Is my order ready?");
   */
  customerSays(threadId: string | number, message: string | CustomerMessage): Promise<Message> {
    return this.route("POST /threads/:id/inbound")(threadId, contentOf(message));
  }

  /** An employee writes in the service's own app; `internal`: the customer does not see it. */
  employeeSays(
    threadId: string | number,
    userId: string,
    text: string,
    { internal = false }: { readonly internal?: boolean } = {},
  ): Promise<Message> {
    return this.route("POST /threads/:id/employee-message")(threadId, { userId, text, internal });
  }

  /** Opens the messaging window: free-form text is allowed. */
  openWindow(threadId: string | number): Promise<Thread> {
    return this.route("POST /threads/:id/window")(threadId, { open: true });
  }

  /** Closes the messaging window: only templates are allowed. */
  closeWindow(threadId: string | number): Promise<Thread> {
    return this.route("POST /threads/:id/window")(threadId, { open: false });
  }

  /** Sets the status directly, without a call to the simulated API. */
  setStatus(threadId: string | number, status: ThreadStatus): Promise<Thread> {
    return this.data("threads").update(String(threadId), { status });
  }

  /** Transfers the thread to another business, by an employee (default: the lowest user id there), and emits the event. */
  transfer(threadId: string | number, businessId: string, employeeUserId?: string): Promise<Thread> {
    return this.route("POST /threads/:id/transfer")(threadId, { businessId, employeeUserId });
  }

  /** The conversation as a transcript, with the deliveries of each message's event; `"md"`: as Markdown. */
  transcript(threadId: string | number): Promise<TranscriptEntry[]>;
  transcript(threadId: string | number, format: "md"): Promise<string>;
  transcript(threadId: string | number, format: "json" | "md" = "json"): Promise<TranscriptEntry[] | string> {
    return this.route("GET /threads/:id/transcript")(threadId, { format });
  }

  /**
   * Emits an event as given, without changing state; a message is from the customer unless `fromCustomer` is false. `legacy` limits the receivers to legacy webhooks, or to all others.
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
    return (await this.route("POST /events")({ eventType, data, legacy })).deliveries;
  }

  /** The coverage of your program in this sandbox since it was created; for `default`, in all sandboxes. */
  coverage(): Promise<CoverageReport> {
    return this.#transport.call("GET", "/coverage");
  }

  /**
   * Points every webhook of the sandbox at an address: that of your program, or its port on this computer. With `header`, each delivery also carries
   * the sandbox's token in that header, so that one system can serve many sandboxes.
   *
   * @example
   * await sandbox.connect(bot.url, { header: "token" });
   */
  connect(url: string, options: { readonly header?: string } = {}): Promise<Connection> {
    const address = url.startsWith(SINK) ? url : (programUrl(url) ?? url);
    return this.route("POST /connect")({ ...options, url: address });
  }

  /**
   * Adds a fault rule.
   *
   * @example
   * await using fault = await sandbox.fault({ on: "request", match: { path: "/api/**" }, times: 2, then: "unavailable" });
   */
  async fault(rule: Fault): Promise<FaultHandle> {
    return new FaultHandle(this.#transport, await this.route("POST /faults")(rule));
  }

  /** A built-in webhook receiver. Any name is valid. */
  sink(name: string): Sink {
    return new Sink(this.#transport, name);
  }

  /**
   * Everything that happens from now on, as a stream. The first event is `hello`.
   *
   * @example
   * for await (const { event, data } of sandbox.stream()) if (event === "delivery") console.log(data.status);
   */
  async *stream({ signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<StreamEvent, void> {
    for await (const events of eventBatches(this.#transport, signal)) yield* events;
  }
}

/** A sandbox for a single test: `dispose`, or the end of an `await using`, deletes it. */
export class Sandbox extends SandboxClient implements AsyncDisposable {
  /** The fixture's tokens, each with its API key in this sandbox. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly #delete: () => Promise<void>;

  constructor(
    transport: Transport,
    within: Duration,
    { id, url, tokens }: SandboxInfo,
    remove: () => Promise<void>,
  ) {
    super(transport, within, id, url);
    this.tokens = tokens;
    this.#delete = remove;
  }

  /** The API key for a token of the initial fixture. @throws TypeError if the fixture does not have the token */
  override token(fixtureToken: string): string {
    const token = this.tokens[fixtureToken];
    if (token !== undefined) return token;
    const known = Object.keys(this.tokens).join(", ");
    throw new TypeError(`the sandbox has no token "${fixtureToken}": it has ${known || "none"}`);
  }

  /** Deletes the sandbox and aborts what it was doing. Does nothing if it is deleted already. */
  dispose(): Promise<void> {
    return this.#delete();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}
