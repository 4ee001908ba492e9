import type { Scope } from "../behaviour/placeholders.js";
import { filled } from "../behaviour/placeholders.js";
import { InvalidInput, Refusal } from "../domain/refusal.js";
import { isControlRefusal } from "../domain/refusals.js";
import type { Load } from "../http/load.js";
import { RETRY_AFTER_S } from "../http/load.js";
import { given } from "../kernel/given.js";
import type { Problem } from "../kernel/problems.js";
import { andMore, MAX_LISTED } from "../kernel/words.js";
import { NotKept } from "../sandbox/durable.js";
import { Elsewhere } from "../sandbox/elsewhere.js";
import { MAX_FAULTS, TooManyFaults } from "../sandbox/faults.js";
import { MAX_WAITS, TooManyWaits } from "../sandbox/waits.js";
import type { ControlErrorKey, ErrorCode } from "./errors.js";
import { controlErrorEntry, ERROR_CODES } from "./errors.js";

/** One problem of the input. */
interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** The headers that say more of an error, by its code. */
export const HEADERS_OF: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  unauthorized: ["WWW-Authenticate", 'Bearer realm="messaging-sim"'],
  overloaded: ["Retry-After", String(RETRY_AFTER_S)],
  // The next attempt takes another connection, and so another way.
  elsewhere: ["Connection", "close", "Retry-After", String(RETRY_AFTER_S)],
};

/** A refused control call. Its status, code and message are those of the catalogue. */
export class ControlError extends Error {
  readonly code: ErrorCode;
  readonly status: number;

  constructor(
    readonly key: ControlErrorKey,
    scope: Scope = {},
    readonly details: readonly ErrorDetail[] = [],
    /** Headers of the answer, as a flat list. */
    readonly headers: readonly string[] = [],
  ) {
    const { code, message } = controlErrorEntry(key);
    super(String(filled(message, scope)));
    this.name = "ControlError";
    this.code = code;
    this.status = ERROR_CODES[code];
  }

  toJSON(): object {
    return { error: { code: this.code, message: this.message, details: this.details } };
  }
}

/** The answer to a call whose sandbox another process has: the same of the control API and the simulated one. */
export function elsewhereAnswer(): { status: number; body: object; headers: string[] } {
  const error = new ControlError("sandboxes.elsewhere");
  return { status: error.status, body: error.toJSON(), headers: [...(HEADERS_OF[error.code] ?? [])] };
}

/** An error about problems, which are its details. `scope` fills the other placeholders of its message. */
export function problemsError(
  key: ControlErrorKey,
  problems: readonly Problem[],
  scope: Scope = {},
): ControlError {
  const listed = listable(problems);
  const texts = listed.map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
  return new ControlError(key, { ...scope, problems: texts.join("; ") }, listed);
}

/** As many problems as an answer lists, and how many more there are. */
function listable(problems: readonly Problem[]): ErrorDetail[] {
  const details: ErrorDetail[] = problems
    .filter(({ more }) => more === undefined)
    .slice(0, MAX_LISTED)
    .map(({ onKey: _, ...shown }) => shown);
  const rest = problems.reduce((sum, { more = 1 }) => sum + more, -details.length);
  return rest > 0 ? [...details, { path: "", message: andMore(rest) }] : details;
}

/** The input does not fit. */
export const unusable = (problems: readonly Problem[], what = "the request"): ControlError =>
  problemsError(
    "input.unusable",
    problems.map(({ path, message, more }) => ({ path, message, ...given({ more }) })),
    { what },
  );

/** @throws ControlError where there is a reason why a call cannot be taken now, and counts it */
export function refuseExcess(load: Load, reason: string | undefined): void {
  if (reason === undefined) return;
  load.refused += 1;
  throw new ControlError("load.tooMuch", { reason });
}

/** What a rule's refusal is for the control API; other errors are given back as they are. */
export function controlErrorOf(error: unknown): unknown {
  if (error instanceof InvalidInput)
    return unusable(
      error.problems.map(({ property, message }) => ({ path: property.replace(/^@\.?/, ""), message })),
    );
  if (error instanceof TooManyFaults) return new ControlError("faults.tooMany", { limit: MAX_FAULTS });
  if (error instanceof TooManyWaits) return new ControlError("waits.tooMany", { limit: MAX_WAITS });
  if (error instanceof Elsewhere) return new ControlError("sandboxes.elsewhere");
  if (error instanceof NotKept) return new ControlError("store.unavailable", error.scope);
  if (error instanceof Refusal && error.key === "limits.overloadError")
    return new ControlError("memory.full", error.scope);
  if (error instanceof Refusal && isControlRefusal(error.key))
    return new ControlError(error.key, error.scope);
  return error;
}
