/** Sandbox ids, and record ids that are unique across sandboxes and resets. */
import { createHash } from "node:crypto";
import type { Counters } from "../service/world/state.js";

const IDS_OF_ONE = 1_000_000;
/** How many prefixes 15-digit ids leave room for; the first is reserved for fixtures. */
const BEGINNINGS = 999_999_998;

/** The number at which the ids of a sandbox start, derived from the sandbox's id alone. */
function firstIdOf(sandboxId: string): number {
  const hash = createHash("sha256").update(sandboxId).digest();
  return (1 + (hash.readUIntBE(0, 6) % BEGINNINGS)) * IDS_OF_ONE;
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

export interface IdCounters extends Pick<Counters, "threads" | "messages"> {
  readonly deliveries: number;
}

export class DisjointIds {
  counters: IdCounters;

  constructor(sandboxId: string, reached?: Partial<IdCounters>) {
    const first = firstIdOf(sandboxId);
    this.counters = { threads: first, messages: first, deliveries: first, ...reached };
  }

  reached(counters: Counters, deliveries: number): void {
    const { threads, messages } = atLeast(counters, this.counters);
    this.counters = { threads, messages, deliveries: Math.max(deliveries, this.counters.deliveries) };
  }
}

/** The form of a sandbox id: it is used in addresses, before tokens and in file names. */
export const SANDBOX_ID = {
  pattern: "^[A-Za-z0-9_-]{1,64}$",
  "x-form": "up to 64 letters, digits, _ and -",
};
