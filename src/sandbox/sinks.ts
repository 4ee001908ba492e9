import { BOUNDS } from "../kernel/bounds.js";
import { type InferReadonly, integer, object, record, string, unknown } from "../kernel/schema.js";
import { DELIVERY_FIELDS } from "./deliveries.js";
import { Log, TextEntry } from "./log.js";
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
  secretHeaders: DELIVERY_FIELDS.secretHeaders,
  body: unknown({ description: "the parsed JSON, otherwise the text; null if there was none" }),
});
/** One call that reached a sink. */
export type Received = InferReadonly<typeof receivedSchema>;

/** The query parameter that tells a sink which run a delivery comes from. */
export const EPOCH_PARAMETER = "epoch";

const DEFAULTS: SinkSettings = Object.freeze({ status: 200, delayMs: 0, body: null });

/** The built-in webhook receivers of one sandbox. Any name is valid: a sink that was not configured answers 200. */
export class Sinks {
  /** What each sink has received, least recently used first. */
  readonly #calls = new Map<string, Log<TextEntry<Received>>>();
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

  receive(name: string, call: Omit<Received, "id">): void {
    const calls = this.#touch(name);
    const entry = new TextEntry({ id: calls.nextId(), ...call });
    calls.add(entry, entry.bytes);
  }

  /** What a sink has received. */
  received(name: string): Log<TextEntry<Received>> {
    return this.#calls.get(name) ?? new Log("k", this.limit);
  }

  #touch(name: string): Log<TextEntry<Received>> {
    const calls = this.received(name);
    this.#calls.delete(name);
    this.#calls.set(name, calls);
    const [oldest] = this.#calls;
    if (oldest === undefined || this.#calls.size <= BOUNDS.sinks.limit) return calls;
    this.#calls.delete(oldest[0]);
    if (this.settings.delete(oldest[0])) this.saver.changed();
    return calls;
  }
}
