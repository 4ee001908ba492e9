import { useId } from "preact/hooks";
import { hasWindow, isShownOpen } from "../../../src/protocol/windows.js";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { longMs } from "../lib/format";
import { useTick } from "../lib/tick";
import type { Thread, WindowView } from "../model/types";
import { ErrorText } from "../parts/empty";

function windowText(view: WindowView, thread: Thread): string {
  if (!hasWindow(view, thread)) return `${thread.channel} has no messaging window.`;
  if (!isShownOpen(view, thread)) return "Closed: templates and internal only.";
  const { windowClosesAt } = thread;
  return windowClosesAt == null
    ? "Open until closed by hand."
    : `Closes in ${longMs(windowClosesAt - view.now)}.`;
}

export function WindowSwitch({ thread }: { thread: Thread }) {
  const { session } = useApp();
  const action = useAction();
  const note = useId();
  useTick(thread.windowClosesAt != null && !session.clock.frozen);
  const view = session.windowView();
  const open = isShownOpen(view, thread);
  const usable = hasWindow(view, thread);
  const toggle = (input: HTMLInputElement) => {
    input.checked = open;
    if (!usable || action.busy) return;
    void action.run(() =>
      session.transport.call("POST", `/threads/${thread.id}/window`, { body: { open: !open } }),
    );
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
          onChange={(event) => toggle(event.currentTarget)}
        />
        <span class="track" aria-hidden="true" />
        <span>Messaging window open</span>
      </label>
      <p id={note} class="why" title={windowText(view, thread)}>
        {session.behaviour.value.length === 0 ? "Loading…" : windowText(view, thread)}
      </p>
      <ErrorText text={action.error} />
    </div>
  );
}
