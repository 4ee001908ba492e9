/** Whether free-form text may be sent in a thread, as the service and the dashboard judge it (specification: "Messaging window"). */

/** What of a thread decides. */
interface Windowed {
  readonly channel: string;
  readonly isMessagingWindowOpen: boolean;
  readonly windowClosesAt?: number | null | undefined;
}

/** What says which channels have a window. */
export interface ChannelView {
  readonly behaviour: { readonly "window.channels": readonly string[] };
}

/** Whether the thread's channel limits free-form text to a window. */
export const hasWindow = (view: ChannelView, thread: Windowed): boolean =>
  view.behaviour["window.channels"].includes(thread.channel);

/** What decides about the window of a thread as readers see it: the sandbox's time, ms, and the channels that have one. */
export interface WindowView extends ChannelView {
  readonly now: number;
}

/** Whether free-form text may be sent now in a thread as readers see it; always, on a channel without a window. */
export function isShownOpen(view: WindowView, thread: Windowed): boolean {
  if (!hasWindow(view, thread)) return true;
  return thread.isMessagingWindowOpen && (thread.windowClosesAt == null || thread.windowClosesAt > view.now);
}
