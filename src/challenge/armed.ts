/** The fault rules of a challenge, in force in a sandbox. */
import type { Transport } from "../client/transport.js";
import type { DeliveryRecord, FaultInput, FaultRule } from "../client/types.js";

export class ArmedFaults {
  readonly #transport: Transport;
  readonly #faults: readonly FaultInput[];
  /** The rules that have fired, as far as they were looked at, each with what it was made of. */
  readonly #fired = new Map<string, FaultInput>();
  /** The deliveries that were held back when their rule was taken out of force. */
  readonly released = new Set<string>();
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
    if (![...this.#inForce.values()].some(holdsBack)) return;
    for (const { id, status, attempts } of await this.#transport.call<DeliveryRecord[]>("GET", "/deliveries"))
      if (status === "pending" && attempts.length === 0) this.released.add(id);
    for (const [id, fault] of this.#inForce) {
      if (!holdsBack(fault)) continue;
      this.#inForce.delete(id);
      const { status, body } = await this.#transport.answer<FaultRule>("DELETE", `/faults/${id}`, {
        accept: [404],
      });
      if (status === 200 && body.fired > 0) this.#fired.set(id, fault);
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

  /** The rules that have fired so far, also those that are no longer in force. */
  async fired(): Promise<ReadonlyMap<string, FaultInput>> {
    if (this.#inForce.size === 0) return this.#fired;
    for (const { id, fired } of await this.#transport.call<FaultRule[]>("GET", "/faults")) {
      const fault = this.#inForce.get(id);
      if (fault !== undefined && fired > 0) this.#fired.set(id, fault);
    }
    return this.#fired;
  }
}

const holdsBack = ({ then }: FaultInput): boolean => typeof then === "object" && then.reorder === true;
