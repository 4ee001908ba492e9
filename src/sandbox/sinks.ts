import { Ring } from "../kernel/ring.js";

/** How a sink answers what it is sent. */
export interface SinkSettings {
  readonly status: number;
  /** Real time that passes before the answer, ms. */
  readonly delayMs: number;
  /** The JSON body of the answer; null for none. */
  readonly body: unknown;
}

/** One call that reached a sink. */
export interface Received {
  readonly id: string;
  /** The world's time of receipt, ms. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, else the text; null when there was none. */
  readonly body: unknown;
}

interface Sink {
  settings: SinkSettings;
  readonly calls: Ring<Received>;
}

/** The query parameter by which a delivery tells a sink which run it comes from. */
export const EPOCH_PARAMETER = "epoch";

/** How many sinks a sandbox has at most: one more takes the place of the one that went longest without a call or setting. */
export const MAX_SINKS = 1_000;

const DEFAULTS: SinkSettings = Object.freeze({ status: 200, delayMs: 0, body: null });

/**
 * The built-in webhook receivers of one sandbox. Every name is one: a sink that nobody has set answers 200.
 *
 * @example
 * sinks.set("crm", { status: 503 });
 * sinks.receive("crm", { at: clock.now(), method: "POST", path: "/", headers: {}, body: { eventType: "message" } });
 * sinks.received("crm"); // [{ id: "k1", … }]
 */
export class Sinks {
  readonly #sinks = new Map<string, Sink>();
  #calls = 0;

  constructor(
    /** How many calls each sink keeps; the oldest go first. */
    readonly limit: number,
  ) {}

  /** Decides how a sink answers from now on; what is left out is as on a sink that nobody has set. */
  set(name: string, { status, delayMs, body }: Partial<SinkSettings>): SinkSettings {
    const settings = {
      status: status ?? DEFAULTS.status,
      delayMs: delayMs ?? DEFAULTS.delayMs,
      body: body ?? DEFAULTS.body,
    };
    this.#touch(name).settings = settings;
    return settings;
  }

  get(name: string): SinkSettings {
    return this.#sinks.get(name)?.settings ?? DEFAULTS;
  }

  /** Enters a call and gives it its id. */
  receive(name: string, received: Omit<Received, "id">): Received {
    this.#calls += 1;
    const call = { id: `k${this.#calls}`, ...received };
    this.#touch(name).calls.push(call);
    return call;
  }

  /** What a sink has received, oldest first. */
  received(name: string): Received[] {
    return [...(this.#sinks.get(name)?.calls.from() ?? [])];
  }

  /** The sinks that were called or set, the one touched last at the end. */
  names(): string[] {
    return [...this.#sinks.keys()];
  }

  #touch(name: string): Sink {
    const sink = this.#sinks.get(name) ?? { settings: DEFAULTS, calls: new Ring<Received>(this.limit) };
    this.#sinks.delete(name);
    this.#sinks.set(name, sink);
    if (this.#sinks.size > MAX_SINKS) this.#sinks.delete(this.#sinks.keys().next().value as string);
    return sink;
  }
}
