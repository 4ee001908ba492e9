import { BOUNDS } from "../kernel/bounds.js";
import { costOfText } from "../kernel/cost.js";
import { KeptRing } from "./kept-ring.js";
import type { Account } from "./memory-budget.js";

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
  readonly calls: KeptRing<ReceivedCall>;
}

/** A call as it came in. */
export interface Incoming extends Omit<Received, "id" | "body"> {
  /** The text of the body; null when there was none. */
  readonly text: string | null;
  readonly isJson: boolean;
}

/** What a call costs beside its texts. */
const CALL_BYTES = 512;

/** A call that keeps its body as its text, which costs far less than the value. */
export class ReceivedCall implements Received {
  constructor(
    readonly id: string,
    readonly incoming: Incoming,
  ) {}

  get at(): number {
    return this.incoming.at;
  }

  get method(): string {
    return this.incoming.method;
  }

  get path(): string {
    return this.incoming.path;
  }

  get headers(): Received["headers"] {
    return this.incoming.headers;
  }

  get body(): unknown {
    const { text, isJson } = this.incoming;
    return isJson && text !== null ? JSON.parse(text) : text;
  }

  /** What it costs, estimated in bytes. */
  get cost(): number {
    const { text, path, headers } = this.incoming;
    let bytes = CALL_BYTES + costOfText(text) + costOfText(path);
    for (const name in headers) bytes += costOfText(headers[name]);
    return bytes;
  }

  toJSON(): Received {
    const { id, at, method, path, headers, body } = this;
    return { id, at, method, path, headers, body };
  }
}

/** The query parameter by which a delivery tells a sink which run it comes from. */
export const EPOCH_PARAMETER = "epoch";

/** How many sinks a sandbox has at most: one more takes the place of the one that went longest without a call or setting. */
export const MAX_SINKS = BOUNDS.sinks.limit;

const DEFAULTS: SinkSettings = Object.freeze({ status: 200, delayMs: 0, body: null });

/**
 * The built-in webhook receivers of one sandbox. Every name is one: a sink that nobody has set answers 200.
 *
 * @example
 * sinks.set("crm", { status: 503 });
 * sinks.receive("crm", { at: clock.now(), method: "POST", path: "/", headers: {}, text: '{"n":1}', isJson: true });
 * [...sinks.received("crm")]; // [{ id: "k1", … }]
 */
export class Sinks {
  readonly #sinks = new Map<string, Sink>();
  readonly #account: Account;
  #calls = 0;

  constructor(
    /** How many calls each sink keeps; the oldest go first. */
    readonly limit: number,
    account: Account,
  ) {
    this.#account = account;
  }

  /** Decides how a sink answers from now on; what is left out is as on a sink that nobody has set. */
  set(name: string, { status, delayMs, body }: Partial<SinkSettings>): SinkSettings {
    const settings = {
      status: status ?? DEFAULTS.status,
      delayMs: delayMs ?? DEFAULTS.delayMs,
      body: body ?? DEFAULTS.body,
    };
    this.#account.set(`sink ${name}`, settings.body);
    this.#touch(name).settings = settings;
    return settings;
  }

  get(name: string): SinkSettings {
    return this.#sinks.get(name)?.settings ?? DEFAULTS;
  }

  /** Enters a call and gives it its id. */
  receive(name: string, incoming: Incoming): ReceivedCall {
    this.#calls += 1;
    const call = new ReceivedCall(`k${this.#calls}`, incoming);
    this.#touch(name).calls.push(call, call.cost);
    return call;
  }

  /** What a sink has received, oldest first; without what is evicted before it is its turn. */
  received(name: string): Iterable<ReceivedCall> {
    return this.#sinks.get(name)?.calls.from() ?? [];
  }

  /** The sinks that were called or set, the one touched last at the end. */
  names(): string[] {
    return [...this.#sinks.keys()];
  }

  #touch(name: string): Sink {
    const known = this.#sinks.get(name);
    const sink = known ?? { settings: DEFAULTS, calls: new KeptRing(this.limit, this.#account) };
    this.#sinks.delete(name);
    this.#sinks.set(name, sink);
    if (this.#sinks.size > MAX_SINKS) this.#forgetOldest();
    return sink;
  }

  #forgetOldest(): void {
    for (const [name, { calls }] of this.#sinks) {
      calls.clear();
      this.#account.set(`sink ${name}`, undefined);
      this.#sinks.delete(name);
      return;
    }
  }
}
