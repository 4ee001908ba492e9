/** In a process of its own: what the engine is told here holds until the process ends. */
import { getHeapSpaceStatistics } from "node:v8";
import { expect, it } from "vitest";
import { boundYoungGeneration } from "../../src/kernel/garbage.js";
import { nextTurn } from "../../src/kernel/realtime.js";

const MEBIBYTE = 1024 * 1024;

/** What the young generation takes after so much was made that stays, in MiB. */
async function youngAfter(mebibytes: number): Promise<number> {
  const kept: object[][] = [];
  for (let made = 0; made < mebibytes; made += 0.25) {
    // 32 bytes for each object and 8 for its place.
    kept.push(Array.from({ length: 6_500 }, (_, n) => ({ n })));
    await nextTurn();
  }
  expect(kept.length).toBe(4 * mebibytes);
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  return (young?.space_size ?? Number.NaN) / MEBIBYTE;
}

it("stays at 16 MiB however much a process keeps, where it would be twice as large", async () => {
  boundYoungGeneration();
  expect(await youngAfter(128)).toBeLessThanOrEqual(17);
});
