/** Whether free-form text may be sent in a thread, as the service and the dashboard judge it (specification: "Messaging window"). */

/** The fields of a thread that decide. */
interface Windowed {
  readonly channel: string;
  readonly isMessagingWindowOpen: boolean;
  readonly windowClosesAt?: number | null | undefined;
}

/** The channels that have a window. */
export interface ChannelView {
  readonly behaviour: { readonly "window.channels": readonly string[] };
}

/** Whether the thread's channel limits free-form text to a window. */
export const hasWindow = (view: ChannelView, thread: Windowed): boolean =>
  view.behaviour["window.channels"].includes(thread.channel);

/** The sandbox's time, ms, and the channels that have a window: both decide whether a thread's is open. */
export interface WindowView extends ChannelView {
  readonly now: number;
}

/** Whether free-form text may be sent now in a thread as readers see it; always, on a channel without a window. */
export function isShownOpen(view: WindowView, thread: Windowed): boolean {
  if (!hasWindow(view, thread)) return true;
  return thread.isMessagingWindowOpen && (thread.windowClosesAt == null || thread.windowClosesAt > view.now);
}
