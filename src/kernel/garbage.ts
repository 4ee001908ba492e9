import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Gives back the memory of what is no longer in use, at once. It holds everybody up, for about a millisecond for each MiB in
 * use: for the end of a start that has read much, where the engine would keep what was read for as long as nothing happens.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  collect();
}

/** What the two halves of the young generation take together once they are not made larger, bytes. */
const YOUNG_BYTES = 16 * 1024 * 1024;

/**
 * Lets the engine make its young generation half as large as it would, from now on: under load the process takes less
 * memory, pauses are shorter, and it serves no fewer calls (decision 0015). For a process that serves until it ends.
 */
export function boundYoungGeneration(): void {
  let mayGrow = true;
  new PerformanceObserver(() => {
    const isSmall = youngBytes() < YOUNG_BYTES;
    if (isSmall === mayGrow) return;
    mayGrow = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 2 : 1}`);
  }).observe({ entryTypes: ["gc"] });
}

/** What the young generation takes of the machine's memory. */
const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;
