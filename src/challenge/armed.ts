/** The fault rules of a challenge, in force in a sandbox. */
import type { Transport } from "../client/transport.js";
import type { FaultInput, FaultRule } from "../client/types.js";

export class ArmedFaults {
  readonly #transport: Transport;
  readonly #faults: readonly FaultInput[];
  /** How often each rule has fired that was ever in force, as far as it was looked at. */
  readonly #fired = new Map<string, number>();
  #inForce: string[] = [];

  constructor(transport: Transport, faults: readonly FaultInput[]) {
    this.#transport = transport;
    this.#faults = faults;
  }

  /** Puts them in force. What was in force before a reset is gone. */
  async arm(): Promise<void> {
    this.#inForce = [];
    for (const body of this.#faults) {
      const { id } = await this.#transport.call<FaultRule>("POST", "/faults", { body });
      this.#inForce.push(id);
    }
  }

  /** Takes them out of force: what they hold back goes on its way. */
  async release(): Promise<void> {
    for (const id of this.#inForce.splice(0)) {
      const { status, body } = await this.#transport.answer<FaultRule>("DELETE", `/faults/${id}`, {
        accept: [404],
      });
      if (status === 200) this.#fired.set(id, body.fired);
    }
  }

  /** Whether any of them has fired; undefined where there are none. */
  async hasFired(): Promise<boolean | undefined> {
    if (this.#faults.length === 0) return undefined;
    for (const { id, fired } of await this.#transport.call<FaultRule[]>("GET", "/faults"))
      if (this.#inForce.includes(id)) this.#fired.set(id, fired);
    return [...this.#fired.values()].some((fired) => fired > 0);
  }
}
