/** Sandbox ids, and record ids that are unique across sandboxes and resets. */
import { createHash } from "node:crypto";
import type { Counters } from "../service/world/state.js";

/** The last ids of a sandbox's runs, if these are apart from those of all other sandboxes. */
export interface IdCounters extends Pick<Counters, "threads" | "messages"> {
  readonly deliveries: number;
}

const IDS_OF_ONE = 1_000_000;
/** How many prefixes 15-digit ids leave room for; the first is reserved for fixtures. */
const BEGINNINGS = 999_999_998;

/** Where the ids of a sandbox begin that are apart from all others, derived from the sandbox's id alone. */
export function firstIdsOf(sandboxId: string): IdCounters {
  const hash = createHash("sha256").update(sandboxId).digest();
  const first = (1 + (hash.readUIntBE(0, 6) % BEGINNINGS)) * IDS_OF_ONE;
  return { threads: first, messages: first, deliveries: first };
}

/** Counters, each at least as high as in the others. The positions of other id sources stay. */
export const atLeast = (
  counters: Counters,
  { threads, messages }: Pick<Counters, "threads" | "messages">,
): Counters => ({
  ...counters,
  threads: Math.max(counters.threads, threads),
  messages: Math.max(counters.messages, messages),
});

/** The form of a sandbox id: it is used in addresses, before tokens and in file names. */
export const SANDBOX_ID = {
  pattern: "^[A-Za-z0-9_-]{1,64}$",
  "x-form": "up to 64 letters, digits, _ and -",
};
