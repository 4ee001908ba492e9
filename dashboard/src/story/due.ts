import { messageOfDelivery } from "../model/entries";
import { deliveryOutcome, refusalOf } from "../model/outcome";
import type { DeliveryRecord, RequestRecord, Webhook } from "../model/types";
import type { Turn } from "./turns";

/** Why there is no answer yet, and the call or delivery that shows it. */
export interface Why {
  readonly text: string;
  readonly item?: string;
}

/** A receiver that is built into the simulator. */
const SINK = "sink:";

/** Why the customer of a turn has no answer yet, as far as the logs tell: the last thing that went wrong on the way. */
export function whyUnanswered(
  { message, events }: NonNullable<Turn["unanswered"]>,
  webhooks: readonly Webhook[],
): Why {
  const requests: RequestRecord[] = [];
  const newest = new Map<string, DeliveryRecord>();
  for (const event of events) {
    if (event.kind === "request" && event.entry.by === "client") requests.push(event.entry);
    if (event.kind === "delivery" && messageOfDelivery(event.entry) === message.id)
      newest.set(event.entry.webhookId, event.entry);
  }
  const refused = requests.findLast(
    ({ status, durationMs }) => durationMs !== null && (status ?? 500) >= 400,
  );
  if (refused !== undefined && refused === requests.at(-1)) return refusedText(refused);
  const deliveries = [...newest.values()];
  const delivered = deliveries.find(({ status, url }) => status === "delivered" && !url.startsWith(SINK));
  if (delivered === undefined) return undeliveredText(deliveries, webhooks);
  if (refused !== undefined) return refusedText(refused);
  const calls = requests.length;
  const item = requests.at(-1)?.id ?? delivered.id;
  return calls === 0
    ? { text: `the event was delivered (${lastStatus(delivered)}), and nobody has called since`, item }
    : { text: `the event was delivered, and none of the ${calls} calls since wrote an answer`, item };
}

const lastStatus = ({ attempts }: DeliveryRecord) => attempts.at(-1)?.status ?? "no status";

const refusedText = (request: RequestRecord): Why => ({
  text: `the call was refused: ${request.status ?? "no answer"} ${refusalOf(request)}`.trim(),
  item: request.id,
});

function undeliveredText(deliveries: readonly DeliveryRecord[], webhooks: readonly Webhook[]): Why {
  const [first] = deliveries;
  if (first === undefined) return { text: noWebhookText(webhooks) };
  const failed = deliveries.find(({ status }) => status === "failed") ?? first;
  if (failed.url.startsWith(SINK) && failed.status === "delivered")
    return {
      text: `the event went to the built-in receiver ${failed.url} only: no bot is connected`,
      item: failed.id,
    };
  const { description } = deliveryOutcome(failed);
  return { text: `webhook ${failed.hookId}: ${failed.reason ?? description}`, item: failed.id };
}

function noWebhookText(webhooks: readonly Webhook[]): string {
  if (webhooks.length === 0) return "there is no webhook that the event could go to";
  const enabled = webhooks.filter((webhook) => webhook.enabled);
  if (enabled.length === 0)
    return `no webhook is enabled: ${webhooks.map(({ hookId }) => hookId).join(", ")} ${webhooks.length === 1 ? "is" : "are"} disabled`;
  return enabled.some(({ subscribedEvents }) => subscribedEvents.includes("messages"))
    ? "no webhook got the event"
    : `no webhook is subscribed to messages: ${enabled.map(({ hookId }) => hookId).join(", ")}`;
}
