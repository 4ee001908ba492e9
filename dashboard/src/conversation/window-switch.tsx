import { useId } from "preact/hooks";
import { useAction } from "../lib/action";
import { useSession } from "../lib/context";
import { longMs } from "../lib/format";
import { useTick } from "../lib/tick";
import type { Session } from "../model/session";
import type { Thread } from "../model/types";

/** Whether the thread's channel limits free-form text at all. */
export function hasWindow(session: Session, thread: Thread): boolean {
  const channels = session.behaviourValue("window.channels");
  return Array.isArray(channels) ? channels.includes(thread.channel) : thread.channel === "WHATSAPP";
}

/** Whether free-form text may be sent now. */
export function isOpen(session: Session, thread: Thread): boolean {
  if (!hasWindow(session, thread)) return true;
  const { isMessagingWindowOpen, windowClosesAt } = thread;
  return isMessagingWindowOpen && (windowClosesAt == null || windowClosesAt > session.now());
}

function wordsOf(session: Session, thread: Thread): string {
  if (!hasWindow(session, thread))
    return `${thread.channel} has no messaging window: text may always be sent.`;
  if (!isOpen(session, thread)) return "Closed: only templates and internal text may be sent.";
  const { windowClosesAt } = thread;
  return windowClosesAt == null
    ? "Open until it is closed by hand."
    : `Closes in ${longMs(windowClosesAt - session.now())}.`;
}

export function WindowSwitch({ thread }: { thread: Thread }) {
  const session = useSession("threads", "clock", "behaviour");
  const action = useAction();
  const note = useId();
  useTick(thread.windowClosesAt != null && !session.frozen);
  const open = isOpen(session, thread);
  const usable = hasWindow(session, thread);
  const move = (input: HTMLInputElement) => {
    input.checked = open;
    if (!usable || action.busy) return;
    void action.run(() => session.api.post(`/threads/${thread.id}/window`, { open: !open }));
  };
  return (
    <div class="control window">
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          checked={open}
          aria-checked={open}
          aria-disabled={!usable}
          aria-describedby={note}
          onChange={(event) => move(event.currentTarget)}
        />
        <span class="track" aria-hidden="true" />
        <span>Messaging window open</span>
      </label>
      <p id={note} class="why">
        {wordsOf(session, thread)}
      </p>
      {action.trouble === "" ? null : (
        <p class="trouble" role="alert">
          {action.trouble}
        </p>
      )}
    </div>
  );
}
