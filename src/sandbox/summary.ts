/** What lists show of a sandbox, which may be open in another process. */

import { Clock, type ClockPosition } from "../kernel/clock.js";
import type { IdSeries } from "../kernel/names.js";
import { wallNow } from "../kernel/realtime.js";
import type { Sandbox } from "./sandbox.js";

interface Described {
  readonly tokens: readonly string[];
  readonly seed: number;
  readonly ids: IdSeries;
  readonly expiresAt: number | null;
}

export interface SandboxSummary extends Described {
  readonly id: string;
  readonly now: number;
  readonly frozen: boolean;
}

/** In stored form, with the clock's position: it may be running. */
type StoredSummary = Described & { readonly clock: ClockPosition };

function described({ run, expiresAt }: Sandbox): Described {
  const { seed, ids = "same" } = run.start;
  const tokens = Array.from(run.world.all("tokens"), ({ id }) => id);
  return { tokens, seed, ids, expiresAt: expiresAt ?? null };
}

export const summaryOf = (sandbox: Sandbox): SandboxSummary => ({
  id: sandbox.id,
  ...described(sandbox),
  ...sandbox.run.clock.state(),
});

export function summaryText(sandbox: Sandbox): string {
  const summary: StoredSummary = { ...described(sandbox), clock: sandbox.run.clock.position() };
  return JSON.stringify(summary);
}

/** @param text by `summaryText` */
export function readSummary(id: string, text: string): SandboxSummary {
  const { clock, ...summary }: StoredSummary = JSON.parse(text);
  return { id, ...summary, ...new Clock(clock).state() };
}

/** Whether a sandbox has expired. */
export const isOver = ({ expiresAt }: { readonly expiresAt?: number | null | undefined }): boolean =>
  (expiresAt ?? Number.POSITIVE_INFINITY) <= wallNow();
