import type { RefusalKey } from "../domain/refusal.js";
import { InvalidInput, Refusal } from "../domain/refusal.js";
import type { Problem } from "../kernel/problems.js";

export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** A refused control call (contract section 5): `{ error: { code, message, details } }`. */
export class ControlError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: readonly ErrorDetail[] = [],
    /** Names and values of the answer's own headers, one after the other. */
    readonly headers: readonly string[] = [],
  ) {
    super(message);
  }

  toJSON(): unknown {
    return { error: { code: this.code, message: this.message, details: this.details } };
  }
}

export const notFound = (what: string, id: string): ControlError =>
  new ControlError(404, "not-found", `there is no ${what} "${id}"`);

export const conflict = (message: string): ControlError => new ControlError(409, "conflict", message);

/** The input does not fit; one detail for each problem. */
export const unusable = (problems: readonly Problem[], what = "the request"): ControlError =>
  new ControlError(
    400,
    "unusable-input",
    `${what} is unusable: ${problems.map(({ path, message }) => (path === "" ? message : `${path} ${message}`)).join("; ")}`,
    problems.map(({ path, message }) => ({ path, message })),
  );

const MESSAGES: Partial<
  Record<RefusalKey, [status: number, message: (scope: Record<string, unknown>) => string]>
> = {
  "threads.notFound": [404, ({ customerThreadId }) => `there is no thread "${customerThreadId}"`],
  "businesses.notFound": [404, ({ businessId }) => `there is no business "${businessId}"`],
  "employees.notFound": [404, ({ userId }) => `there is no user "${userId}" in the thread's organization`],
  "employees.noAccess": [
    409,
    ({ userId, threadId }) => `user "${userId}" may not access thread "${threadId}"`,
  ],
  "transfers.sameBusiness": [409, ({ businessId }) => `the thread is with business "${businessId}" already`],
  "transfers.otherOrganization": [
    409,
    ({ businessId }) => `business "${businessId}" belongs to another organization`,
  ],
  "transfers.noEmployee": [
    409,
    ({ businessId }) => `business "${businessId}" has no user who could take the thread`,
  ],
  "windows.noWindow": [409, ({ channel }) => `a thread on ${channel} has no messaging window to close`],
  "window.closedError": [
    409,
    () => "the messaging window is closed: only internal text and templates may be sent",
  ],
  "events.noThread": [409, () => "there is no thread to take the missing fields from"],
};

/** What a rule's refusal is for the control API; other errors are given back as they are. */
export function controlErrorOf(error: unknown): unknown {
  if (error instanceof InvalidInput) {
    return unusable(
      error.problems.map(({ property, message }) => ({ path: property.replace(/^@\.?/, ""), message })),
    );
  }
  if (!(error instanceof Refusal)) return error;
  const [status, message] = MESSAGES[error.key] ?? [409, () => error.key];
  return new ControlError(status, status === 404 ? "not-found" : "conflict", message(error.scope));
}
