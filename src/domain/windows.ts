/** The messaging window (specification: "States and transitions / Messaging window"). */
import { milliseconds } from "../kernel/duration.js";
import type { Thread } from "../world/records.js";
import { threadWithId } from "./access.js";
import { Refusal } from "./refusal.js";
import type { Rule, Turn } from "./turn.js";

/** Whether the thread's channel limits free-form text to a window. */
export const hasWindow = (turn: Turn, thread: Thread): boolean =>
  turn.behaviour["window.channels"].includes(thread.channel);

/** Whether free-form text may be sent now; always, on a channel without a window. */
export function isWindowOpen(turn: Turn, thread: Thread): boolean {
  if (!hasWindow(turn, thread)) return true;
  return thread.isMessagingWindowOpen && (thread.windowClosesAt == null || thread.windowClosesAt > turn.now);
}

/** The thread with its window open from now on, for as long as `window.duration` says. */
export function opened(turn: Turn, thread: Thread): Thread {
  const duration = turn.behaviour["window.duration"];
  const { windowClosesAt: _, ...rest } = thread;
  if (duration === null) return { ...rest, isMessagingWindowOpen: true };
  return { ...rest, isMessagingWindowOpen: true, windowClosesAt: turn.now + milliseconds(duration) };
}

export function closed(thread: Thread): Thread {
  const { windowClosesAt: _, ...rest } = thread;
  return { ...rest, isMessagingWindowOpen: false };
}

/** Opens or closes the window by hand. A channel without a window cannot be closed. */
export const moveWindow: Rule<{ threadId: string; open: boolean }, Thread> = (turn, { threadId, open }) => {
  const thread = threadWithId(turn, threadId);
  if (!hasWindow(turn, thread)) {
    if (open) return thread;
    throw new Refusal("windows.noWindow", { threadId, channel: thread.channel });
  }
  return turn.put("threads", open ? opened(turn, thread) : closed(thread));
};

/** Closes a window whose time is over; does nothing when it was closed or prolonged in between. */
export const expireWindow: Rule<{ threadId: string }, void> = (turn, { threadId }) => {
  const thread = turn.get("threads", threadId);
  if (thread === undefined || !thread.isMessagingWindowOpen || thread.windowClosesAt == null) return;
  if (thread.windowClosesAt <= turn.now) turn.put("threads", closed(thread));
};
