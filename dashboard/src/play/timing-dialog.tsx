import { useMemo } from "preact/hooks";
import { useEntries } from "../inspector/entries-of";
import { useApp } from "../lib/context";
import { isoTime, longMs, plural, shortMs, timeOfDay } from "../lib/format";
import type { Thread } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Dialog } from "../parts/dialog";
import type { Phase, Timing } from "./timing";
import { sumsOf, timingOf, webhookTimings } from "./timing";
import { WebhookChart } from "./webhook-chart";
import "../styles/timing.css";

const NAMES: Readonly<Record<Phase, string>> = {
  event: "event",
  attempts: "webhook attempts",
  bot: "bot",
  calls: "bot's calls",
  reply: "reply",
};

const duration = (ms: number): string => (ms < 60_000 ? shortMs(ms) : longMs(ms));

/** Where the time of each turn went, and how the webhooks did over time. */
export default function TimingDialog({ thread, onClose }: { thread: Thread; onClose: () => void }) {
  const { session } = useApp();
  const { requests, causes } = session;
  const deliveries = useEntries(session.deliveries);
  const turns = session.conversationOf(thread.id)?.turns.value;
  const timings = useMemo(() => {
    const logs = {
      request: (id: string) => requests.get(id),
      delivery: (id: string) => session.deliveries.get(id),
      writerOf: (id: string) => causes.writerOf(id),
    };
    const known = (turns ?? []).flatMap((turn) => timingOf(turn, logs) ?? []);
    return known.reverse();
  }, [turns, deliveries]);
  const webhooks = useMemo(() => webhookTimings(deliveries), [deliveries]);
  return (
    <Dialog title="Where time went" onClose={onClose} wide>
      <h3>Turns</h3>
      {timings.length === 0 ? (
        <p class="muted">No turn with a webhook, a call or a reply yet.</p>
      ) : (
        <ol class="timings" aria-label="Turns">
          <Bounded items={timings} step={10}>
            {(timing) => <TurnBar key={timing.key} timing={timing} />}
          </Bounded>
        </ol>
      )}
      <h3>Webhooks</h3>
      {webhooks.length === 0 ? <p class="muted">No attempts yet.</p> : null}
      <ul class="timings" aria-label="Webhooks">
        <Bounded items={webhooks} step={5}>
          {(timing) => (
            <li key={timing.hookId}>
              <p>
                <b>{timing.hookId}</b>{" "}
                <span class="muted">
                  {plural(timing.count, "attempt")}, {Math.round(timing.rate)} % succeeded, p95{" "}
                  {shortMs(timing.p95)}
                </span>
              </p>
              <WebhookChart timing={timing} />
            </li>
          )}
        </Bounded>
      </ul>
      <div class="row end">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** A turn as a bar, and in words. */
function TurnBar({ timing: { at, text, hasReply, stretches, isFrozen } }: { timing: Timing }) {
  const total = stretches.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <li>
      <p class="timing-head">
        <time class="muted" dateTime={isoTime(at)}>
          {timeOfDay(at)}
        </time>
        <span class="grow ellipsis" dir="auto">
          {text}
        </span>
        <b>{duration(total)}</b>
      </p>
      <div class="timing-bar" aria-hidden="true">
        {stretches.map(({ phase, ms }, index) => (
          <i key={index} class={`phase ${phase}`} style={{ flexGrow: ms }} />
        ))}
      </div>
      <p class="timing-legend">
        {sumsOf(stretches).map(({ phase, ms }) => (
          <span key={phase}>
            <i class={`phase ${phase}`} aria-hidden="true" /> {NAMES[phase]} {duration(ms)}
          </span>
        ))}
        {hasReply ? null : <span>no reply</span>}
        {isFrozen ? <span>durations only: the clock is frozen</span> : null}
      </p>
    </li>
  );
}
