import { durationSchema } from "../../../kernel/duration.js";
import { anyOf, array, integer, literal, nullable, object, oneOf } from "../../../kernel/schema.js";
import { SUBSCRIPTIONS } from "../../world/records.js";
import { choice, entry, word } from "../entry.js";

const EVENT_GAPS = "Events / Gaps in event delivery";

export const WEBHOOK_POLICIES = {
  "timestamps.unit": entry({
    section: EVENT_GAPS,
    question: "What is the unit of timestamp and messageTimestamp?",
    schema: choice("ms", "s"),
    default: "ms",
  }),
  "webhooks.response": entry({
    section: "Endpoints / Webhooks (REST)",
    question: "What is the form of the webhook endpoints' answers?",
    schema: choice("record", "wrapped"),
    default: "record",
  }),
  "webhooks.createStatus": entry({
    section: "Endpoints / Webhooks (REST)",
    question: "What is the status of the answer to a created webhook?",
    schema: anyOf([literal(200), literal(201)]),
    default: 200,
  }),
  "webhooks.insecureUrls": entry({
    section: "Resources and their fields / Webhook",
    question:
      "Is a webhook URL accepted that is not HTTPS: never, only for hosts that the outbound guard considers local, or always? The legacy endpoint accepts any http address.",
    schema: choice("loopback", "reject", "allow"),
    default: "loopback",
    source: "simulator",
  }),
  "webhooks.graphqlEvents": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question: "Which events is a webhook subscribed to if it is saved through GraphQL?",
    schema: array(oneOf(SUBSCRIPTIONS), { maxItems: SUBSCRIPTIONS.length, uniqueItems: true }),
    default: ["messages"],
  }),
  "webhooks.pendingAfterDisable": entry({
    section: "States and transitions / Webhook enabled flag",
    question:
      "What happens to waiting deliveries (first attempts or retries) if their webhook is disabled or deleted? A replay by hand is always sent.",
    schema: choice("drop", "send"),
    default: "drop",
  }),
  "delivery.pendingUpdate": entry({
    section: EVENT_GAPS,
    question:
      "If a webhook is updated while a delivery waits, does the next attempt use the original url and headers or the current ones?",
    schema: choice("original", "current"),
    default: "original",
  }),
  "delivery.redirects": entry({
    section: EVENT_GAPS,
    question:
      "Is a redirect a failure, or is it followed (307 and 308, at most 3, each checked by the outbound guard)?",
    schema: choice("fail", "follow"),
    default: "fail",
  }),
  "delivery.autoDisable": entry({
    section: EVENT_GAPS,
    question: "After how many failed deliveries in a row is a webhook disabled? null: never.",
    schema: nullable(integer({ minimum: 1, maximum: 1_000_000 })),
    default: null,
  }),
  "delivery.attempts": entry({
    section: EVENT_GAPS,
    question: "How many attempts does a delivery have? Legacy hooks always get one.",
    schema: integer({ minimum: 1, maximum: 100 }),
    default: 1,
    realistic: 4,
  }),
  "delivery.backoff": entry({
    section: EVENT_GAPS,
    question: "How long are the pauses between attempts? The last value repeats.",
    schema: array(durationSchema, { minItems: 1, maxItems: 100 }),
    default: ["1m", "5m", "30m"],
  }),
  "delivery.timeoutMs": entry({
    section: EVENT_GAPS,
    question: "How long does a receiver have to answer, in milliseconds of real time?",
    schema: integer({ minimum: 1, maximum: 600_000 }),
    default: 10_000,
  }),
  "delivery.order": entry({
    section: EVENT_GAPS,
    question: "Does a webhook receive its events one after the other, or concurrently?",
    schema: choice("perWebhook", "none"),
    default: "perWebhook",
  }),
  "delivery.success": entry({
    section: EVENT_GAPS,
    question: "Which statuses of a receiver count as success?",
    schema: anyOf([
      choice("2xx"),
      array(integer({ minimum: 100, maximum: 599 }), { minItems: 1, maxItems: 500 }),
    ]),
    default: "2xx",
  }),
  "delivery.signature": entry({
    section: EVENT_GAPS,
    question: "Are deliveries signed, and how? The first secret is the current one; all secrets sign.",
    schema: nullable(
      object({
        scheme: choice("standard-webhooks"),
        secrets: array(word({ description: "whsec_ and base64, or any text" }), {
          minItems: 1,
          maxItems: 10,
        }),
      }),
    ),
    default: null,
  }),
  "events.internalMessages": entry({
    section: "Events / Message event payload",
    question: "Are messages of the employee-only part delivered?",
    schema: choice("deliver", "omit"),
    default: "deliver",
  }),
  "legacy.customerEmployeeUserId": entry({
    section: "Events / Legacy delivery payload",
    question:
      "What is employeeUserId in a legacy payload if no employee sent the message? The specification says integer and does not mark it nullable.",
    schema: nullable(anyOf([literal(0), choice("omit")])),
    default: 0,
  }),
  "events.attachmentLength": entry({
    section: "Events / Gaps in event delivery",
    question: "What is the type of messageAttachmentContentLength if it has a value?",
    schema: choice("integer", "string"),
    default: "integer",
  }),
  "legacy.messageExternalId": entry({
    section: "Events / Gaps in event delivery",
    question: "Is messageExternalId always null, or the message's id as a string?",
    schema: nullable(choice("messageId")),
    default: null,
  }),
  "webhooks.doubledEvents": entry({
    section: "Endpoints / Webhooks (REST)",
    question: "Is an event listed twice in subscribedEvents one subscription, or an error?",
    schema: choice("merge", "reject"),
    default: "merge",
  }),
  "webhooks.emptySubscriptions": entry({
    section: "Endpoints / Webhooks (REST)",
    question: "Is an empty list of subscribedEvents accepted?",
    schema: choice("accept", "reject"),
    default: "accept",
  }),
  "graphql.nullFields": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question: "Is null for a variable, or for variables, the same as omitting it, or an error?",
    schema: choice("omit", "reject"),
    default: "omit",
  }),
  "graphql.getNone": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question: "What does get-hook-query with an empty hookId return: no webhook, all webhooks, or a refusal?",
    schema: choice("empty", "all", "refuse"),
    default: "empty",
  }),
  "graphql.deleteUnknown": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question:
      "What does a delete with unknown webhooks do: nothing (flag false), or does it delete the known ones (flag true)?",
    schema: choice("refuse", "skip"),
    default: "refuse",
  }),
  "graphql.deleteNone": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question: "What is the flag of a delete that names no webhook?",
    schema: choice("refuse", "succeed"),
    default: "refuse",
  }),
  "delivery.repeatedHeaders": entry({
    section: "Authentication",
    question:
      "If extraHeaders repeat a header, are its values joined with commas, or is only the last sent? For Host, always the last.",
    schema: choice("join", "last"),
    default: "join",
  }),
  "delivery.contentType": entry({
    section: "Authentication",
    question: "May extraHeaders replace the Content-Type of a delivery, or is it always application/json?",
    schema: choice("webhook", "json"),
    default: "webhook",
  }),
} as const;
