import type { Session } from "../model/session";

/** The threads whose newest event was not delivered. */
export function failingThreads({ deliveries }: Session): ReadonlySet<string> {
  const newest = new Map(deliveries.entries.map(({ threadId, status }) => [threadId, status]));
  return new Set([...newest].flatMap(([id, status]) => (status === "failed" ? [id] : [])));
}
