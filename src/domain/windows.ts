/** The messaging window (specification: "States and transitions / Messaging window"). */
import type { BehaviourValues } from "../behaviour/table.js";
import { milliseconds } from "../kernel/duration.js";
import type { Thread } from "../world/records.js";
import { threadWithId } from "./access.js";
import { Refusal } from "./refusal.js";
import type { Rule, WorldView } from "./transaction.js";

/** What decides about the windows of a world: its time, ms, and the channels that have one. */
export interface WindowView {
  readonly now: number;
  readonly behaviour: Pick<BehaviourValues, "window.channels">;
}

/** Whether the thread's channel limits free-form text to a window. */
export const hasWindow = (view: Pick<WindowView, "behaviour">, thread: Thread): boolean =>
  view.behaviour["window.channels"].includes(thread.channel);

/** Whether free-form text may be sent now; always, on a channel without a window. */
export function isWindowOpen(view: WindowView, thread: Thread): boolean {
  if (!hasWindow(view, thread)) return true;
  return thread.isMessagingWindowOpen && (thread.windowClosesAt == null || thread.windowClosesAt > view.now);
}

/** The thread as every reader sees it: with its window as it stands now, whatever the record says. */
export function withWindow(view: WindowView, thread: Thread): Thread {
  const isMessagingWindowOpen = isWindowOpen(view, thread);
  return isMessagingWindowOpen === thread.isMessagingWindowOpen
    ? thread
    : { ...thread, isMessagingWindowOpen };
}

/** The thread with its window open from now on, for as long as `window.duration` says. */
export function opened(view: WorldView, thread: Thread): Thread {
  const duration = view.behaviour["window.duration"];
  const { windowClosesAt: _, ...rest } = thread;
  if (duration === null) return { ...rest, isMessagingWindowOpen: true };
  return { ...rest, isMessagingWindowOpen: true, windowClosesAt: view.now + milliseconds(duration) };
}

export function closed(thread: Thread): Thread {
  const { windowClosesAt: _, ...rest } = thread;
  return { ...rest, isMessagingWindowOpen: false };
}

/** Opens or closes the window by hand. A channel without a window cannot be closed. */
export const moveWindow: Rule<{ threadId: string; open: boolean }, Thread> = (tx, { threadId, open }) => {
  const thread = threadWithId(tx, threadId);
  if (!hasWindow(tx, thread)) {
    if (open) return thread;
    throw new Refusal("windows.noWindow", { threadId, channel: thread.channel });
  }
  return tx.put("threads", open ? opened(tx, thread) : closed(thread));
};

/** Closes a window whose time is over; does nothing when it was closed or prolonged in between. */
export const expireWindow: Rule<{ threadId: string }, void> = (tx, { threadId }) => {
  const thread = tx.get("threads", threadId);
  if (thread === undefined || !thread.isMessagingWindowOpen || thread.windowClosesAt == null) return;
  if (thread.windowClosesAt <= tx.now) tx.put("threads", closed(thread));
};
