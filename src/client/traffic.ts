import { segment } from "./address.js";
import type { Fault } from "./faults.js";
import { FaultHandle } from "./faults.js";
import { Sink } from "./sinks.js";
import type { StreamEvent } from "./stream.js";
import { eventBatches } from "./stream.js";
import type { Transport } from "./transport.js";
import type {
  CallMaker,
  CallMethod,
  Connection,
  ControlRecord,
  CoverageReport,
  DeliveryRecord,
  EventType,
  FaultRule,
  OperationName,
  PingReport,
  RequestRecord,
  ThreadChange,
  Warning,
} from "./types.js";

interface ListQuery {
  /** The id after which to start. */
  readonly since?: string;
  readonly limit?: number;
}

/** Which calls a list holds; each field that is given must fit. */
export interface RequestQuery extends ListQuery {
  readonly method?: CallMethod;
  readonly path?: string;
  readonly operation?: OperationName;
  readonly status?: number;
  readonly token?: string;
  readonly by?: CallMaker;
}

/** Which deliveries a list holds; each field that is given must fit. */
export interface DeliveryQuery extends ListQuery {
  readonly webhookId?: string;
  readonly eventType?: EventType;
  readonly status?: DeliveryRecord["status"];
  readonly threadId?: string;
}

/** Which warnings a list holds; each field that is given must fit. */
export interface WarningQuery extends ListQuery {
  readonly code?: string;
  readonly requestId?: string;
}

/** The calls, deliveries, warnings, faults and sinks of one sandbox. Lists have the oldest first. */
export class Traffic {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * What the system under test has met in this sandbox since it was made; of the sandbox `default`: in all sandboxes of the
   * server (contract section 10).
   */
  coverage(): Promise<CoverageReport> {
    return this.#transport.call("GET", "/coverage");
  }

  /** The calls to the simulated API. */
  requests(query: RequestQuery = {}): Promise<RequestRecord[]> {
    return this.#transport.call("GET", "/requests", { query: { ...query } });
  }

  /** Forgets the calls so far; ids go on. */
  async clearRequests(): Promise<void> {
    await this.#transport.call("DELETE", "/requests");
  }

  /** The events on their way to webhooks and what became of them. */
  deliveries(query: DeliveryQuery = {}): Promise<DeliveryRecord[]> {
    return this.#transport.call("GET", "/deliveries", { query: { ...query } });
  }

  /**
   * Points every webhook of the sandbox at an address: that of the system under test. With `header` each delivery also
   * brings the sandbox's token in that header, so that one system can serve many sandboxes.
   *
   * @example
   * await sandbox.connect(bot.url, { header: "token" });
   */
  connect(url: string, { header }: { readonly header?: string } = {}): Promise<Connection> {
    return this.#transport.call("POST", "/connect", { body: { url, header } });
  }

  /** The control calls that changed something since the start. */
  controls(query: ListQuery = {}): Promise<ControlRecord[]> {
    return this.#transport.call("GET", "/controls", { query: { ...query } });
  }

  /** When and why threads had another status, business or messaging window since the start. */
  threadChanges(query: ListQuery & { readonly threadId?: string } = {}): Promise<ThreadChange[]> {
    return this.#transport.call("GET", "/changes", { query: { ...query } });
  }

  /**
   * Sends the same body again, as a delivery of its own, or another body in its place.
   *
   * @example
   * await sandbox.replay("d1", { body: { ...first.body, eventType: "unknown" } });
   */
  replay(deliveryId: string, changed?: { readonly body?: object }): Promise<DeliveryRecord> {
    return this.#transport.call("POST", `/deliveries/${segment(deliveryId)}/replay`, { body: changed });
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
    return this.#transport.call("POST", `/deliveries/${segment(deliveryId)}/release`);
  }

  /** Tries a webhook's receiver once and says in words what stands in the way. */
  ping(hookId: string): Promise<PingReport> {
    return this.#transport.call("POST", `/webhooks/${segment(hookId)}/ping`);
  }

  /** Where calls went beyond what the specification promises. */
  warnings(query: WarningQuery = {}): Promise<Warning[]> {
    return this.#transport.call("GET", "/warnings", { query: { ...query } });
  }

  /** Forgets the warnings so far; ids go on. */
  async clearWarnings(): Promise<void> {
    await this.#transport.call("DELETE", "/warnings");
  }

  /**
   * Lets something go wrong.
   *
   * @example
   * await using fault = await sandbox.fault({ on: "request", match: { path: "/api/**" }, times: 2, then: "unavailable" });
   */
  async fault(rule: Fault): Promise<FaultHandle> {
    return new FaultHandle(
      this.#transport,
      await this.#transport.call<FaultRule>("POST", "/faults", { body: rule }),
    );
  }

  /** The rules that are in force, with how often each was seen and fired. */
  faults(): Promise<FaultRule[]> {
    return this.#transport.call("GET", "/faults");
  }

  /** Removes all rules. */
  async clearFaults(): Promise<void> {
    await this.#transport.call("DELETE", "/faults");
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
}
