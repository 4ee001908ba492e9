import { SimError } from "../client/errors.js";
import { UnreadableAnswer } from "./http.js";
import { StepFailure } from "./step.js";

/** Why a step failed, from what it threw. @throws what says nothing about the step: a simulator that is gone, a bug */
export function failureOf(error: unknown): StepFailure {
  if (error instanceof StepFailure) return error;
  if (error instanceof SimError && error.cause instanceof UnreadableAnswer)
    return new StepFailure(error.cause.message);
  if (!(error instanceof SimError) || error.status === null) throw error;
  // The report says which step it was: the call itself is not repeated.
  const message = error.message.replace(/^\S+ \S+ → \d+ /, "");
  return new StepFailure(message, { seen: { status: error.status } });
}
