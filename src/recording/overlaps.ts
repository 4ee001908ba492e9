/** Calls that came while others had no answer yet. */
import type { SessionLog } from "./session-log.js";
import type { TimelineEntry } from "./timeline.js";

/**
 * What is to be said of an entry that came before an earlier call had its answer: a scenario makes one call after the
 * other. Only where the clock of the sandbox went with real time can that be told.
 */
export function overlapsIn(
  { start, controls }: SessionLog,
  entries: readonly TimelineEntry[],
): (position: number) => string | undefined {
  const isReal = start.clock === null && controls.every(({ path }) => !/^\/(clock|snapshots)\b/.test(path));
  const overlapped = new Map<number, string>();
  let last: { readonly id: string; readonly until: number } = { id: "", until: 0 };
  for (const [position, entry] of entries.entries()) {
    if (isReal && entry.at < last.until) overlapped.set(position, last.id);
    const until = entry.kind === "request" ? entry.at + Math.floor(entry.request.durationMs ?? 0) : 0;
    if (until > last.until) last = { id: entry.id, until };
  }
  return (position) => {
    const id = overlapped.get(position);
    return id === undefined
      ? undefined
      : `this came before ${id} had its answer, and may have come before it`;
  };
}
