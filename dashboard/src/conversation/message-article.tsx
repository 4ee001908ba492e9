import { useApp } from "../lib/context";
import { isoTime, longDay, timeOfDay, tookMs } from "../lib/format";
import type { Thread } from "../model/types";
import { Icon } from "../parts/icon";
import type { Elapsed } from "../story/elapsed";
import type { Step } from "../story/turns";

interface Props {
  readonly step: Extract<Step, { readonly kind: "message" }>;
  readonly thread: Thread;
  /** Whether the open delivery reports this message. */
  readonly chosen: boolean;
}

/** A message: who wrote what and when. */
export function MessageArticle({ step, thread, chosen }: Props) {
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
        {message.text === "" && message.attachment === null ? (
          <p class="text muted">empty message</p>
        ) : (
          <p class="text" dir="auto">
            {message.text}
          </p>
        )}
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
          {origin === "scenario" ? <span class="origin">by a scenario</span> : null}
          {answeredAfter === undefined ? null : <AnsweredAfter elapsed={answeredAfter} />}
        </footer>
      </article>
    </>
  );
}

/** Below this the time is no longer than the page takes to hear of anything, ms. */
const AT_ONCE_MS = 100;

const AnsweredAfter = ({ elapsed: { ms, isReal } }: { elapsed: Elapsed }) => (
  <span class="after" title={isReal ? undefined : "By the sandbox's clock"}>
    answered {ms < AT_ONCE_MS ? "at once" : `after ${tookMs(ms)}`}
  </span>
);
