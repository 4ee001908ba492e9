/** The messaging window (specification: "States and transitions / Messaging window"). */

import { milliseconds } from "../../kernel/units.js";
import { hasWindow, isShownOpen } from "../../kernel/windows.js";
import type { Thread } from "../world/records.js";
import { threadWithId } from "./access.js";
import { Refusal } from "./refusals.js";
import type { Rule, WorldView } from "./transaction.js";

export const isWindowOpen = (view: WorldView, thread: Thread): boolean =>
  isShownOpen(view, withEnd(view, thread));

/**
 * When the window of an open thread ends, ms; undefined if it never does by itself. Without a time in the record, and unless
 * `window.undatedEnd` is `never`, it ends `window.duration` after the customer's last message, or after the sandbox's start if
 * that time has passed by then.
 */
export function windowEndOf(view: WorldView, thread: Thread): number | undefined {
  if (thread.windowClosesAt != null) return thread.windowClosesAt;
  if (view.behaviour["window.undatedEnd"] === "never" || !hasWindow(view, thread)) return undefined;
  const duration = view.behaviour["window.duration"];
  if (duration === null) return undefined;
  const length = milliseconds(duration);
  const end = lastCustomerMessageAt(view, thread) + length;
  return end > view.began ? end : view.began + length;
}

function lastCustomerMessageAt(view: WorldView, { id }: Thread): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const { fromCustomer, timestamp } of view.find("messagesByThread", id))
    if (fromCustomer && timestamp > last) last = timestamp;
  return last;
}

function withEnd(view: WorldView, thread: Thread): Thread {
  const windowClosesAt = thread.isMessagingWindowOpen ? windowEndOf(view, thread) : undefined;
  return windowClosesAt === undefined || windowClosesAt === thread.windowClosesAt
    ? thread
    : { ...thread, windowClosesAt };
}

/** The thread as it is shown: with the current state and end of its window, whatever the record says. */
export function withWindow(view: WorldView, thread: Thread): Thread {
  const shown = withEnd(view, thread);
  const isMessagingWindowOpen = isShownOpen(view, shown);
  return isMessagingWindowOpen === shown.isMessagingWindowOpen ? shown : { ...shown, isMessagingWindowOpen };
}

/** The thread with its window opened, for as long as `window.duration` says. */
export function opened(view: WorldView, thread: Thread): Thread {
  const duration = view.behaviour["window.duration"];
  const open = { ...closed(thread), isMessagingWindowOpen: true };
  return duration === null ? open : { ...open, windowClosesAt: view.now + milliseconds(duration) };
}

function closed(thread: Thread): Thread {
  const { windowClosesAt: _, ...rest } = thread;
  return { ...rest, isMessagingWindowOpen: false };
}

/** Opens or closes the window by hand. The window of a channel without one cannot be closed. */
export const moveWindow: Rule<{ threadId: string; open: boolean }, Thread> = (tx, { threadId, open }) => {
  const thread = threadWithId(tx, threadId);
  if (!hasWindow(tx, thread)) {
    if (open) return thread;
    throw new Refusal("windows.noWindow", { threadId, channel: thread.channel });
  }
  return tx.put("threads", open ? opened(tx, thread) : closed(thread));
};

/** Closes a window that has ended; does nothing if it was closed or prolonged in the meantime. */
export const expireWindow: Rule<{ threadId: string }, void> = (tx, { threadId }) => {
  const thread = tx.get("threads", threadId);
  if (thread === undefined || !thread.isMessagingWindowOpen) return;
  const end = windowEndOf(tx, thread);
  if (end !== undefined && end <= tx.now) tx.put("threads", closed(thread));
};
