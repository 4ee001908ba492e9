import type { Tone } from "./outcome";
import { outcomeOfDelivery, outcomeOfRequest } from "./outcome";
import type { Session } from "./session";

export const LANES = ["messages", "calls", "webhooks"] as const;
export type Lane = (typeof LANES)[number];

/** A mark on the timeline. */
export interface TimelineEvent {
  readonly id: string;
  readonly lane: Lane;
  /** The sandbox's time, ms. */
  readonly at: number;
  readonly tone: Tone;
  readonly words: string;
  /** The entry of the logs that it stands for. */
  readonly item: string | null;
}

/** What happened since the first call or delivery that is still in the logs, in the order of the sandbox's clock. */
export function timelineEventsOf(session: Session): TimelineEvent[] {
  const all: TimelineEvent[] = [];
  for (const request of session.requests.entries) {
    const { tone, words } = outcomeOfRequest(request);
    const text = `${request.method} ${request.path}: ${words}`;
    all.push({ id: request.id, lane: "calls", at: request.at, tone, words: text, item: request.id });
  }
  for (const delivery of session.deliveries.entries) {
    const { tone, words } = outcomeOfDelivery(delivery);
    for (const [at, attempt] of delivery.attempts.entries()) {
      const last = at === delivery.attempts.length - 1;
      all.push({
        id: `${delivery.id}.${at}`,
        lane: "webhooks",
        at: attempt.at,
        tone: last ? tone : "bad",
        words: `${delivery.eventType} to ${delivery.hookId}: ${last ? words : (attempt.status ?? "no answer")}`,
        item: delivery.id,
      });
    }
  }
  const start = all.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
  for (const { id, timestamp, fromCustomer, text } of session.conversation?.messages ?? []) {
    if (timestamp < start) continue;
    const words = `${fromCustomer ? "customer" : "employee"}: ${text.slice(0, 60)}`;
    all.push({ id: `m${id}`, lane: "messages", at: timestamp, tone: "quiet", words, item: null });
  }
  return all.sort((one, other) => one.at - other.at);
}
