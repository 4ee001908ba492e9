/** Long work in chunks: between two of them the event loop serves others. For large answers, fixtures and lists of records alone. */
import { monotonicNow, nextTurn } from "./realtime.js";

/** How long others wait for a chunk, about. */
const CHUNK_MS = 8;

/** Work that can be done at once or in chunks: it yields wherever it may be interrupted, and returns its result. */
export type Chunked<T> = Generator<void, T>;

export class Chunks {
  #ends = monotonicNow() + CHUNK_MS;
  readonly #signal: AbortSignal | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** To be called after each item; what it returns, which is mostly nothing, must be awaited. @throws the signal's reason */
  next(): Promise<void> | undefined {
    return monotonicNow() < this.#ends ? undefined : this.#pause();
  }

  async #pause(): Promise<void> {
    await nextTurn();
    this.#signal?.throwIfAborted();
    this.#ends = monotonicNow() + CHUNK_MS;
  }
}

export function atOnce<T>(work: Chunked<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Begins at once, and ends at once what takes no longer than a chunk. @throws the signal's reason */
export async function chunked<T>(work: Chunked<T>, signal?: AbortSignal): Promise<T> {
  const chunks = new Chunks(signal);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    const pause = chunks.next();
    if (pause !== undefined) await pause;
  }
}
