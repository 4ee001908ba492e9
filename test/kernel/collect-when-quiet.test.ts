/** In a process of its own: what is measured is the memory of the process. */
import { getHeapStatistics } from "node:v8";
import { expect, it, vi } from "vitest";
import { collectGarbage, collectWhenQuiet } from "../../src/kernel/garbage.js";

const MEBIBYTE = 1024 * 1024;
const used = (): number => getHeapStatistics().used_heap_size / MEBIBYTE;

/** Makes what is no longer in use as soon as it returns, and has outlived collections of the young generation. */
function waste(mebibytes: number): number {
  const kept = Array.from({ length: mebibytes * 4 }, () => Array.from({ length: 6_500 }, (_, n) => ({ n })));
  return kept.length;
}

it("gives back what was made once nothing more is made", async () => {
  collectGarbage();
  const before = used();
  collectWhenQuiet({ quietMs: 50, maxBytes: Number.POSITIVE_INFINITY });
  waste(64);
  expect(used()).toBeGreaterThan(before + 30);
  await vi.waitFor(() => expect(used()).toBeLessThan(before + 8), { timeout: 10_000, interval: 20 });
});
