import { durationSchema } from "../../../kernel/duration.js";
import { anyOf, array, integer, literal, nullable, object, oneOf } from "../../../kernel/schema.js";
import { SUBSCRIPTIONS } from "../../world/records.js";
import { choice, entry, word } from "../entry.js";

const EVENT_GAPS = "Events / Gaps in event delivery";

export const WEBHOOK_POLICIES = {
  "timestamps.unit": entry({
    section: EVENT_GAPS,
    question: "In which unit are timestamp and messageTimestamp?",
    schema: choice("ms", "s"),
    default: "ms",
  }),
  "webhooks.response": entry({
    section: "Endpoints / Webhooks (REST)",
    question: "Which form do the answers of the webhook endpoints have?",
    schema: choice("record", "wrapped"),
    default: "record",
  }),
  "webhooks.createStatus": entry({
    section: "Endpoints / Webhooks (REST)",
    question: "Which status has a created webhook?",
    schema: anyOf([literal(200), literal(201)]),
    default: 200,
  }),
  "webhooks.insecureUrls": entry({
    section: "Resources and their fields / Webhook",
    question:
      "Is a webhook URL taken that is not HTTPS: never, only to hosts that the outbound guard calls local, or always? The legacy endpoint takes any http address.",
    schema: choice("loopback", "reject", "allow"),
    default: "loopback",
    source: "simulator",
  }),
  "webhooks.graphqlEvents": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question: "Which events is a webhook subscribed to that is saved through GraphQL?",
    schema: array(oneOf(SUBSCRIPTIONS), { maxItems: SUBSCRIPTIONS.length, uniqueItems: true }),
    default: ["messages"],
  }),
  "webhooks.pendingAfterDisable": entry({
    section: "States and transitions / Webhook enabled flag",
    question:
      "What happens to deliveries that wait for an attempt, the first or a retry, when their webhook is disabled or deleted? A replay by hand is sent all the same.",
    schema: choice("drop", "send"),
    default: "drop",
  }),
  "delivery.pendingUpdate": entry({
    section: EVENT_GAPS,
    question:
      "Where do attempts go that wait while their webhook is updated: to url and headers of the first attempt, or to the current ones?",
    schema: choice("original", "current"),
    default: "original",
  }),
  "delivery.redirects": entry({
    section: EVENT_GAPS,
    question:
      "What is a redirect: a failure like other answers, or is it followed (307 and 308, at most 3, each through the outbound guard)?",
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
    question: "How many times is a delivery tried? Legacy hooks always get one attempt.",
    schema: integer({ minimum: 1, maximum: 100 }),
    default: 1,
    realistic: 4,
  }),
  "delivery.backoff": entry({
    section: EVENT_GAPS,
    question: "How long after one attempt does the next come? The last value repeats.",
    schema: array(durationSchema, { minItems: 1, maxItems: 100 }),
    default: ["1m", "5m", "30m"],
  }),
  "delivery.timeoutMs": entry({
    section: EVENT_GAPS,
    question: "How many milliseconds of real time does a receiver have to answer?",
    schema: integer({ minimum: 1, maximum: 600_000 }),
    default: 10_000,
  }),
  "delivery.order": entry({
    section: EVENT_GAPS,
    question: "Does a webhook get its events one after the other, or as they come?",
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
    question: "Are deliveries signed, and how? The first secret is the current one; all sign.",
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
      "What is employeeUserId of a message that no employee sent, in a legacy payload? The specification says integer, and does not mark it nullable.",
    schema: nullable(anyOf([literal(0), choice("omit")])),
    default: 0,
  }),
  "events.attachmentLength": entry({
    section: "Events / Gaps in event delivery",
    question: "Of which type is messageAttachmentContentLength where it holds a value?",
    schema: choice("integer", "string"),
    default: "integer",
  }),
  "legacy.messageExternalId": entry({
    section: "Events / Gaps in event delivery",
    question: "What does messageExternalId hold: always null, or the message's id as a string?",
    schema: nullable(choice("messageId")),
    default: null,
  }),
  "webhooks.doubledEvents": entry({
    section: "Endpoints / Webhooks (REST)",
    question: "What is an event that subscribedEvents names twice: one subscription, or an error?",
    schema: choice("merge", "reject"),
    default: "merge",
  }),
  "webhooks.emptySubscriptions": entry({
    section: "Endpoints / Webhooks (REST)",
    question: "Is an empty list of subscribedEvents taken?",
    schema: choice("accept", "reject"),
    default: "accept",
  }),
  "graphql.nullFields": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question: "What is null in a variable or in variables: left out, or an error?",
    schema: choice("omit", "reject"),
    default: "omit",
  }),
  "graphql.getNone": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question: "What does get-hook-query with an empty hookId get: no webhook, all webhooks, or a refusal?",
    schema: choice("empty", "all", "refuse"),
    default: "empty",
  }),
  "graphql.deleteUnknown": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question:
      "What does a delete that names unknown webhooks: nothing, with flag false, or does it delete the known ones, with flag true?",
    schema: choice("refuse", "skip"),
    default: "refuse",
  }),
  "graphql.deleteNone": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question: "Which flag has a delete that names no webhook: false, or true?",
    schema: choice("refuse", "succeed"),
    default: "refuse",
  }),
  "delivery.repeatedHeaders": entry({
    section: "Authentication",
    question:
      "What is sent of a header that extraHeaders name more than once: its values joined with commas, or the last one? Of Host it is the last.",
    schema: choice("join", "last"),
    default: "join",
  }),
  "delivery.contentType": entry({
    section: "Authentication",
    question: "May extraHeaders replace the Content-Type of a delivery, or is that always application/json?",
    schema: choice("webhook", "json"),
    default: "webhook",
  }),
} as const;
