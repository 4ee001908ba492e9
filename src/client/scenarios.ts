import type { NearMiss } from "./types.js";

/** What came of one step. */
export interface StepReport {
  readonly name: string;
  readonly ok: boolean;
  readonly expected?: unknown;
  readonly seen?: unknown;
  readonly nearMisses?: readonly NearMiss[];
  readonly latencyMs?: number;
  readonly [field: string]: unknown;
}

/** What came of a scenario (contract section 6). */
export interface ScenarioReport {
  readonly name: string;
  readonly ok: boolean;
  readonly steps: readonly StepReport[];
  readonly [field: string]: unknown;
}
