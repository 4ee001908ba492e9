import { segment } from "./address.js";
import { SimError } from "./errors.js";
import type { Transport } from "./transport.js";
import type { DeliveryMatch, FaultInput, FaultRule, RequestMatch } from "./types.js";

/** A rule about what goes wrong, its match typed by what it is applied to. */
export type Fault = Omit<FaultInput, "on" | "match"> &
  (
    | { readonly on: "request"; readonly match?: RequestMatch }
    | { readonly on: "delivery"; readonly match?: DeliveryMatch }
  );

/** A rule that was added. `remove`, or the end of an `await using`, takes it away. */
export class FaultHandle implements AsyncDisposable {
  readonly #transport: Transport;
  /** The rule as it was added, presets spelled out. */
  readonly rule: FaultRule;

  constructor(transport: Transport, rule: FaultRule) {
    this.#transport = transport;
    this.rule = rule;
  }

  /** The rule's id, such as `f1`. */
  get id(): string {
    return this.rule.id;
  }

  /** The rule with how often it was seen and fired by now; undefined once it is gone. */
  async state(): Promise<FaultRule | undefined> {
    const rules = await this.#transport.call<FaultRule[]>("GET", "/faults");
    return rules.find(({ id }) => id === this.id);
  }

  /** Takes the rule away. Nothing happens when it, or its sandbox, is gone already. */
  async remove(): Promise<void> {
    try {
      await this.#transport.call("DELETE", `/faults/${segment(this.id)}`);
    } catch (error) {
      if (!(error instanceof SimError && error.status === 404)) throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }
}
