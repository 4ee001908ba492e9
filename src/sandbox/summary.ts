/** What lists show of a sandbox, which may be open in another process. */

import { Clock, type ClockPosition, type ClockState } from "../kernel/clock.js";
import type { IdSeries } from "../kernel/names.js";
import { wallNow } from "../kernel/realtime.js";
import type { Sandbox } from "./sandbox.js";

interface StoredSummary {
  readonly tokens: readonly string[];
  readonly seed: number;
  readonly ids: IdSeries;
  readonly expiresAt: number | null;
  /** Its clock may be running. */
  readonly clock: ClockPosition;
}

export interface SandboxSummary extends Omit<StoredSummary, "clock">, ClockState {
  readonly id: string;
}

function storedSummaryOf({ run, expiresAt }: Sandbox): StoredSummary {
  const { seed, ids = "same" } = run.start;
  const tokens = Array.from(run.world.all("tokens"), ({ id }) => id);
  return { tokens, seed, ids, expiresAt: expiresAt ?? null, clock: run.clock.position() };
}

const shown = (id: string, { clock, ...summary }: StoredSummary): SandboxSummary => ({
  id,
  ...summary,
  ...new Clock(clock).state(),
});

export const summaryOf = (sandbox: Sandbox): SandboxSummary => shown(sandbox.id, storedSummaryOf(sandbox));

export const summaryText = (sandbox: Sandbox): string => JSON.stringify(storedSummaryOf(sandbox));

/** @param text by `summaryText` */
export const readSummary = (id: string, text: string): SandboxSummary => shown(id, JSON.parse(text));

/** Whether a sandbox has expired. */
export const isOver = ({ expiresAt }: { readonly expiresAt?: number | null | undefined }): boolean =>
  (expiresAt ?? Number.POSITIVE_INFINITY) <= wallNow();
