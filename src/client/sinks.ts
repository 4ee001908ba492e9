import { segment } from "./address.js";
import type { Transport } from "./transport.js";
import type { Received, SinkSettings } from "./types.js";

/**
 * A webhook receiver that the simulator has built in. A webhook reaches it under `sink:<name>` or under `url`.
 *
 * @example
 * const sink = sandbox.sink("crm");
 * await sink.answer({ status: 503 });
 */
export class Sink {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(
    transport: Transport,
    readonly name: string,
  ) {
    this.#transport = transport;
    this.#path = `/sinks/${segment(name)}`;
  }

  /** Where it listens. */
  get url(): string {
    return this.#transport.base + this.#path;
  }

  /** What it was sent, oldest first. */
  received(): Promise<Received[]> {
    return this.#transport.call("GET", `${this.#path}/received`);
  }

  /** Decides how it answers from now on; what is left out: status 200, at once, without a body. */
  answer(settings: Partial<SinkSettings>): Promise<SinkSettings> {
    return this.#transport.call("PUT", this.#path, { body: settings });
  }
}
