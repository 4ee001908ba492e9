/** How a sandbox reports that it has changed, and how answers wait until that is saved. */

import { Refusal } from "../service/domain/refusals.js";

/** Saves the document of one sandbox. */
export interface Saver {
  /** The number of changes so far: if it is the same before and after a call, the call changed nothing. */
  readonly changes: number;
  /** Something that the document holds was changed. */
  changed(): void;
  /** @throws PersistenceUnavailableError while changes cannot be saved; LeaseHeldElsewhereError */
  check(): void;
  /**
   * Resolves once all changes so far are as durable as promised; undefined if they are, or if they cannot be saved and there
   * were none since `since`.
   *
   * @throws PersistenceUnavailableError; LeaseHeldElsewhereError
   */
  settled(since?: number): Promise<void> | undefined;
  /** The sandbox was deleted: so is its document. */
  removed(): void;
}

/** For sandboxes that end with the process. */
export const NOT_SAVED: Saver = {
  changes: 0,
  changed: () => {},
  check: () => {},
  settled: () => undefined,
  removed: () => {},
};

export interface StoreStatus {
  readonly location: string;
  readonly durability: string;
  /** Why changes cannot be saved now; null if they can. */
  readonly failure: string | null;
}

export class PersistenceUnavailableError extends Refusal {
  constructor(reason: string) {
    super("store.unavailable", { reason, retryAfter: 1 });
  }
}

/** Another process holds the sandbox: calls for it belong there. */
export class LeaseHeldElsewhereError extends Error {
  override readonly name = "LeaseHeldElsewhereError";

  constructor(readonly id: string) {
    super(`another process holds the sandbox ${id}`);
  }
}
