import type { Causes } from "./causes";
import { eventTime, messageOfDelivery, threadOfRequest } from "./entries";
import type { Fold, TrafficEntry } from "./folding";
import { fold } from "./folding";
import type { LiveLog } from "./live-log";
import type { StreamOrder } from "./stream-order";
import type { DeliveryRecord, Message, RequestRecord } from "./types";

/** An item of the conversation: a message, or the traffic between two messages. */
export type ConversationItem =
  | {
      readonly kind: "message";
      readonly key: string;
      readonly message: Message;
      readonly firstOfDay: boolean;
    }
  | { readonly kind: "traffic"; readonly key: string; readonly folds: readonly Fold[] };

/** What decides which traffic stands where. */
export interface TrafficSources {
  readonly requests: LiveLog<RequestRecord>;
  readonly deliveries: LiveLog<DeliveryRecord>;
  readonly causes: Causes;
  readonly order: StreamOrder;
}

const DAY_MS = 86_400_000;

/** Messages in their order, with what they caused and what was called in between. */
export function conversationItems(
  sources: TrafficSources,
  threadId: string,
  messages: readonly Message[],
): ConversationItem[] {
  const traffic = trafficAfter(sources, threadId, messages);
  const items: ConversationItem[] = [];
  const addTraffic = (at: number) => {
    const entries = traffic.get(at);
    if (entries !== undefined)
      items.push({
        kind: "traffic",
        key: `t${messages[at]?.id ?? "start"}`,
        folds: fold(entries.toReversed()),
      });
  };
  addTraffic(-1);
  let day = -1;
  for (const [at, message] of messages.entries()) {
    const own = Math.floor(message.timestamp / DAY_MS);
    items.push({ kind: "message", key: `m${message.id}`, message, firstOfDay: own !== day });
    day = own;
    addTraffic(at);
  }
  return items;
}

/**
 * The thread's traffic by the position of the message after which it stands, -1 for the start: a delivery after the
 * message that it reports, a call before the message that it wrote, everything else where it happened. Newest first.
 */
function trafficAfter(
  { requests, deliveries, causes, order }: TrafficSources,
  threadId: string,
  messages: readonly Message[],
): ReadonlyMap<number, readonly TrafficEntry[]> {
  const slots = new Map<number, TrafficEntry[]>();
  const add = (slot: number, entry: TrafficEntry) => {
    const entries = slots.get(slot);
    if (entries === undefined) slots.set(slot, [entry]);
    else entries.push(entry);
  };
  const positions = new Map<string, number>();
  const written = new Map<string, number>();
  for (const [at, { id }] of messages.entries()) {
    positions.set(id, at);
    const writer = causes.writerOf(id);
    if (writer !== undefined) written.set(writer, at);
  }
  let at = messages.length - 1;
  for (const request of requests.entries.toReversed()) {
    if (threadOfRequest(request) !== threadId) continue;
    const message = written.get(request.id);
    // Calls before one that wrote a message stand before that message, too.
    at = message === undefined ? lastBefore(order, messages, at, request.id, request.at) : message - 1;
    add(at, { kind: "request", entry: request });
  }
  at = messages.length - 1;
  for (const delivery of deliveries.entries.toReversed()) {
    if (delivery.threadId !== threadId) continue;
    const message = positions.get(messageOfDelivery(delivery) ?? "");
    if (message === undefined) at = lastBefore(order, messages, at, delivery.id, eventTime(delivery));
    add(message ?? at, { kind: "delivery", entry: delivery });
  }
  return slots;
}

/**
 * The position of the last message before an entry, looking back from position `from`. Where the stream named one of
 * the two, its order decides, else the time: on a frozen clock that is the same for both.
 */
function lastBefore(
  order: StreamOrder,
  messages: readonly Message[],
  from: number,
  id: string,
  time: number,
): number {
  const own = order.positionOf(id);
  for (let at = from; at >= 0; at -= 1) {
    const message = messages[at];
    if (message === undefined) continue;
    const other = order.positionOf(message.id);
    if (own === other ? message.timestamp <= time : other < own) return at;
  }
  return -1;
}

/** The newest delivery of each message's event to each webhook, by message id. */
export function newestDeliveries(
  deliveries: readonly DeliveryRecord[],
  threadId: string,
): ReadonlyMap<string, readonly DeliveryRecord[]> {
  const byMessage = new Map<string, Map<string, DeliveryRecord>>();
  for (const delivery of deliveries) {
    const message = delivery.threadId === threadId ? messageOfDelivery(delivery) : null;
    if (message === null) continue;
    const newest = byMessage.get(message) ?? new Map<string, DeliveryRecord>();
    byMessage.set(message, newest.set(delivery.webhookId, delivery));
  }
  return new Map([...byMessage].map(([id, newest]) => [id, [...newest.values()]]));
}
