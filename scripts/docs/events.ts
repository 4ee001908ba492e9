/** What webhooks are sent. */

import type { Schema } from "../../src/kernel/schema.js";
import {
  legacyPayloadSchema,
  messageEventSchema,
  transferEventSchema,
} from "../../src/service/domain/event-payload-schemas.js";
import { SUBSCRIPTION_OF } from "../../src/service/domain/events.js";
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
    "Each event is one HTTP POST with a JSON body to every webhook of the organization that is enabled and subscribed to it, with the webhook's `extraHeaders`. AsyncAPI: `GET /__sim/asyncapi.json`, or `messaging-sim schema asyncapi`.",
    "Timestamps are milliseconds unless [`timestamps.unit`](behaviour.md) says otherwise; attempts, order and signatures are decided by the entries `delivery.*`.",
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
      "Webhooks that were set through `POST /api/update-hook-url` get messages in this flat form, always with exactly one attempt.",
      legacyPayloadSchema,
      legacy,
    ),
  );
}
