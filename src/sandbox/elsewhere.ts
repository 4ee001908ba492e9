/** Sandboxes that another process has. */
import type { IdSeries } from "../protocol/names.js";

/** Another process has the sandbox: whatever was wanted of it can be had there. */
export class Elsewhere extends Error {
  override readonly name = "Elsewhere";

  constructor(readonly id: string) {
    super(`another process has the sandbox ${id}`);
  }
}

/** What a list shows of a sandbox that is not open in this process. */
export interface SandboxNote {
  readonly id: string;
  readonly tokens: readonly string[];
  readonly seed: number;
  readonly ids: IdSeries;
  readonly now: number;
  readonly frozen: boolean;
  readonly expiresAt: number | null;
}
