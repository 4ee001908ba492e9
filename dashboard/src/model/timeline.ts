import { numberOf } from "./live-log";
import type { Session } from "./session";
import { eventTimeOf, messageOfDelivery, textOfBody } from "./threads-of";
import type { Delivery, Message, RequestRecord } from "./types";

/** What stands between two bubbles: a call of the client's, or a delivery that a message or transfer caused. */
export type Effect =
  | { readonly kind: "request"; readonly request: RequestRecord }
  | { readonly kind: "delivery"; readonly delivery: Delivery };

/** A line of the conversation as it is shown. */
export type Line =
  | { readonly kind: "message"; readonly key: string; readonly message: Message; readonly day: boolean }
  | { readonly kind: "effects"; readonly key: string; readonly effects: readonly Effect[] };

/** Messages in their order, with what they caused and what was called in between. */
export function linesOf(session: Session, threadId: string, messages: readonly Message[]): Line[] {
  const requests = session.requests.group(threadId);
  const deliveries = session.deliveries.group(threadId);
  const positions = new Map(messages.map((message, at) => [message.id, at]));
  const slots = new Map<number, Effect[]>();
  const add = (slot: number, effect: Effect) => {
    const there = slots.get(slot);
    if (there === undefined) slots.set(slot, [effect]);
    else there.push(effect);
  };
  let last = -1;
  for (const delivery of deliveries) {
    const position = positions.get(messageOfDelivery(delivery) ?? "");
    const slot = position ?? Math.max(last, lastBefore(messages, eventTimeOf(delivery) ?? 0));
    if (position !== undefined) last = Math.max(last, position);
    add(slot, { kind: "delivery", delivery });
  }
  const made = madeBy(messages, positions, requests, deliveries);
  let least = -1;
  for (const request of requests) {
    const message = made.get(request.id);
    const slot = message === undefined ? Math.max(least, slotOf(session, messages, request)) : message - 1;
    least = Math.max(least, message ?? slot);
    add(slot, { kind: "request", request });
  }
  const lines: Line[] = [];
  const put = (slot: number) => {
    const effects = slots.get(slot);
    const after = messages[slot]?.id ?? "start";
    if (effects !== undefined) lines.push({ kind: "effects", key: `e${after}`, effects });
  };
  put(-1);
  let day = -1;
  messages.forEach((message, at) => {
    const own = Math.floor(message.timestamp / 86_400_000);
    lines.push({ kind: "message", key: `m${message.id}`, message, day: own !== day });
    day = own;
    put(at);
  });
  return lines;
}

/** The position of the message that each call wrote. */
function madeBy(
  messages: readonly Message[],
  positions: ReadonlyMap<string, number>,
  requests: readonly RequestRecord[],
  deliveries: readonly Delivery[],
): Map<string, number> {
  const made = new Map<string, number>();
  const claimed = new Set<number>();
  for (const delivery of deliveries) {
    const position = positions.get(messageOfDelivery(delivery) ?? "");
    if (position === undefined || delivery.causedBy?.startsWith("r") !== true) continue;
    made.set(delivery.causedBy, position);
    claimed.add(position);
  }
  for (const request of requests) {
    if (made.has(request.id) || request.status === null || request.status >= 300) continue;
    const text = textOfBody(request.body, "text");
    const sid = textOfBody(request.body, "contentSid");
    if (text === null && sid === null) continue;
    for (let at = messages.length - 1; at >= 0; at -= 1) {
      const message = messages[at] as Message;
      if (message.timestamp < request.at) break;
      if (claimed.has(at) || message.fromCustomer) continue;
      if (sid !== null ? message.contentSid !== sid : message.text !== text) continue;
      made.set(request.id, at);
      claimed.add(at);
      break;
    }
  }
  return made;
}

/** After which message a call came that wrote none. On a clock that stands, what the page saw first decides. */
function slotOf(session: Session, messages: readonly Message[], request: RequestRecord): number {
  const seen = session.requests.arrivals.get(request.id);
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at] as Message;
    if (message.timestamp > request.at) continue;
    const arrived = session.activity.arrivals.get(message.id);
    if (seen === undefined || arrived === undefined || arrived <= seen) return at;
  }
  return -1;
}

function lastBefore(messages: readonly Message[], time: number): number {
  for (let at = messages.length - 1; at >= 0; at -= 1)
    if ((messages[at] as Message).timestamp <= time) return at;
  return -1;
}

/** The calls that wrote the messages of the open conversation, by message id; where they are still in the journal. */
export function writersOf(session: Session): Map<string, RequestRecord> {
  const { conversation } = session;
  if (conversation === null) return new Map();
  const { messages, threadId } = conversation;
  const positions = new Map(messages.map(({ id }, at) => [id, at]));
  const requests = session.requests.group(threadId);
  const made = madeBy(messages, positions, requests, session.deliveries.group(threadId));
  const writers = new Map<string, RequestRecord>();
  for (const [request, at] of made) {
    const record = session.requests.get(request);
    const message = messages[at];
    if (record !== undefined && message !== undefined) writers.set(message.id, record);
  }
  return writers;
}

/** What became of the events of each message: the newest delivery of each webhook. */
export function deliveriesByMessage(session: Session, threadId: string): Map<string, Delivery[]> {
  const byMessage = new Map<string, Map<string, Delivery>>();
  for (const delivery of session.deliveries.group(threadId)) {
    const message = messageOfDelivery(delivery);
    if (message === null) continue;
    const newest = byMessage.get(message) ?? new Map<string, Delivery>();
    const other = newest.get(delivery.webhookId);
    if (other === undefined || numberOf(other.id) < numberOf(delivery.id))
      newest.set(delivery.webhookId, delivery);
    byMessage.set(message, newest);
  }
  return new Map([...byMessage].map(([id, newest]) => [id, [...newest.values()]]));
}
