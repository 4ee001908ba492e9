import { useApp, useOpenItem } from "../lib/context";
import { isoTime, longDay, longMs, shortMs, timeOfDay } from "../lib/format";
import { deliveryOutcome } from "../model/outcome";
import type { DeliveryRecord, Thread } from "../model/types";
import { Icon } from "../parts/icon";
import type { Elapsed } from "../story/elapsed";
import type { Origin, Step } from "../story/turns";
import { MessageMenu } from "./message-menu";
import { authorName } from "./share-dialog";

interface Props {
  readonly step: Extract<Step, { readonly kind: "message" }>;
  readonly thread: Thread;
  readonly deliveries: readonly DeliveryRecord[] | undefined;
  /** Whether the open delivery reports this message. */
  readonly chosen: boolean;
  readonly onSave: (messageId: string) => void;
  readonly onShare: (messageId: string) => void;
}

/** A message: who wrote what and when, and what became of its event. */
export function MessageArticle({ step, thread, deliveries, chosen, onSave, onShare }: Props) {
  const { message, firstOfDay, origin, answeredAfter } = step;
  const { session } = useApp();
  const author = authorName(session, message, thread);
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
          <MessageMenu message={message} onSave={onSave} onShare={onShare} />
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
    <button type="button" class={`event-state ${worst.tone}`} onClick={() => open(worst.delivery.id)}>
      <Icon
        name={
          worst.tone === "good"
            ? "check"
            : worst.tone === "held"
              ? "shield"
              : worst.tone === "waiting"
                ? "clock"
                : "cross"
        }
      />
      {label}
    </button>
  );
}
