import { BOUNDS } from "../kernel/bounds.js";
import { type InferReadonly, integer, object, record, string, unknown } from "../kernel/schema.js";
import { Log } from "./log.js";
import { NOT_SAVED, type Saver } from "./saver.js";

export const SINK_SETTINGS = {
  status: integer({ minimum: 200, maximum: 599 }),
  delayMs: integer({
    minimum: 0,
    maximum: BOUNDS.sinkDelayMs.limit,
    description: "real time before the response",
  }),
  body: unknown({ description: "the JSON body of the response; null for none" }),
};
export const sinkSettingsSchema = object(SINK_SETTINGS);
/** How a sink answers, after `delayMs` of real time. */
export type SinkSettings = InferReadonly<typeof sinkSettingsSchema>;

export const receivedSchema = object({
  id: string({ examples: ["k1"] }),
  at: integer({ description: "the sandbox's time of receipt, ms" }),
  method: string(),
  path: string(),
  headers: record(string()),
  body: unknown({ description: "the parsed JSON, otherwise the text; null if there was none" }),
});
/** One call that reached a sink. */
export type Received = InferReadonly<typeof receivedSchema>;

export interface SinkCall extends Omit<Received, "id" | "body"> {
  /** The text of the body; null if there was none. */
  readonly text: string | null;
  readonly isJson: boolean;
  /** The headers, in lower case, that come from the `extraHeaders` of webhooks. */
  readonly secretHeaders?: readonly string[];
}

/** A call whose body is stored as text, which takes far less memory than the value. */
export class ReceivedCall {
  constructor(
    readonly id: string,
    readonly incoming: SinkCall,
  ) {}

  get secretHeaders(): readonly string[] {
    return this.incoming.secretHeaders ?? [];
  }

  toJSON(): Received {
    const { at, method, path, headers, text, isJson } = this.incoming;
    const body: unknown = isJson && text !== null ? JSON.parse(text) : text;
    return { id: this.id, at, method, path, headers, body };
  }
}

/** The query parameter that tells a sink which run a delivery comes from. */
export const EPOCH_PARAMETER = "epoch";

const DEFAULTS: SinkSettings = Object.freeze({ status: 200, delayMs: 0, body: null });

/** The built-in webhook receivers of one sandbox. Any name is valid: a sink that was not configured answers 200. */
export class Sinks {
  /** What each sink has received, least recently used first. */
  readonly #calls = new Map<string, Log<ReceivedCall>>();
  readonly settings: Map<string, SinkSettings>;

  constructor(
    readonly limit: number,
    private readonly saver: Saver = NOT_SAVED,
    kept: Readonly<Record<string, SinkSettings>> = {},
  ) {
    this.settings = new Map(Object.entries(kept));
    for (const name of this.settings.keys()) this.#touch(name);
  }

  /** Configures how a sink answers; omitted fields get their defaults. @throws Refusal if this cannot be saved */
  set(name: string, { status = 200, delayMs = 0, body = null }: Partial<SinkSettings>): SinkSettings {
    this.saver.check();
    const settings = { status, delayMs, body };
    this.#touch(name);
    this.settings.set(name, settings);
    this.saver.changed();
    return settings;
  }

  get(name: string): SinkSettings {
    return this.settings.get(name) ?? DEFAULTS;
  }

  receive(name: string, incoming: SinkCall): ReceivedCall {
    const calls = this.#touch(name);
    return calls.add(new ReceivedCall(calls.nextId(), incoming), Buffer.byteLength(incoming.text ?? ""));
  }

  /** What a sink has received, oldest first, except what is evicted before it is reached. */
  received(name: string): Iterable<ReceivedCall> {
    return this.#calls.get(name)?.from() ?? [];
  }

  /** The sinks that were called or configured, least recently used first. */
  names(): string[] {
    return [...this.#calls.keys()];
  }

  #touch(name: string): Log<ReceivedCall> {
    const calls = this.#calls.get(name) ?? new Log<ReceivedCall>("k", this.limit);
    this.#calls.delete(name);
    this.#calls.set(name, calls);
    const [oldest] = this.#calls;
    if (oldest === undefined || this.#calls.size <= BOUNDS.sinks.limit) return calls;
    this.#calls.delete(oldest[0]);
    if (this.settings.delete(oldest[0])) this.saver.changed();
    return calls;
  }
}
