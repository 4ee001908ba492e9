/** The fault rules of a challenge, in force in a sandbox. */
import type { Transport } from "../client/transport.js";
import type { FaultInput, FaultRule } from "../client/types.js";

export class ArmedFaults {
  readonly #transport: Transport;
  readonly #faults: readonly FaultInput[];
  /** How often each rule has fired that was ever in force, as far as it was looked at. */
  readonly #fired = new Map<string, number>();
  /** The rules that are in force, each with what it was made of. */
  readonly #inForce = new Map<string, FaultInput>();

  constructor(transport: Transport, faults: readonly FaultInput[]) {
    this.#transport = transport;
    this.#faults = faults;
  }

  /** Puts them in force after a reset, with which all rules have gone. */
  async arm(): Promise<void> {
    this.#inForce.clear();
    for (const fault of this.#faults) await this.#add(fault);
  }

  /** Takes those out of force that hold deliveries back: what they hold goes on its way. */
  async release(): Promise<void> {
    for (const [id, fault] of this.#inForce) {
      if (!holdsBack(fault)) continue;
      this.#inForce.delete(id);
      const { status, body } = await this.#transport.answer<FaultRule>("DELETE", `/faults/${id}`, {
        accept: [404],
      });
      if (status === 200) this.#fired.set(id, body.fired);
    }
  }

  /** Puts those in force again that were released. */
  async holdAgain(): Promise<void> {
    for (const fault of this.#faults) if (holdsBack(fault)) await this.#add(fault);
  }

  async #add(body: FaultInput): Promise<void> {
    const { id } = await this.#transport.call<FaultRule>("POST", "/faults", { body });
    this.#inForce.set(id, body);
  }

  /** Whether any of them has fired; undefined where there are none. */
  async hasFired(): Promise<boolean | undefined> {
    if (this.#faults.length === 0) return undefined;
    for (const { id, fired } of await this.#transport.call<FaultRule[]>("GET", "/faults"))
      if (this.#inForce.has(id)) this.#fired.set(id, fired);
    return [...this.#fired.values()].some((fired) => fired > 0);
  }
}

const holdsBack = ({ then }: FaultInput): boolean => typeof then === "object" && then.reorder === true;
