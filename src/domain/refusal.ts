import type { AnswerKey } from "../behaviour/table.js";

/** Refusals whose answer the specification itself states, or that only the control API meets. */
export type DocumentedRefusal =
  | "users.notFound"
  | "users.lastRepresentative"
  | "users.lastInPool"
  | "widget.foreignBusiness"
  | "businesses.notFound"
  | "employees.notFound"
  | "employees.noAccess"
  | "transfers.sameBusiness"
  | "transfers.otherOrganization"
  | "transfers.noEmployee"
  | "windows.noWindow"
  | "events.noThread";

/** Where the answer to a refusal comes from: an entry of the behaviour table, or the specification. */
export type RefusalKey = AnswerKey | DocumentedRefusal;

/** A rule said no. Nothing has changed. */
export class Refusal extends Error {
  constructor(
    readonly key: RefusalKey,
    /** What the refusal met, for the words of the answer. */
    readonly scope: Readonly<Record<string, unknown>> = {},
  ) {
    super(key);
    this.name = "Refusal";
  }
}

/** A rule found the input itself wrong, at a named property. */
export class InvalidInput extends Error {
  constructor(readonly problems: readonly { readonly message: string; readonly property: string }[]) {
    super(problems.map(({ property, message }) => `${property} ${message}`).join("; "));
    this.name = "InvalidInput";
  }
}
