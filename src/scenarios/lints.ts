/** Finds faults that never fired: the steps that armed them tested nothing. */

import type { Transport } from "../client/transport.js";
import type { FaultRule } from "../client/types.js";
import type { Remark, StepReport } from "./report.js";

export class Lints {
  readonly #transport: Transport;
  readonly #armed = new Map<string, StepReport["place"]>();
  /** By place: a step of a `repeat` is reported once. */
  readonly #found = new Map<string, Remark>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  armed(fault: string, place: StepReport["place"]): void {
    this.#armed.set(fault, place);
  }

  /** Reports rules that never fired. Called before a reset removes them too. */
  async settleFaults(): Promise<void> {
    if (this.#armed.size === 0) return;
    const rules = await this.#transport.call<FaultRule[]>("GET", "/faults");
    for (const { id, fired, seen, note } of rules) {
      const place = this.#armed.get(id);
      if (place === undefined || fired > 0) continue;
      const why = seen === 0 ? "nothing matched it" : `it matched ${seen}, but its conditions never held`;
      const remark: Remark =
        note === undefined
          ? { about: "fault", message: `the fault never fired: ${why}`, place }
          : { about: "idle fault", message: `the fault ${note}`, place };
      this.#found.set(`${remark.about} ${place.path}`, remark);
    }
    this.#armed.clear();
  }

  get found(): readonly Remark[] {
    return [...this.#found.values()];
  }
}
