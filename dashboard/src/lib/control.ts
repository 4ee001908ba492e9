import { SimError } from "../../../src/client/errors.js";

/** What a call says of a server that is away. */
export const UNREACHABLE = "The simulator does not respond. Nothing was changed.";

/** What a call says that a server had and never answered. */
export const STANDS_STILL = "The simulator did not respond in time. Check the result before you try again.";

/** What went wrong, as the page says it: the client's message without the call that it begins with. */
export function errorMessage(error: unknown): string {
  if (error instanceof SimError && error.code === "unreachable")
    return error.cause instanceof DOMException ? STANDS_STILL : UNREACHABLE;
  return error instanceof Error
    ? error.message.replace(/^[A-Z]+ \S+ → \d+ (Invalid request: )?/, "")
    : String(error);
}

/** The same for a form with one field, which has the error beside it: in the words about the field alone. */
export function fieldMessage(error: unknown): string {
  const [problem, ...others] = error instanceof SimError ? error.details : [];
  if (problem === undefined || others.length > 0) return errorMessage(error);
  return `${problem.message.replace(/^./, (letter) => letter.toUpperCase())}.`;
}
