import { sandboxToken } from "../protocol/names.js";
import { Expectations } from "./expectations.js";
import type { Fault } from "./handles.js";
import { Collection, FaultHandle, Sink } from "./handles.js";
import type { BodyOf, QueryOf } from "./routes.js";
import type { StreamEvent } from "./stream.js";
import { eventBatches } from "./stream.js";
import type { Transport } from "./transport.js";
import type {
  Attachment,
  BehaviourRow,
  BehaviourValues,
  CallMethod,
  ClockReading,
  CollectionName,
  Connection,
  ControlRecord,
  CoverageReport,
  DeliveryRecord,
  Duration,
  EventType,
  FaultRule,
  FixtureDocument,
  FixtureInput,
  LegacyPayload,
  Message,
  MessageEventPayload,
  OperationName,
  PingReport,
  RequestRecord,
  SandboxInfo,
  ScenarioRun,
  SnapshotInfo,
  Start,
  Thread,
  ThreadChange,
  ThreadStatus,
  TranscriptEntry,
  TransferEventPayload,
  Warning,
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

/** Which calls a list holds: the parameters of `GET /requests`. Each field that is given must fit. */
export interface RequestQuery extends Omit<QueryOf<"GET /requests">, "method" | "operation"> {
  readonly method?: CallMethod;
  readonly operation?: OperationName;
}

/** Which deliveries a list holds: the parameters of `GET /deliveries`. Each field that is given must fit. */
export interface DeliveryQuery extends QueryOf<"GET /deliveries"> {}

/** Which warnings a list holds: the parameters of `GET /warnings`. Each field that is given must fit. */
export interface WarningQuery extends QueryOf<"GET /warnings"> {}

/**
 * Everything that can be done with one sandbox. Ids of threads may be given as text or as the number that events carry; lists
 * have the oldest first.
 */
export class SandboxClient extends Expectations {
  readonly #transport: Transport;

  constructor(
    transport: Transport,
    timeoutMs: number,
    readonly id: string,
    /** The base address of the simulated API: what the system under test is given. */
    readonly url: string,
  ) {
    super(transport, timeoutMs);
    this.#transport = transport;
  }

  /** The API key that means the fixture's token in this sandbox. It decides to which sandbox a call belongs. */
  token(fixtureToken: string): string {
    return sandboxToken(this.id, fixtureToken);
  }

  /** All of it in one document for `serve --bundle`: state, start, settings and logs, secrets masked. */
  bundle(): Promise<Readonly<Record<string, unknown>>> {
    return this.#transport.invoke("GET /bundle");
  }

  /** Show what the sandbox started with, or was last reset to. */
  start(): Promise<Start> {
    return this.#transport.invoke("GET /start");
  }

  /** The whole state, as a fixture document. */
  state(): Promise<FixtureDocument> {
    return this.#transport.invoke("GET /state");
  }

  /** Puts a fixture in place of the state; what `reset` brings back stays. */
  putState(fixture: FixtureInput): Promise<FixtureDocument> {
    return this.#transport.invoke("PUT /state", { body: fixture });
  }

  /** The live records of one collection. */
  data<C extends CollectionName>(collection: C): Collection<C> {
    return new Collection(this.#transport, collection);
  }

  /** Keeps state and clock under a name. */
  snapshot(name: string): Promise<SnapshotInfo> {
    return this.#transport.invoke("POST /snapshots", { body: { name } });
  }

  /** The named snapshots. */
  snapshots(): Promise<SnapshotInfo[]> {
    return this.#transport.invoke("GET /snapshots");
  }

  /** Back to the state and clock of a snapshot. */
  async restore(name: string): Promise<void> {
    await this.#transport.invoke("POST /snapshots/:name/restore", { params: { name } });
  }

  /** Forgets a snapshot. @throws SimError 404 when there is none with this name */
  async deleteSnapshot(name: string): Promise<void> {
    await this.#transport.invoke("DELETE /snapshots/:name", { params: { name } });
  }

  /** The sandbox's time, and whether it stands still. */
  clock(): Promise<ClockReading> {
    return this.#transport.invoke("GET /clock");
  }

  /** Sets the clock (ISO or ms), freezes it, or lets it run. */
  setClock(clock: { readonly now?: string | number; readonly frozen?: boolean }): Promise<ClockReading> {
    return this.#transport.invoke("PUT /clock", { body: clock });
  }

  /**
   * Moves virtual time on. What falls due runs in order; resolves when all of it has settled.
   *
   * @example
   * await sandbox.advance("25h"); // the messaging window has closed
   */
  advance(by: Duration): Promise<ClockReading> {
    return this.#transport.invoke("POST /clock/advance", { body: { by } });
  }

  /** Every behaviour that the specification leaves open, with the value in force. */
  behaviour(): Promise<BehaviourRow[]> {
    return this.#transport.invoke("GET /behaviour");
  }

  /**
   * Changes behaviours.
   *
   * @example
   * await sandbox.patchBehaviour({ "window.duration": "24h", "delivery.attempts": 4 });
   */
  patchBehaviour(values: Partial<BehaviourValues>): Promise<BehaviourRow[]> {
    return this.#transport.invoke("PATCH /behaviour", { body: values });
  }

  /**
   * The customer writes.
   *
   * @example
   * await sandbox.customerSays("9001", "Is my order ready?");
   */
  customerSays(threadId: string | number, message: string | CustomerMessage): Promise<Message> {
    const body = typeof message === "string" ? { text: message } : message;
    return this.#transport.invoke("POST /threads/:id/inbound", { params: { id: threadId }, body });
  }

  /** An employee writes in the service's own app; `internal`: where the customer does not see it. */
  employeeSays(
    threadId: string | number,
    userId: string,
    message: string | CustomerMessage,
    { internal = false }: { readonly internal?: boolean } = {},
  ): Promise<Message> {
    const content = typeof message === "string" ? { text: message } : message;
    return this.#transport.invoke("POST /threads/:id/employee-message", {
      params: { id: threadId },
      body: { userId, ...content, internal },
    });
  }

  /** An employee sends a template, which the messaging window does not keep back. */
  employeeSendsTemplate(threadId: string | number, userId: string, contentSid: string): Promise<Message> {
    return this.#transport.invoke("POST /threads/:id/employee-message", {
      params: { id: threadId },
      body: { userId, contentSid },
    });
  }

  /** Lets free-form text through to the customer. */
  openWindow(threadId: string | number): Promise<Thread> {
    return this.#transport.invoke("POST /threads/:id/window", {
      params: { id: threadId },
      body: { open: true },
    });
  }

  /** Lets only templates through to the customer. */
  closeWindow(threadId: string | number): Promise<Thread> {
    return this.#transport.invoke("POST /threads/:id/window", {
      params: { id: threadId },
      body: { open: false },
    });
  }

  /** Sets the status directly, not through the simulated API. */
  setStatus(threadId: string | number, status: ThreadStatus): Promise<Thread> {
    return new Collection(this.#transport, "threads").update(String(threadId), { status });
  }

  /** Moves the thread to another business, by an employee (default: the lowest user id there), and emits the event. */
  transfer(threadId: string | number, businessId: string, employeeUserId?: string): Promise<Thread> {
    const body = { businessId, employeeUserId };
    return this.#transport.invoke("POST /threads/:id/transfer", { params: { id: threadId }, body });
  }

  /** The conversation as people would read it, with the deliveries of each message's event; `"md"`: as Markdown. */
  transcript(threadId: string | number): Promise<TranscriptEntry[]>;
  transcript(threadId: string | number, format: "md"): Promise<string>;
  transcript(threadId: string | number, format: "json" | "md" = "json"): Promise<TranscriptEntry[] | string> {
    return this.#transport.invoke("GET /threads/:id/transcript", {
      params: { id: threadId },
      query: { format },
    });
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
    return (await this.#transport.invoke("POST /events", { body })).deliveries;
  }

  /**
   * What the system under test has met in this sandbox since it was made; of the sandbox `default`: in all sandboxes of the
   * server.
   */
  coverage(): Promise<CoverageReport> {
    return this.#transport.call("GET", "/coverage");
  }

  /** The calls to the simulated API. */
  requests(query: RequestQuery = {}): Promise<RequestRecord[]> {
    return this.#transport.invoke("GET /requests", { query });
  }

  /** Forgets the calls so far; ids go on. */
  async clearRequests(): Promise<void> {
    await this.#transport.invoke("DELETE /requests");
  }

  /** The events on their way to webhooks and what became of them. */
  deliveries(query: DeliveryQuery = {}): Promise<DeliveryRecord[]> {
    return this.#transport.invoke("GET /deliveries", { query });
  }

  /**
   * Points every webhook of the sandbox at an address: that of the system under test. With `header` each delivery also
   * brings the sandbox's token in that header, so that one system can serve many sandboxes.
   *
   * @example
   * await sandbox.connect(bot.url, { header: "token" });
   */
  connect(url: string, { header }: { readonly header?: string } = {}): Promise<Connection> {
    return this.#transport.invoke("POST /connect", { body: { url, header } });
  }

  /** The control calls that changed something since the start. */
  controls(query: QueryOf<"GET /controls"> = {}): Promise<ControlRecord[]> {
    return this.#transport.invoke("GET /controls", { query });
  }

  /** When and why threads had another status, business or messaging window since the start. */
  threadChanges(query: QueryOf<"GET /changes"> = {}): Promise<ThreadChange[]> {
    return this.#transport.invoke("GET /changes", { query });
  }

  /**
   * Sends the same body again, as a delivery of its own, or another body in its place.
   *
   * @example
   * await sandbox.replay("d1", { body: { ...first.body, eventType: "unknown" } });
   */
  replay(deliveryId: string, changed?: { readonly body?: object }): Promise<DeliveryRecord> {
    return this.#transport.invoke("POST /deliveries/:id/replay", {
      params: { id: deliveryId },
      body: changed as BodyOf<"POST /deliveries/:id/replay">,
    });
  }

  /**
   * Sends a delivery that the fault `hold` holds back.
   *
   * @example
   * await using fault = await sandbox.fault({ on: "delivery", then: { hold: true } });
   * await sandbox.customerSays("9001", "Hello");
   * for (const { id } of await sandbox.deliveries({ status: "pending" })) await sandbox.release(id);
   */
  release(deliveryId: string): Promise<DeliveryRecord> {
    return this.#transport.invoke("POST /deliveries/:id/release", {
      params: { id: deliveryId },
    });
  }

  /** Tries a webhook's receiver once and says in words what stands in the way. */
  ping(hookId: string): Promise<PingReport> {
    return this.#transport.invoke("POST /webhooks/:hookId/ping", { params: { hookId } });
  }

  /** Where calls went beyond what the specification promises. */
  warnings(query: WarningQuery = {}): Promise<Warning[]> {
    return this.#transport.invoke("GET /warnings", { query });
  }

  /** Forgets the warnings so far; ids go on. */
  async clearWarnings(): Promise<void> {
    await this.#transport.invoke("DELETE /warnings");
  }

  /**
   * Lets something go wrong.
   *
   * @example
   * await using fault = await sandbox.fault({ on: "request", match: { path: "/api/**" }, times: 2, then: "unavailable" });
   */
  async fault(rule: Fault): Promise<FaultHandle> {
    return new FaultHandle(this.#transport, await this.#transport.invoke("POST /faults", { body: rule }));
  }

  /** The rules that are in force, with how often each was seen and fired. */
  faults(): Promise<FaultRule[]> {
    return this.#transport.invoke("GET /faults");
  }

  /** Removes all rules. */
  async clearFaults(): Promise<void> {
    await this.#transport.invoke("DELETE /faults");
  }

  /** A built-in webhook receiver. Every name is one. */
  sink(name: string): Sink {
    return new Sink(this.#transport, name);
  }

  /**
   * Everything that happens from now on, as it happens. The first event is `hello`.
   *
   * @example
   * for await (const { event, data } of sandbox.stream()) if (event === "delivery") console.log(data.status);
   */
  async *stream({ signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<StreamEvent, void> {
    for await (const events of eventBatches(this.#transport, signal)) yield* events;
  }

  /** The scenario that ran last since the reset, and its report; null where none has. */
  lastScenarioRun(): Promise<ScenarioRun | null> {
    return this.#transport.invoke("GET /scenarios/last");
  }

  /** The scenarios that `run` knows by name. */
  scenarios(): Promise<{ readonly name: string; readonly file: string }[]> {
    return this.#transport.invoke("GET /scenarios");
  }

  /** The file of one of them. @throws SimError 404 when there is none with this name */
  async scenarioText(name: string): Promise<string> {
    return (await this.#transport.invoke("GET /scenarios/files/:name", { params: { name } })).text;
  }
}

/** A sandbox of one test's own: `dispose`, or the end of an `await using`, deletes it. */
export class Sandbox extends SandboxClient implements AsyncDisposable {
  /** Each token of the fixture with the one that means it in this sandbox. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly #delete: () => Promise<void>;

  constructor(
    transport: Transport,
    timeoutMs: number,
    { id, url, tokens }: SandboxInfo,
    remove: () => Promise<void>,
  ) {
    super(transport, timeoutMs, id, url);
    this.tokens = tokens;
    this.#delete = remove;
  }

  /** As in the fixture at the start. @throws TypeError for a token that it does not have */
  override token(fixtureToken: string): string {
    const token = this.tokens[fixtureToken];
    if (token !== undefined) return token;
    const known = Object.keys(this.tokens).join(", ");
    throw new TypeError(`the sandbox has no token "${fixtureToken}": it has ${known || "none"}`);
  }

  /** Deletes the sandbox and aborts what it was doing. Nothing happens when it is deleted already. */
  dispose(): Promise<void> {
    return this.#delete();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}
