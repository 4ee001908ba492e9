/** What receivers outside the simulator answered, as faults that answer in their place. */
import type { Draft } from "./draft.js";
import type { References } from "./references.js";
import type { DeliveryAttempt, Timeline, TimelineEntry } from "./timeline.js";
import { isRetryDropped } from "./timeline.js";

/** The same answer of a receiver, so many times in a row. */
interface Series {
  readonly webhook: string;
  /** The position of the entry before which the fault is armed. */
  readonly before: number;
  readonly then: { readonly status: number } | { readonly drop: "before" };
  times: number;
}

/** The status in place of no answer. */
const NO_ANSWER = 503;
const ANSWERING_PRESETS = ["unavailable", "rate-limited", "hang-up"];

/**
 * The faults to arm before each entry. Of two rules that fit the older one decides: the session's own rules come before
 * those that play receivers back where they decide a delivery by themselves, and after them where they let it through.
 * The simulator's own sinks answer for themselves.
 */
export function receiverFaults({ entries, attempts }: Timeline, references: References) {
  const all: Series[] = [];
  const current = new Map<string, Series>();
  let passing: number | undefined;
  let seen = 0;
  for (const decision of attempts) {
    for (; seen < decision.after; seen += 1) {
      const effect = effectOn(entries[seen]);
      if (effect === "passes") passing ??= seen;
      else if (effect === "decides") {
        current.clear();
        passing = undefined;
      }
    }
    const webhook = decision.delivery.webhookId;
    if (isSink(decision)) current.delete(webhook);
    if (!isByReceiver(decision)) continue;
    const then = answerOf(decision);
    const last = current.get(webhook);
    if (last !== undefined && JSON.stringify(last.then) === JSON.stringify(then)) last.times += 1;
    else {
      const series = { webhook, before: last?.before ?? passing ?? decision.after, then, times: 1 };
      current.set(webhook, series);
      all.push(series);
    }
  }
  return (position: number): Draft[] =>
    all
      .filter(({ before }) => before === position)
      .map(({ webhook, times, then }) => {
        const match = { webhookId: references.id(webhook) };
        return { noun: "receiver", step: { fault: { on: "delivery", match, times, then } } };
      });
}

/** Whether a call may change what comes of a delivery that is under way: all but those that are about threads. */
export function mayDecideTries(entry: TimelineEntry): boolean {
  if (entry.kind === "control") return !/^\/(?:threads\/|events$|clock\/advance$)/.test(entry.control.path);
  return /hook|graphql/.test(entry.request.path);
}

/** Whether an entry is a rule that decides deliveries or lets them through, or disarms all rules. */
function effectOn(entry: TimelineEntry | undefined): "decides" | "passes" | undefined {
  if (entry?.kind !== "control" || entry.control.path !== "/faults") return undefined;
  if (entry.control.method === "DELETE") return "decides";
  const { on, then } = entry.control.body as { on: string; then: string | Readonly<Record<string, unknown>> };
  if (on !== "delivery") return undefined;
  const decides =
    typeof then === "string"
      ? ANSWERING_PRESETS.includes(then)
      : then.drop === "before" || then.status !== undefined || then.body !== undefined;
  return decides ? "decides" : "passes";
}

/** Whether a receiver outside decided. What a fault answers takes no time at all. */
const isByReceiver = (decision: DeliveryAttempt): boolean =>
  !isSink(decision) && (decision.attempt.error !== null || decision.attempt.durationMs > 0);

const isSink = ({ delivery }: DeliveryAttempt): boolean => delivery.url.startsWith("sink:");

function answerOf({ attempt, delivery }: DeliveryAttempt): Series["then"] {
  const isIgnored = delivery.status === "dropped" && !isRetryDropped(delivery);
  if (isIgnored && attempt === delivery.attempts.at(-1)) return { drop: "before" };
  return { status: attempt.error === null ? (attempt.status ?? NO_ANSWER) : NO_ANSWER };
}
