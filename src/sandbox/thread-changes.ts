import type { ChannelView } from "../domain/windows.js";
import { hasWindow } from "../domain/windows.js";
import type { InferReadonly } from "../kernel/schema.js";
import { boolean, integer, nullable, object, oneOf, optional, string } from "../kernel/schema.js";
import type { Thread } from "../world/records.js";
import { THREAD_STATUSES } from "../world/records.js";

const values = (description: string) =>
  object(
    {
      status: optional(oneOf(THREAD_STATUSES)),
      isMessagingWindowOpen: optional(boolean()),
      businessId: optional(string()),
    },
    { description },
  );

export const threadChangeSchema = object(
  {
    id: string({ examples: ["s1"] }),
    at: integer({ description: "the world's time, ms" }),
    threadId: string(),
    causedBy: nullable(
      string({
        description: "the journal entry (r…) or control call (c…) that made it; null for time that passed",
      }),
    ),
    afterRequest: nullable(string({ description: "the newest journal entry then" })),
    afterControl: nullable(string({ description: "the newest control call that had ended then" })),
    from: values("what has changed, as it was"),
    to: values("the same as it is now"),
  },
  { title: "thread change" },
);
/** That a thread has another status, business or messaging window, as `GET /__sim/changes` shows it. */
export type ThreadChange = InferReadonly<typeof threadChangeSchema>;

type Difference = Pick<ThreadChange, "from" | "to">;

/** What a conversation tells of a change of its thread; undefined where something else has changed. */
export function differenceOf(
  view: ChannelView,
  before: Thread | null,
  after: Thread | null,
): Difference | undefined {
  if (before === null || after === null) return undefined;
  // Where there is no window it is open, whatever the record says.
  const isOpen = (thread: Thread) => !hasWindow(view, thread) || thread.isMessagingWindowOpen;
  const hasMoved = isOpen(before) !== isOpen(after);
  if (before.status === after.status && before.businessId === after.businessId && !hasMoved) return undefined;
  const valuesOf = (thread: Thread): ThreadChange["to"] => ({
    ...(before.status === after.status ? {} : { status: thread.status }),
    ...(hasMoved ? { isMessagingWindowOpen: isOpen(thread) } : {}),
    ...(before.businessId === after.businessId ? {} : { businessId: thread.businessId }),
  });
  return { from: valuesOf(before), to: valuesOf(after) };
}
