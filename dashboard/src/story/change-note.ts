import type { RecordChange } from "../model/types";

/** A change of a thread that its conversation tells of. */
export interface ChangeNote {
  readonly id: string;
  readonly threadId: string;
  /** The call that made it; null for time that passed. */
  readonly causedBy: string | null;
  /** The rank of the newest call when the page heard of it. */
  readonly heardAt: number;
  /** `status waiting → replied, window closed` */
  readonly text: string;
}

/** The text of a change of a thread; empty where a conversation does not tell of it. */
export function changeText(
  { before, after }: RecordChange<"threads">,
  businessName: (id: string) => string,
): string {
  if (before === null || after === null) return "";
  const parts: string[] = [];
  if (before.status !== after.status) parts.push(`status ${before.status} → ${after.status}`);
  if (before.isMessagingWindowOpen !== after.isMessagingWindowOpen)
    parts.push(`window ${after.isMessagingWindowOpen ? "opened" : "closed"}`);
  if (before.businessId !== after.businessId)
    parts.push(`transferred from ${businessName(before.businessId)} to ${businessName(after.businessId)}`);
  return parts.join(", ");
}
