import { reasonOf } from "../kernel/errors.js";
import { PersistenceUnavailableError } from "../sandbox/durable.js";

/** So long a process has what it has taken, unless it renews its lease, ms. */
export const LEASE_MS = 10_000;

/** What became of the attempt to take an id: it is ours, there is nothing under it, there is something, another process has it. */
export type Claim = "held" | "absent" | "taken" | { readonly holder: string };

/**
 * Which of several processes has which id of a store that they share. Whoever takes an id gets a number that nobody had before,
 * the fencing number, and what is written under an older one changes nothing. Each call throws the system's error.
 */
export interface Leases {
  /** Takes an id; `create`: one under which there is nothing yet. */
  acquire(id: string, create: boolean): Promise<Claim>;
  /** Whether the lease of an id has not run out, as far as this process knows. */
  isHeld(id: string): boolean;
  /** Renews a lease. Resolves with whether this process still has the id. */
  renew(id: string): Promise<boolean>;
  /** Lets others take an id at once. */
  release(id: string): Promise<void>;
  /** Asks the process that has an id to release it. */
  ask(holder: string, id: string): Promise<void>;
  /** Is told of what other processes ask for. */
  onAsked(listener: (id: string) => void): void;
  /** Says of an id what lists show of it. */
  note(id: string, text: string): Promise<void>;
  /** What was said of each id. */
  notes(): Promise<ReadonlyMap<string, string>>;
  /** A number that no process got before. */
  nextNumber(): Promise<number>;
  /** Resolves when the store answers. */
  ping(): Promise<void>;
}

/** What a store that processes share answers. @throws PersistenceUnavailableError where it does not */
export async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new PersistenceUnavailableError(`the store of the sandboxes does not answer: ${reasonOf(error)}`);
  }
}
