import type { Tone } from "./outcome";
import { deliveryOutcome, requestOutcome } from "./outcome";
import type { Session } from "./session";

export const TIMELINE_ROWS = ["messages", "calls", "webhooks"] as const;

/** A mark on the timeline. */
interface TimelineEvent {
  readonly id: string;
  readonly row: (typeof TIMELINE_ROWS)[number];
  /** The sandbox's time, ms. */
  readonly at: number;
  readonly tone: Tone;
  readonly description: string;
  /** The request or delivery that it stands for. */
  readonly item: string | null;
}

/** What happened since the first call or delivery that is still in the logs, in the order of the sandbox's clock. */
export function timelineEvents(session: Session): TimelineEvent[] {
  const events: TimelineEvent[] = [];
  for (const request of session.requests.entries) {
    const { id, at, method, path } = request;
    const { tone, description } = requestOutcome(request);
    events.push({ id, row: "calls", at, tone, description: `${method} ${path}: ${description}`, item: id });
  }
  for (const delivery of session.deliveries.entries) {
    const { id, attempts, eventType, hookId } = delivery;
    const outcome = deliveryOutcome(delivery);
    for (const [index, { at, status }] of attempts.entries()) {
      const isLast = index === attempts.length - 1;
      const answer = isLast ? outcome.description : (status ?? "no answer");
      events.push({
        id: `${id}.${index}`,
        row: "webhooks",
        at,
        tone: isLast ? outcome.tone : "bad",
        description: `${eventType} to ${hookId}: ${answer}`,
        item: id,
      });
    }
  }
  const start = events.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
  for (const { id, timestamp, fromCustomer, text } of session.conversation.value?.messages.value ?? []) {
    if (timestamp < start) continue;
    const description = `${fromCustomer ? "customer" : "employee"}: ${text.slice(0, 60)}`;
    events.push({ id: `m${id}`, row: "messages", at: timestamp, tone: "quiet", description, item: null });
  }
  return events.sort((one, other) => one.at - other.at);
}
