import { anyOf, array, integer, literal, nullable, object, oneOf } from "../../../kernel/schema.js";
import { durationSchema } from "../../../kernel/units.js";
import { SUBSCRIPTIONS } from "../../world/records.js";
import { choice, entry, word } from "../entry.js";

const REST = "Endpoints / Webhooks (REST)";
const GRAPHQL = "Endpoints / Webhook operations (GraphQL)";
const EVENT_GAPS = "Events / Gaps in event delivery";

export const WEBHOOK_POLICIES = {
  "timestamps.unit": choice(EVENT_GAPS, "What is the unit of timestamp and messageTimestamp?", ["ms", "s"]),
  "webhooks.response": choice(REST, "What is the form of the webhook endpoints' responses?", [
    "record",
    "wrapped",
  ]),
  "webhooks.createStatus": entry({
    section: REST,
    question: "What is the status of the response when a webhook is created?",
    schema: anyOf([literal(200), literal(201)]),
    default: 200,
  }),
  "webhooks.insecureUrls": entry({
    section: "Resources and their fields / Webhook",
    question:
      "Is a webhook URL without HTTPS accepted: never, only for hosts that the outbound guard considers local, or always? The legacy endpoint accepts any http address.",
    schema: oneOf(["loopback", "reject", "allow"]),
    default: "loopback",
    source: "simulator",
  }),
  "webhooks.graphqlEvents": entry({
    section: GRAPHQL,
    question: "Which events is a webhook subscribed to if it is saved through GraphQL?",
    schema: array(oneOf(SUBSCRIPTIONS), { maxItems: SUBSCRIPTIONS.length, uniqueItems: true }),
    default: ["messages"],
  }),
  "webhooks.pendingAfterDisable": choice(
    "States and transitions / Webhook enabled flag",
    "What happens to waiting deliveries (first attempts or retries) if their webhook is disabled or deleted? A replay by hand is always sent.",
    ["drop", "send"],
  ),
  "delivery.pendingUpdate": choice(
    EVENT_GAPS,
    "If a webhook is updated while a delivery waits (for its first attempt or a retry), does the next attempt use the url and headers of the event, or both as they are now?",
    ["original", "current"],
  ),
  "delivery.redirects": choice(
    EVENT_GAPS,
    "Is a redirect a failure, or is it followed (307 and 308, at most 3, each checked by the outbound guard)?",
    ["fail", "follow"],
  ),
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
    question: "How long may a receiver take to respond, in milliseconds of real time?",
    schema: integer({ minimum: 1, maximum: 600_000 }),
    default: 10_000,
  }),
  "delivery.order": choice(
    EVENT_GAPS,
    "Does a webhook receive its events one after the other, or concurrently?",
    ["perWebhook", "none"],
  ),
  "delivery.success": entry({
    section: EVENT_GAPS,
    question: "Which statuses of a receiver count as success?",
    schema: anyOf([
      oneOf(["2xx"]),
      array(integer({ minimum: 100, maximum: 599 }), { minItems: 1, maxItems: 500 }),
    ]),
    default: "2xx",
  }),
  "delivery.signature": entry({
    section: EVENT_GAPS,
    question:
      "Are deliveries signed, and how ({ scheme: standard-webhooks, secrets: […] })? The first secret is the current one; all secrets sign.",
    schema: nullable(
      object({
        scheme: oneOf(["standard-webhooks"]),
        secrets: array(word({ description: "whsec_ and base64, or any text" }), {
          minItems: 1,
          maxItems: 10,
        }),
      }),
    ),
    default: null,
  }),
  "events.internalMessages": choice(
    "Events / Message event payload",
    "Are messages in the employee-only part delivered?",
    ["deliver", "omit"],
  ),
  "legacy.customerEmployeeUserId": entry({
    section: "Events / Legacy delivery payload",
    question:
      "What is employeeUserId in a legacy payload if no employee sent the message? The specification says integer and does not mark it nullable.",
    schema: nullable(anyOf([literal(0), oneOf(["omit"])])),
    default: 0,
  }),
  "webhooks.emptySubscriptions": choice(REST, "Is an empty list of subscribedEvents accepted?", [
    "accept",
    "reject",
  ]),
  "graphql.nullFields": choice(
    GRAPHQL,
    "Is null for a variable, or for variables, the same as omitting it, or an error?",
    ["omit", "reject"],
  ),
  "graphql.getNone": choice(
    GRAPHQL,
    "What does get-hook-query with an empty hookId return: no webhook, all webhooks, or a refusal?",
    ["empty", "all", "refuse"],
  ),
  "graphql.deleteUnknown": choice(
    GRAPHQL,
    "What does a delete with unknown webhooks do: nothing (flag false), or does it delete the known ones (flag true)?",
    ["refuse", "skip"],
  ),
} as const;
