import { onTestFinished, vi } from "vitest";
import type { Bound } from "../../src/kernel/bounds.js";

/** Lowers a bound until the end of the test, because reaching it would take thousands of connections, or minutes. */
export function lower(bound: Bound, limit: number): void {
  const lowered = vi.spyOn(bound, "limit", "get").mockReturnValue(limit);
  onTestFinished(() => void lowered.mockRestore());
}
