/** Handles on parts of a sandbox: a collection, a fault rule, a sink. */
import { segment } from "../kernel/names.js";
import { SimError } from "./errors.js";
import type { Query, Transport } from "./transport.js";
import type {
  CollectionName,
  DeliveryMatch,
  FaultInput,
  FaultRule,
  Received,
  RecordInput,
  Records,
  RequestMatch,
  SinkSettings,
} from "./types.js";

/** Runs a call for which a 404 means that it is already done. */
export async function unlessGone(done: Promise<unknown>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!(error instanceof SimError && error.status === 404)) throw error;
  }
}

/**
 * The current records of one collection. Writes are validated like a fixture; a refused one changes nothing.
 *
 * @example
 * const waiting = await sandbox.data("threads").list({ status: "waiting", _sort: "id" });
 * await sandbox.data("businesses").update("1001", { online: false });
 */
export class Collection<C extends CollectionName> {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, name: C) {
    this.#transport = transport;
    this.#path = `/data/${name}`;
  }

  /** The records selected by a query in json-server's language; all without a query. Null matches missing values. */
  list(query: Query = {}): Promise<Records[C][]> {
    return this.#transport.call("GET", this.#path, { query: withNulls(query) });
  }

  /** The record with an id. @throws SimError 404 if there is none */
  get(id: string): Promise<Records[C]> {
    return this.#transport.call("GET", this.#at(id));
  }

  /** Adds a record. @throws SimError 409 if its id is taken */
  create(record: RecordInput<C>): Promise<Records[C]> {
    return this.#transport.call("POST", this.#path, { body: record });
  }

  /** Changes some fields of a record. */
  update(id: string, fields: Partial<RecordInput<C>>): Promise<Records[C]> {
    return this.#transport.call("PATCH", this.#at(id), { body: fields });
  }

  /** Deletes a record. @throws SimError 409 while others reference it */
  delete(id: string): Promise<Records[C]> {
    return this.#transport.call("DELETE", this.#at(id));
  }

  #at(id: string): string {
    return `${this.#path}/${segment(id)}`;
  }
}

/** A query omits null values, so null is written as a word. */
const withNulls = (query: Query): Query =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value === null ? "null" : value]));

/** A fault rule; its match is typed by what it applies to. */
export type Fault = Omit<FaultInput, "on" | "match"> &
  (
    | { readonly on: "request"; readonly match?: RequestMatch }
    | { readonly on: "delivery"; readonly match?: DeliveryMatch }
  );

/** A rule that was added. `remove`, or the end of an `await using`, removes it. */
export class FaultHandle implements AsyncDisposable {
  readonly #transport: Transport;
  /** The rule as it was added, with presets expanded. */
  readonly rule: FaultRule;

  constructor(transport: Transport, rule: FaultRule) {
    this.#transport = transport;
    this.rule = rule;
  }

  /** The rule's id, such as `f1`. */
  get id(): string {
    return this.rule.id;
  }

  /** Removes the rule. Does nothing if it, or its sandbox, is already gone. */
  remove(): Promise<void> {
    return unlessGone(this.#transport.route("DELETE /faults/:id")(this.id));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }
}

/**
 * A built-in webhook receiver. A webhook reaches it as `sink:<name>` or by its `url`.
 *
 * @example
 * const sink = sandbox.sink("crm");
 * await sink.answer({ status: 503 });
 */
export class Sink {
  readonly #transport: Transport;

  constructor(
    transport: Transport,
    readonly name: string,
  ) {
    this.#transport = transport;
  }

  /** Its address. */
  get url(): string {
    return `${this.#transport.base}/sinks/${segment(this.name)}`;
  }

  /** What it has received, oldest first. */
  received(): Promise<Received[]> {
    return this.#transport.route("GET /sinks/:name/received")(this.name);
  }

  /** Configures how it answers; default: status 200, immediately, without a body. */
  answer(settings: Partial<SinkSettings>): Promise<SinkSettings> {
    return this.#transport.route("PUT /sinks/:name")(this.name, settings);
  }
}
