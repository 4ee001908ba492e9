import { useId, useRef } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { copyText } from "../lib/files";
import { stepOf } from "../model/scenario";
import { writersOf } from "../model/timeline";
import type { Message, Thread } from "../model/types";
import { Icon } from "../parts/icon";
import { curlOfMessage } from "./message-curl";
import { replayFrom } from "./replay";

interface Props {
  readonly message: Message;
  readonly thread: Thread;
  readonly onSave: (messageId: string) => void;
}

/** What can be done with one message. */
export function MessageMenu({ message, thread, onSave }: Props) {
  const { session, say } = useApp();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const action = useAction();
  const place = () => {
    const box = button.current?.getBoundingClientRect();
    if (box === undefined || menu.current === null) return;
    const height = 200;
    const top = box.bottom + height > innerHeight ? box.top - height : box.bottom + 4;
    menu.current.style.top = `${Math.max(8, top)}px`;
    menu.current.style.left = `${Math.max(8, Math.min(box.left, innerWidth - 216))}px`;
  };
  const close = () => menu.current?.hidePopover();
  const copy = (what: string, text: string) => {
    close();
    copyText(text).then(
      () => say(`${what} copied`),
      () => say("The browser did not let the page copy", "bad"),
    );
  };
  const replay = async () => {
    close();
    const count = { sent: 0 };
    const done = await action.run(async () => {
      count.sent = await replayFrom(session, thread, message);
    });
    if (done) say(`Replayed: ${count.sent} written again from here`);
    else say("The replay stopped: the simulator refused a message", "bad");
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="ghost icon-only menu-button"
        aria-label="Message actions"
        aria-haspopup="true"
        popovertarget={id}
        onClick={place}
        disabled={action.busy}
      >
        <Icon name="more" />
      </button>
      <div ref={menu} id={id} popover="auto" class="menu" role="group" aria-label="Message actions">
        <button type="button" onClick={() => copy("Message id", message.id)}>
          Copy id <span class="muted">{message.id}</span>
        </button>
        <button type="button" onClick={() => copy("curl", curlOfMessage(session, message))}>
          Copy curl
        </button>
        <button
          type="button"
          onClick={() => copy("Scenario step", stepOf(session, message, writersOf(session).get(message.id)))}
        >
          Copy scenario step
        </button>
        <button
          type="button"
          onClick={() => {
            close();
            onSave(message.id);
          }}
        >
          Save as scenario…
        </button>
        <button type="button" onClick={replay}>
          Replay from here
        </button>
      </div>
    </>
  );
}
