import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { apiCurl, controlCurl, requestCurl } from "../lib/curl";
import { copyText } from "../lib/files";
import { plural } from "../lib/format";
import { messageCall, sentCall } from "../model/message-call";
import { firstOwnMessage } from "../model/recording";
import type { Session } from "../model/session";
import type { Message } from "../model/types";
import { Menu } from "../parts/menu";

interface Props {
  readonly message: Message;
  readonly onSave: (messageId: string) => void;
  readonly onShare: (messageId: string) => void;
}

/** The actions on one message. */
export function MessageMenu({ message, onSave, onShare }: Props) {
  const { session, notify } = useApp();
  const action = useAction();
  const copy = (what: string, text: string) => {
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
    const done = await action.run(async () =>
      notify(`Replayed ${plural(await replayFrom(session, message), "message")}`),
    );
    if (!done) notify("The simulator refused a message: replay stopped", "bad");
  };
  return (
    <Menu label="Message actions" class="menu-button" disabled={action.busy}>
      {(close) => {
        const after = (work: () => unknown) => () => {
          close();
          void work();
        };
        return (
          <>
            <button type="button" onClick={after(() => copy("Message id", message.id))}>
              Copy id <span class="muted">{message.id}</span>
            </button>
            <button type="button" onClick={after(() => copy("curl", copyableCurl()))}>
              Copy curl
            </button>
            {firstOwnMessage(session, message.threadId) === undefined ? null : (
              <button type="button" onClick={after(() => onSave(message.id))}>
                Save as test from here…
              </button>
            )}
            <button type="button" onClick={after(() => onShare(message.id))}>
              Share this turn…
            </button>
            <button type="button" onClick={after(replay)}>
              Replay from here
            </button>
          </>
        );
      }}
    </Menu>
  );
}

/** How long the deliveries of one message may take before the next is written, ms. */
const IDLE_TIMEOUT_MS = 10_000;

/**
 * Writes again what the customer and the employees wrote by hand from a message on, and resolves with how many
 * messages these were. Each waits until the deliveries of the one before have ended. What the client sent through the
 * API is left to the client.
 */
async function replayFrom(session: Session, from: Message): Promise<number> {
  const { transport } = session;
  const messages = session.conversationOf(from.threadId)?.messages.peek() ?? [];
  const start = messages.findIndex((message) => message.id === from.id);
  const byHand = messages.slice(start).filter((message) => !session.wroteApi(message));
  for (const message of byHand) {
    const { path, body } = messageCall(message);
    await transport.call("POST", path, { body });
    await transport.call("POST", "/wait", { body: { for: "idle", timeoutMs: IDLE_TIMEOUT_MS } });
  }
  return byHand.length;
}
