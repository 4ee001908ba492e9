import type { BehaviourKey } from "../behaviour/table.js";
import type { RefusalKey } from "./refusals.js";

/** A rule refused its input; the world has not changed. */
export class Refusal extends Error {
  constructor(
    readonly key: RefusalKey,
    /** What the refusal met, for the placeholders of its answer. */
    readonly scope: Readonly<Record<string, unknown>> = {},
    /** The entry of the behaviour table that led to it, where none decides its answer. */
    readonly behaviour?: BehaviourKey,
  ) {
    super(key);
    this.name = "Refusal";
  }
}

/** A rule found the input itself wrong, at a named property. */
export class InvalidInput extends Error {
  constructor(
    readonly problems: readonly { readonly message: string; readonly property: string }[],
    /** The entry of the behaviour table that made it wrong. */
    readonly behaviour?: BehaviourKey,
  ) {
    super(problems.map(({ property, message }) => `${property} ${message}`).join("; "));
    this.name = "InvalidInput";
  }
}
