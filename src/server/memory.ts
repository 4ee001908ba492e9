import { getHeapStatistics } from "node:v8";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import { bytesOfSize, SIZE, sizeText } from "../kernel/size.js";
import type { MemoryBudget } from "../sandbox/memory.js";
import type { RunStart } from "../sandbox/run-start.js";

/** The share of the heap that what is kept may take: the rest is for what is under way. */
const SHARE = 1 / 2;

/** The memory budget in bytes. @throws UnusableDocument for a text that is no size */
export function memoryOf(memory: string | undefined): number {
  if (memory === undefined) return Math.floor(getHeapStatistics().heap_size_limit * SHARE);
  const bytes = bytesOfSize(memory);
  if (Number.isNaN(bytes))
    throw new UnusableDocument([problemAt(["memory"], `must be ${SIZE["x-form"]}, but is "${memory}"`)]);
  return bytes;
}

/** @throws UnusableDocument where the world of the start is too large for the budget, of which so many bytes are taken */
export function checkStart(
  { state }: Pick<RunStart, "state">,
  { worldsLimit }: MemoryBudget,
  taken = 0,
): void {
  if (state.bytes <= worldsLimit - taken) return;
  const [needed, limit, others] = [state.bytes, worldsLimit, taken].map(sizeText);
  const beside = taken > 0 ? ` and others take ${others}` : "";
  const message = `need ${needed} of memory, and worlds may take ${limit}${beside}: give more with --memory, or less fixtures`;
  throw new UnusableDocument([problemAt(["fixtures"], message)]);
}
