/** Whether the heap has room: while it has none, calls with a body are refused, so that the process does not die of it. */

import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { BOUNDS } from "../kernel/bounds.js";
import { lazily } from "../kernel/packages.js";
import { monotonicNow } from "../kernel/realtime.js";
import { sizeText } from "../kernel/units.js";
import { Refusal } from "../service/domain/refusals.js";

const LOOK_MS = 1_000;
/** How long a full heap counts as full: collecting its garbage to find out takes time. */
const FULL_S = 5;

/** The heap's limit includes the young generation, where nothing stays: 48 MiB on Node 20, 192 MiB on Node 24. */
const YOUNG_BYTES = 192 * 1024 * 1024;

const usedBytes = () => getHeapStatistics().used_heap_size;

export class Heap {
  readonly limit: number;
  #used = 0;
  #nextLook = 0;
  /** Without a collection, what a reset or a deletion has left behind would count as in use for long. */
  readonly #collect = lazily((): (() => void) => {
    setFlagsFromString("--expose-gc");
    return runInNewContext("gc");
  });

  constructor() {
    const { heap_size_limit: all } = getHeapStatistics();
    this.limit = (Math.max(all / 2, all - YOUNG_BYTES) * BOUNDS.heapPercent.limit) / 100;
  }

  /** Whether it was full when it was last looked at, at most a few seconds ago. */
  get isFull(): boolean {
    const now = monotonicNow();
    if (now >= this.#nextLook) {
      this.#used = usedBytes();
      if (this.#used > this.limit) {
        this.#collect()();
        this.#used = usedBytes();
      }
      this.#nextLook = now + (this.#used > this.limit ? FULL_S * 1_000 : LOOK_MS);
    }
    return this.#used > this.limit;
  }

  /** The refusal of calls that add something, while it is full. */
  get refusal(): Refusal | undefined {
    if (!this.isFull) return undefined;
    const reason = `${sizeText(this.#used)} of the heap are in use, of at most ${sizeText(this.limit)}`;
    return new Refusal("limits.overloadError", { reason, retryAfter: FULL_S });
  }
}
