import { SimError } from "../../../src/client/errors.js";

/** What a call says of a server that is away. */
export const UNREACHABLE = "The simulator does not answer. Nothing was changed.";

/** What went wrong, as the page says it: the client's message without the call that it begins with. */
export function errorMessage(error: unknown): string {
  if (error instanceof SimError && error.code === "unreachable") return UNREACHABLE;
  return error instanceof Error ? error.message.replace(/^[A-Z]+ \S+ → \d+ /, "") : String(error);
}
