import { useId, useRef } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { apiCurl, controlCurl, requestCurl } from "../lib/curl";
import { copyText } from "../lib/files";
import { plural } from "../lib/format";
import { messageCall, sentCall } from "../model/message-call";
import { messageStep } from "../model/scenario";
import type { Message } from "../model/types";
import { Icon } from "../parts/icon";
import { replayFrom } from "./replay";

interface Props {
  readonly message: Message;
  readonly onSave: (messageId: string) => void;
}

/** The actions on one message. */
export function MessageMenu({ message, onSave }: Props) {
  const { session, notify } = useApp();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const action = useAction();
  const positionMenu = () => {
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
      () => notify(`${what} copied`),
      () => notify("Copying is blocked by the browser", "bad"),
    );
  };
  /** The call that wrote the message, where it was one of the client's. */
  const copyableCurl = () => {
    const request = session.writer(message);
    if (request !== undefined) return requestCurl(request);
    const { path, body } = session.wroteApi(message) ? sentCall(message) : messageCall(message);
    if (!session.wroteApi(message)) return controlCurl(session, path, body);
    return apiCurl("POST", path, session.apiKey(session.tables.threads.get(message.threadId)), body);
  };
  const replay = async () => {
    close();
    const done = await action.run(async () =>
      notify(`Replayed ${plural(await replayFrom(session, message), "message")}`),
    );
    if (!done) notify("The simulator refused a message: replay stopped", "bad");
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
        onClick={positionMenu}
        disabled={action.busy}
      >
        <Icon name="more" />
      </button>
      <div ref={menu} id={id} popover="auto" class="menu" role="group" aria-label="Message actions">
        <button type="button" onClick={() => copy("Message id", message.id)}>
          Copy id <span class="muted">{message.id}</span>
        </button>
        <button type="button" onClick={() => copy("curl", copyableCurl())}>
          Copy curl
        </button>
        <button type="button" onClick={() => copy("Scenario step", messageStep(session, message))}>
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
