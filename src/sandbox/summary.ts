/** What lists show of a sandbox, which may be open in another process. */

import type { ClockPosition } from "../kernel/clock.js";
import type { IdSeries } from "../kernel/names.js";
import { wallNow } from "../kernel/realtime.js";
import type { Sandbox } from "./sandbox.js";

export interface SandboxSummary {
  readonly id: string;
  readonly tokens: readonly string[];
  readonly seed: number;
  readonly ids: IdSeries;
  readonly expiresAt: number | null;
  /** Its clock may be running. */
  readonly clock: ClockPosition;
}

export function summaryOf({ id, run, expiresAt }: Sandbox): SandboxSummary {
  const { seed, ids = "same" } = run.start;
  const tokens = Array.from(run.world.all("tokens"), (token) => token.id);
  return { id, tokens, seed, ids, expiresAt: expiresAt ?? null, clock: run.clock.position() };
}

/** Whether a sandbox has expired. */
export const isOver = ({ expiresAt }: { readonly expiresAt?: number | null | undefined }): boolean =>
  (expiresAt ?? Number.POSITIVE_INFINITY) <= wallNow();
