/** Long work in chunks, so that the event loop stays responsive. Only for large answers, fixtures and lists of records. */
import { monotonicNow, nextTurn } from "./realtime.js";

/** Roughly how long one chunk may block the event loop. */
const CHUNK_MS = 8;

/** Work that can run at once or in chunks: it yields wherever it may be interrupted, and returns its result. */
export type Chunked<T> = Generator<void, T>;

export function atOnce<T>(work: Chunked<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Starts synchronously, and also finishes synchronously if the work fits in one chunk. @throws the signal's reason */
export async function chunked<T>(work: Chunked<T>, signal?: AbortSignal): Promise<T> {
  let ends = monotonicNow() + CHUNK_MS;
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (monotonicNow() < ends) continue;
    await nextTurn();
    signal?.throwIfAborted();
    ends = monotonicNow() + CHUNK_MS;
  }
}
