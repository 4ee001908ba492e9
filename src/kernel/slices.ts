import { monotonicNow, nextTurn } from "./realtime.js";

/** How long everybody else waits at most for work that is done in slices. */
const SLICE_MS = 8;
/** A slice while others are at work in slices too: all of them come between two rounds of input. */
const SHORT_SLICE_MS = 0.5;
/** How many items are done between two looks at the time: few, since one may be a body of a megabyte. */
const ITEMS = 4;

/** Long work in slices: between two of them the event loop serves others. */
export class Slices {
  #items = 0;
  #ends = monotonicNow() + SLICE_MS;
  readonly #signal: AbortSignal | undefined;

  /** `signal` is aborted when nobody wants the result any more. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** To be called after each item; what it returns, which is mostly nothing, must be awaited. */
  next(): Promise<void> | undefined {
    this.#items += 1;
    if (this.#items % ITEMS !== 0 || monotonicNow() < this.#ends) return undefined;
    return this.pause();
  }

  /** Lets others run now. @throws the signal's reason */
  async pause(): Promise<void> {
    const began = monotonicNow();
    await nextTurn();
    this.#signal?.throwIfAborted();
    const now = monotonicNow();
    this.#ends = now + (now - began > SLICE_MS ? SHORT_SLICE_MS : SLICE_MS);
  }
}

/** Work that can be done at once or in slices: it yields wherever it may be interrupted, and returns its result. */
export type Sliced<T> = Generator<void, T>;

/** So many look-ups are one step of such work: a step takes about as long as a look-up. */
export const LOOKUPS_OF_STEP = 64;

export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Begins at once, and ends at once what takes no longer than a slice. @throws the signal's reason */
export async function inSlices<T>(work: Sliced<T>, signal?: AbortSignal): Promise<T> {
  const slices = new Slices(signal);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    const pause = slices.next();
    if (pause !== undefined) await pause;
  }
}

/** Calls `visit` with each item, in slices. @throws the signal's reason */
export async function eachInSlices<T>(
  items: Iterable<T>,
  visit: (item: T) => void,
  signal?: AbortSignal,
): Promise<void> {
  const slices = new Slices(signal);
  for (const item of items) {
    visit(item);
    const pause = slices.next();
    if (pause !== undefined) await pause;
  }
}

/** So many items are sorted at once. */
const CHUNK = 1024;

/** A sorted copy of a list, made in slices; equal items keep their order. @throws the signal's reason */
export async function sortInSlices<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  signal?: AbortSignal,
): Promise<T[]> {
  const slices = new Slices(signal);
  let sorted = items.slice();
  // Two lists that take turns: a new one for each round is garbage that only a long collection finds.
  let merged = items.slice();
  for (let at = 0; at < items.length; at += CHUNK) {
    let to = at;
    for (const item of items.slice(at, at + CHUNK).sort(compare)) sorted[to++] = item;
    await slices.pause();
  }
  for (let width = CHUNK; width < sorted.length; width *= 2) {
    for (let at = 0, to = 0; at < sorted.length; at += 2 * width) {
      const middle = Math.min(at + width, sorted.length);
      const end = Math.min(at + 2 * width, sorted.length);
      let [left, right] = [at, middle];
      while (left < middle || right < end) {
        const takesLeft =
          right === end || (left < middle && compare(sorted[left] as T, sorted[right] as T) <= 0);
        merged[to++] = sorted[takesLeft ? left++ : right++] as T;
        const pause = slices.next();
        if (pause !== undefined) await pause;
      }
    }
    [sorted, merged] = [merged, sorted];
  }
  return sorted;
}
