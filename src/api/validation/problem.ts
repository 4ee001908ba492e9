import type { BehaviourKey } from "../../service/behaviour/table.js";

/** One failed rule, as the service's 400 answers list them (specification: "Validation error shape"). */
export interface Problem {
  readonly message: string;
  /** Where: `@`, `@.email`, `@.user.sms`, `@.subscribedEvents[0]`, `@["odd key"]`. */
  readonly property: string;
}

/** What the dialect takes for an e-mail address: what HTML does, or what the package's own pattern does. */
export type EmailFormat = "valid" | "schema-inspector";

/** Receives the message of a failed rule about the value being inspected. */
export interface Reporter {
  readonly emailFormat: EmailFormat;
  /** @param decidedBy the entry of the behaviour table without which the rule would have held */
  report(message: string, decidedBy?: BehaviourKey): void;
}

/** A key or a position on the way to a value; `item`: the key of a field that stands where an item is expected. */
export type Segment = string | number | { readonly item: string };

const IDENTIFIER = /^[a-z$_][a-z0-9$_]*$/i;

/** A path as the dialect writes it, from the body on; quotes inside a key stay as they are. */
export const propertyText = (path: readonly Segment[]): string =>
  path.reduce<string>((text, segment) => {
    if (typeof segment === "number") return `${text}[${segment}]`;
    if (typeof segment === "object") return `${text}[${segment.item}]`;
    return IDENTIFIER.test(segment) ? `${text}.${segment}` : `${text}["${segment}"]`;
  }, "@");
