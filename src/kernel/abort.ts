/** What each signal calls when it is aborted: the platform's own listeners cost far more to come and go. */
const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `listener`, which must not throw, when the signal is aborted, at once if it is already, until the returned function is called. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  const known = listeners.get(signal) ?? listenTo(signal);
  known.add(listener);
  return () => known.delete(listener);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  listeners.set(signal, all);
  const end = () => {
    for (const listener of all) listener();
    all.clear();
  };
  signal.addEventListener("abort", end, { once: true });
  return all;
}
