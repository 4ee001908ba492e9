/** AsyncAPI 3 of the webhooks, derived from the payload tables. */

import { published } from "../kernel/schema.js";
import { VERSION } from "../kernel/version.js";
import {
  legacyPayloadSchema,
  messageEventSchema,
  transferEventSchema,
} from "../service/domain/event-payload-schemas.js";
import { SUBSCRIPTION_OF } from "../service/domain/events.js";

const MESSAGES = {
  message: {
    summary: "A message was sent or received",
    payload: messageEventSchema,
    subscription: SUBSCRIPTION_OF.message,
  },
  transfer: {
    summary: "A conversation was reassigned to another business",
    payload: transferEventSchema,
    subscription: SUBSCRIPTION_OF.transfer,
  },
  legacyMessage: {
    summary: "A message, in the flat form of webhooks set through the legacy endpoint",
    payload: legacyPayloadSchema,
    subscription: SUBSCRIPTION_OF.message,
  },
} as const;

export function describeWebhooks(): object {
  const messages = Object.entries(MESSAGES);
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Customer Messaging Integration webhooks (simulated)",
      version: VERSION,
      description:
        "Each event is one HTTP POST with a JSON body to every enabled webhook that is subscribed to it.",
    },
    defaultContentType: "application/json",
    channels: {
      webhook: {
        address: null,
        description: "The URL of a webhook, with its extraHeaders.",
        messages: Object.fromEntries(
          messages.map(([name]) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: Object.fromEntries(
      messages.map(([name, { summary, subscription }]) => [
        `deliver-${name}`,
        {
          action: "send",
          channel: { $ref: "#/channels/webhook" },
          summary: `${summary} (subscription ${subscription})`,
          messages: [{ $ref: `#/channels/webhook/messages/${name}` }],
        },
      ]),
    ),
    components: {
      messages: Object.fromEntries(
        messages.map(([name, { summary, payload }]) => [
          name,
          { name, summary, payload: published(payload) },
        ]),
      ),
    },
  };
}
