/** What lists show of a sandbox, which may be open in another process. */

import { wallNow } from "../kernel/realtime.js";
import type { Sandbox } from "./sandbox.js";

export interface SandboxSummary {
  readonly id: string;
  readonly tokens: readonly string[];
  readonly expiresAt: number | null;
}

export const summaryOf = ({ id, run, expiresAt }: Sandbox): SandboxSummary => ({
  id,
  tokens: Array.from(run.world.all("tokens"), (token) => token.id),
  expiresAt: expiresAt ?? null,
});

/** Whether a sandbox has expired. */
export const isOver = ({ expiresAt }: { readonly expiresAt?: number | null | undefined }): boolean =>
  (expiresAt ?? Number.POSITIVE_INFINITY) <= wallNow();
