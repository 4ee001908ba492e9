import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Later } from "./realtime.js";
import { later } from "./realtime.js";

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

/** A process in which the engine collects nothing for so long has little to do, ms. */
const QUIET_MS = 3_000;
/** So much must have been made since the last time, bytes: less is not worth the pause. */
const WORTH_BYTES = 8 * 1024 * 1024;
/** With more in use the pause would be felt, bytes. */
const MAX_QUIET_BYTES = 48 * 1024 * 1024;

/**
 * Gives back what a load leaves behind once it is over, from now on: the engine would keep it until the next one (decision
 * 0015). For a process that serves until it ends.
 */
export function collectWhenQuiet({ quietMs = QUIET_MS, maxBytes = MAX_QUIET_BYTES } = {}): void {
  let left = usedBytes();
  let due: Later | undefined;
  const collect = () => {
    const used = usedBytes();
    if (used > maxBytes || used - left < WORTH_BYTES) return;
    collectGarbage();
    left = usedBytes();
  };
  new PerformanceObserver(() => {
    due?.cancel();
    due = later(quietMs, collect, { background: true });
  }).observe({ entryTypes: ["gc"] });
}

const usedBytes = (): number => getHeapStatistics().used_heap_size;
