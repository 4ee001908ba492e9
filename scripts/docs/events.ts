/** What webhooks are sent. */

import type { Schema } from "../../src/kernel/schema.js";
import {
  legacyPayloadSchema,
  messageEventSchema,
  SUBSCRIPTION_OF,
  transferEventSchema,
} from "../../src/service/domain/events.js";
import type { Examples } from "./examples.js";
import { type Blocks, jsonBlock, page } from "./markdown.js";
import { fieldTable } from "./schemas.js";

const part = (title: string, description: string, schema: Schema, example: unknown): Blocks => [
  `## ${title}`,
  description,
  fieldTable(schema),
  "For example:",
  jsonBlock(example),
];

export async function eventsPage(examples: Examples): Promise<string> {
  const { message, transfer, legacy } = await examples.payloads();
  return page(
    "Events",
    "Each event is sent as one HTTP POST with a JSON body to every enabled, subscribed webhook of the organization, with the webhook's `extraHeaders`. AsyncAPI: `GET /__sim/asyncapi.json`, or `messaging-sim schema asyncapi`.",
    "Timestamps are in milliseconds by default ([`timestamps.unit`](behaviour.md)); the entries `delivery.*` control attempts, order and signatures.",
    part(
      "message",
      `A message was sent or received. Subscription key: \`${SUBSCRIPTION_OF.message}\`.`,
      messageEventSchema,
      message,
    ),
    part(
      "transfer",
      `A conversation was reassigned to another business. Subscription key: \`${SUBSCRIPTION_OF.transfer}\`.`,
      transferEventSchema,
      transfer,
    ),
    part(
      "Legacy payload",
      "Webhooks set with `POST /api/update-hook-url` get messages in this flat form, always with exactly one attempt.",
      legacyPayloadSchema,
      legacy,
    ),
  );
}
