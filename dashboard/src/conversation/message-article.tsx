import { omitUndefined } from "../../../src/kernel/objects.js";
import { useAction } from "../lib/action";
import { useApp, useOpenItem } from "../lib/context";
import { apiCurl, controlCurl, requestCurl } from "../lib/curl";
import { copyText } from "../lib/files";
import { isoTime, longDay, longMs, plural, shortMs, timeOfDay } from "../lib/format";
import { deliveryOutcome } from "../model/outcome";
import { firstOwnMessage } from "../model/recording";
import type { Session } from "../model/session";
import type { DeliveryRecord, Message, Thread } from "../model/types";
import { Button } from "../parts/button";
import { Icon } from "../parts/icon";
import { Menu } from "../parts/menu";
import type { Elapsed } from "../story/elapsed";
import type { Origin, Step } from "../story/turns";

interface Props {
  readonly step: Extract<Step, { readonly kind: "message" }>;
  readonly thread: Thread;
  readonly deliveries: readonly DeliveryRecord[] | undefined;
  /** Whether the open delivery reports this message. */
  readonly chosen: boolean;
  readonly onSave: (messageId: string) => void;
}

/** A message: who wrote what and when, and what became of its event. */
export function MessageArticle({ step, thread, deliveries, chosen, onSave }: Props) {
  const { message, firstOfDay, origin, answeredAfter } = step;
  const { session } = useApp();
  const author = session.tables.authorName(message, thread);
  const side = message.invisible ? "internal" : message.fromCustomer ? "customer" : "employee";
  const template = message.contentSid === null ? undefined : session.tables.templates.get(message.contentSid);
  const marks = [message.fromCustomer ? "customer" : "employee"];
  if (message.invisible) marks.push("internal");
  if (message.contentSid !== null) marks.push("template");
  return (
    <>
      {firstOfDay ? <p class="day">{longDay(message.timestamp)}</p> : null}
      <article
        class={`message ${side} ${chosen ? "chosen" : ""}`}
        aria-label={`${author} (${marks.join(", ")}), ${timeOfDay(message.timestamp)}`}
      >
        <header class="message-head">
          <span class="author" dir="auto">
            {author}
          </span>
          {origin === "api" ? (
            <span class="mark bot-mark">
              <Icon name="bot" /> bot
            </span>
          ) : null}
          {message.invisible ? (
            <span class="mark internal-mark">
              <Icon name="lock" /> internal
            </span>
          ) : null}
          {message.contentSid === null ? null : (
            <span class="mark" title={message.contentSid}>
              template{template === undefined ? "" : ` ${template.title}`}
            </span>
          )}
        </header>
        <p class="text" dir="auto">
          {message.text}
        </p>
        {message.attachment === null ? null : (
          <p class="attachment" dir="auto">
            {message.attachment.name} · {message.attachment.contentType} ·{" "}
            {message.attachment.contentLength.toLocaleString("en")} bytes
          </p>
        )}
        <footer class="message-foot">
          <time dateTime={isoTime(message.timestamp)} title={isoTime(message.timestamp)}>
            {timeOfDay(message.timestamp)}
          </time>
          {origin === undefined || origin === "api" ? null : <span class="origin">{ORIGINS[origin]}</span>}
          {answeredAfter === undefined ? null : <AnsweredAfter elapsed={answeredAfter} />}
          <EventState deliveries={deliveries} />
          <MessageMenu message={message} onSave={onSave} />
        </footer>
      </article>
    </>
  );
}

const ORIGINS: Readonly<Record<Exclude<Origin, "api">, string>> = {
  page: "by hand",
  scenario: "by a scenario",
  control: "through the control API",
};

/** Below this the time is no longer than the page takes to hear of anything, ms. */
const AT_ONCE_MS = 100;

const AnsweredAfter = ({ elapsed: { ms, isReal } }: { elapsed: Elapsed }) => (
  <span class="after" title={isReal ? undefined : "By the sandbox's clock"}>
    answered {ms < AT_ONCE_MS ? "at once" : `after ${ms < 60_000 ? shortMs(ms) : longMs(ms)}`}
  </span>
);

/** Whether the message's event reached everybody who wants it. */
function EventState({ deliveries }: { deliveries: readonly DeliveryRecord[] | undefined }) {
  const open = useOpenItem();
  if (deliveries === undefined) return null;
  const outcomes = deliveries.map((delivery) => ({ delivery, ...deliveryOutcome(delivery) }));
  const worst =
    outcomes.find(({ tone }) => tone === "bad") ??
    outcomes.find(({ tone }) => tone === "held") ??
    outcomes.find(({ tone }) => tone === "quiet") ??
    outcomes.find(({ tone }) => tone === "waiting") ??
    outcomes[0];
  if (worst === undefined) return null;
  const label = {
    good: "event delivered",
    bad: "event failed",
    held: worst.delivery.status === "blocked" ? "event blocked" : "event held",
    quiet: "event dropped",
    waiting: "event in progress",
    warn: "event delivered",
  }[worst.tone];
  return (
    <Button
      icon={
        worst.tone === "good"
          ? "check"
          : worst.tone === "held"
            ? "shield"
            : worst.tone === "waiting"
              ? "clock"
              : "cross"
      }
      class={`event-state ${worst.tone}`}
      onClick={() => open(worst.delivery.id)}
    >
      {label}
    </Button>
  );
}

interface MessageMenuProps {
  readonly message: Message;
  readonly onSave: (messageId: string) => void;
}

/** The actions on one message. */
function MessageMenu({ message, onSave }: MessageMenuProps) {
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
            <Button onClick={after(() => copy("Message id", message.id))}>
              Copy id <span class="muted">{message.id}</span>
            </Button>
            <Button onClick={after(() => copy("curl", copyableCurl()))}>Copy curl</Button>
            {firstOwnMessage(session, message.threadId) === undefined ? null : (
              <Button onClick={after(() => onSave(message.id))}>Save as test from here…</Button>
            )}
            <Button onClick={after(replay)}>Replay from here</Button>
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

/** A `POST`. */
interface Post {
  readonly path: string;
  readonly body: unknown;
}

/** The call with which a person at the page writes the same message. */
function messageCall(message: Message): Post {
  const { threadId, fromCustomer, text, attachment, employeeUserId, invisible } = message;
  if (fromCustomer)
    return {
      path: `/threads/${threadId}/inbound`,
      body: omitUndefined({ text: text || undefined, attachment: attachment ?? undefined }),
    };
  return {
    path: `/threads/${threadId}/employee-message`,
    body: omitUndefined({ userId: employeeUserId, text, internal: invisible || undefined }),
  };
}

/** The call of the simulated API that wrote a message, as the message tells it: for one that is in no log any more. */
function sentCall({ threadId, text, contentSid, invisible }: Message): Post {
  return {
    path: "/api/send-message-to-customer-thread",
    body: omitUndefined({
      customerThreadId: threadId,
      text: contentSid === null ? text : undefined,
      contentSid: contentSid ?? undefined,
      internal: invisible || undefined,
    }),
  };
}
