/** A call to the control API that changed something, as `GET /__sim/controls` shows it: what a recording is made of. */
export interface ControlRecord {
  /** `c1`, `c2`, …: what `causedBy` of a delivery names. */
  readonly id: string;
  /** The world's time of receipt, ms. */
  readonly at: number;
  readonly method: string;
  /** Below `/__sim`, without the sandbox and the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Null where there was none, and where it was too large to be kept. */
  readonly body: unknown;
  readonly status: number;
  /** Null where it only repeats what was sent or all that there is. */
  readonly response: unknown;
  /** The newest journal entry on receipt; null when there was none. */
  readonly after: string | null;
}
