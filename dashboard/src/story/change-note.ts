import type { ThreadChange } from "../model/types";

/** A change of a thread, as its conversation tells it. */
export interface ChangeNote
  extends Pick<ThreadChange, "id" | "at" | "threadId" | "causedBy" | "afterRequest" | "afterControl"> {
  /** `status waiting → replied, window closed` */
  readonly text: string;
  /** Whether the thread was resolved. */
  readonly resolves: boolean;
}

export function changeNote(
  { from, to, ...change }: ThreadChange,
  businessName: (id: string) => string,
): ChangeNote {
  const parts: string[] = [];
  if (to.status !== undefined) parts.push(`status ${from.status} → ${to.status}`);
  if (to.isMessagingWindowOpen !== undefined)
    parts.push(`window ${to.isMessagingWindowOpen ? "opened" : "closed"}`);
  if (from.businessId !== undefined && to.businessId !== undefined)
    parts.push(`transferred from ${businessName(from.businessId)} to ${businessName(to.businessId)}`);
  return { ...change, text: parts.join(", "), resolves: to.status === "resolved" };
}
