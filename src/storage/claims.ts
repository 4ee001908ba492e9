import { nextTurn } from "../kernel/realtime.js";
import { asking } from "./asking.js";
import type { Leases } from "./port.js";

/** The ids of sandboxes that are about to be made in this process. */
export class Claims {
  readonly #leases: Leases;
  readonly #claiming = new Map<string, Promise<void>>();

  constructor(leases: Leases) {
    this.#leases = leases;
  }

  /** Resolves when nobody here is about to make a sandbox with this id. */
  settled(id: string): Promise<void> | undefined {
    return this.#claiming.get(id);
  }

  /** Takes an id for a new sandbox, which whoever gets it makes at once; false where there is one. @throws PersistenceUnavailableError */
  async claim(id: string): Promise<boolean> {
    const claim = asking(() => this.#leases.acquire(id, true));
    const made = claim.then(nextTurn, () => {}).finally(() => this.#claiming.delete(id));
    this.#claiming.set(id, made);
    return (await claim) === "held";
  }
}
