import type { Session } from "./session";
import type { Thread } from "./types";

/** Whether the thread's channel limits free-form text to a messaging window. */
export function hasWindow(session: Session, { channel }: Thread): boolean {
  const channels = session.behaviourValue("window.channels");
  return Array.isArray(channels) ? channels.includes(channel) : channel === "WHATSAPP";
}

/** Whether free-form text may be sent now. */
export function isWindowOpen(session: Session, thread: Thread): boolean {
  if (!hasWindow(session, thread)) return true;
  const { isMessagingWindowOpen, windowClosesAt } = thread;
  return isMessagingWindowOpen && (windowClosesAt == null || windowClosesAt > session.clock.now());
}
