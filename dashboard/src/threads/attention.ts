import type { Session } from "../model/session";
import type { Thread } from "../model/types";

/** Whether the customer is waiting for a reply. */
export const isDue = ({ activity }: Session, { id, status }: Thread): boolean =>
  status !== "resolved" && activity.in(id).isDue;

/** The threads whose newest event was not delivered. */
export function failingThreads({ deliveries }: Session): ReadonlySet<string> {
  const newest = new Map(deliveries.entries.map(({ threadId, status }) => [threadId, status]));
  return new Set([...newest].flatMap(([id, status]) => (status === "failed" ? [id] : [])));
}
