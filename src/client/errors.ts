import { missesText } from "./misses.js";
import type { NearMiss } from "./types.js";

/** One problem of a refused call, with its location in the input. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** A control call that was refused, or that did not reach a simulator. */
export class SimError extends Error {
  override readonly name: string = "SimError";
  /** The message without the failed call. */
  readonly reason: string;

  constructor(
    message: string,
    /** The HTTP status; null if there was no answer. */
    readonly status: number | null,
    /** Such as `not-found`, `conflict`, `unusable-input`; `unreachable` if there was no answer. */
    readonly code: string,
    readonly details: readonly ErrorDetail[] = [],
    { reason = message, ...options }: ErrorOptions & { readonly reason?: string } = {},
  ) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Something expected did not happen, or happened too often. The message says what was expected, and shows the nearest calls or
 * deliveries with their differences.
 */
export class ExpectationError extends SimError {
  override readonly name = "ExpectationError";
  /** The nearest first. */
  readonly nearMisses: readonly NearMiss[];
  /** How many entries matched. */
  readonly count: number;

  constructor(
    expected: string,
    status: number,
    { nearMisses = [], count = 0 }: { nearMisses?: readonly NearMiss[] | undefined; count?: number } = {},
    notes: readonly string[] = [],
  ) {
    super(
      [expected, ...notes, missesText(nearMisses)].filter((part) => part !== "").join("\n"),
      status,
      "expectation",
    );
    this.nearMisses = nearMisses;
    this.count = count;
  }
}
