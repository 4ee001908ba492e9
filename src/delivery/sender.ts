import type { Dispatcher } from "undici";
import type { OutboundRequest, Outcome } from "./call.js";
import { Call } from "./call.js";
import type { Trust } from "./connector.js";
import { Connector } from "./connector.js";

/** How many calls are under way at once, over all sandboxes. Others wait for their turn, and their timeout with them. */
export const MAX_REQUESTS = 1_000;

/** Makes the HTTP calls of one simulator, over connections that are kept. The HTTP client is loaded at the first call. */
export class Sender {
  readonly #connector: Connector;
  #loading: Promise<void> | undefined;
  #dispatcher: Dispatcher | undefined;
  readonly #underWay = new Set<Call>();
  #waiting: Call[] = [];
  #closed = false;

  constructor(trust: Trust) {
    this.#connector = new Connector(trust);
  }

  /** Sends a letter once and calls `done` when it is over; a redirect is an answer like any other. */
  send(letter: OutboundRequest, done: (outcome: Outcome) => void): Call {
    const call = new Call(letter, done, this.#left);
    if (this.#dispatcher !== undefined && this.#underWay.size < MAX_REQUESTS)
      this.#start(call, this.#dispatcher);
    else this.#waiting.push(call);
    if (this.#loading === undefined && !this.#closed) this.#loading = this.#load();
    return call;
  }

  /** Abandons all calls and closes the connections. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const call of [...this.#waiting, ...this.#underWay]) call.abandon();
    this.#waiting = [];
    this.#connector.close();
    await this.#loading;
    await this.#dispatcher?.destroy();
  }

  async #load(): Promise<void> {
    const { Agent } = await import("undici");
    this.#dispatcher = new Agent({ connect: this.#connector.open });
    this.#startWaiting(this.#dispatcher);
  }

  #start(call: Call, dispatcher: Dispatcher): void {
    this.#underWay.add(call);
    this.#connector.patience = call.letter.timeoutMs;
    call.start(dispatcher);
  }

  readonly #left = (call: Call): void => {
    if (!this.#underWay.delete(call) || this.#waiting.length === 0 || this.#dispatcher === undefined) return;
    this.#startWaiting(this.#dispatcher);
  };

  #startWaiting(dispatcher: Dispatcher): void {
    while (this.#waiting.length > 0 && this.#underWay.size < MAX_REQUESTS) {
      const call = this.#waiting.shift() as Call;
      if (!call.over) this.#start(call, dispatcher);
    }
  }
}
