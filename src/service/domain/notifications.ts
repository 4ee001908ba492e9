import type { BehaviourValues } from "../behaviour/table.js";
import type { World } from "../world/world.js";
import { payloadOf } from "./event-payloads.js";
import type { DomainEvent, Notification } from "./events.js";
import { SUBSCRIPTION_OF } from "./events.js";

/**
 * The webhooks that an event goes to, with what each is sent: those of the organization that are enabled and
 * subscribed; legacy ones get messages only, in their own form (specification: "Events").
 * `legacy` narrows an event given by hand to legacy webhooks or to all others.
 */
export function notificationsOf(
  world: World,
  event: DomainEvent,
  behaviour: BehaviourValues,
  legacy?: boolean,
): Notification[] {
  const hidden =
    event.eventType === "message" &&
    event.message.invisible &&
    behaviour["events.internalMessages"] === "omit";
  if (hidden) return [];
  const notifications: Notification[] = [];
  for (const webhook of world.find("webhooksByOrganization", event.organizationId)) {
    if (!webhook.enabled || !webhook.subscribedEvents.includes(SUBSCRIPTION_OF[event.eventType])) continue;
    if (webhook.legacy && event.eventType !== "message") continue;
    if (legacy !== undefined && webhook.legacy !== legacy) continue;
    notifications.push({ webhook, event, body: payloadOf(event, behaviour, webhook.legacy) });
  }
  return notifications;
}
