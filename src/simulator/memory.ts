import { getHeapStatistics } from "node:v8";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import { bytesOfSize, SIZE } from "../kernel/size.js";

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
