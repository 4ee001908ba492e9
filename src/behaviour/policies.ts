/** Rules and forms that the specification leaves open. */
import { durationSchema } from "../kernel/duration.js";
import type { Schema } from "../kernel/schema.js";
import { anyOf, array, integer, nullable, object, oneOf, record, string } from "../kernel/schema.js";
import { SUBSCRIPTIONS, THREAD_STATUSES } from "../world/records.js";
import { entry } from "./entry.js";
import { OPERATION_IDS } from "./operation-ids.js";

const choice = <const V extends readonly string[]>(...values: V): Schema<V[number]> => oneOf(values);
const zero: Schema<0> = { type: "integer", const: 0 };
/** Names and addresses: every call may be compared with all of them. */
const word = (keywords = {}) => string({ minLength: 1, maxLength: 1_000, ...keywords });
const words = () => array(word(), { maxItems: 1_000, uniqueItems: true });
/** As good as no limit. */
const MANY = 1_000_000_000;

const EVENT_GAPS = "Events / Gaps in event delivery";
const LIMITS = "Limits";
const WIDGET = "Endpoints / Start a conversation from the widget route";

export const POLICIES = {
  "timestamps.unit": entry({
    section: EVENT_GAPS,
    question: "In which unit are timestamp and messageTimestamp?",
    schema: choice("ms", "s"),
    default: "ms",
  }),
  "profile.emptyFields": entry({
    section: "Resources and their fields / Customer profile",
    question:
      'How does a profile show a field of which nothing is known: as null, not at all, or empty ("", [], {}; editable as null)?',
    schema: choice("null", "omit", "empty"),
    default: "null",
  }),
  "profile.notEditable": entry({
    section: "Resources and their fields / Customer profile",
    question: "Is the profile of a customer whose editable is false updated?",
    schema: choice("update", "refuse"),
    default: "update",
  }),
  "surveys.createdAtUnit": entry({
    section: "Resources and their fields / Customer profile",
    question: "In which unit is createdAt of a survey?",
    schema: choice("ms", "s"),
    default: "ms",
  }),
  "ids.acceptNumbers": entry({
    section: "Resources and their fields / Customer thread",
    question:
      "Is a number taken where the specification says that an id is a string? (Events carry the same ids as integers.)",
    schema: choice("accept", "reject"),
    default: "accept",
  }),
  "body.unknownFields": entry({
    section: "Endpoints",
    question: "What happens to body fields that the specification does not name?",
    schema: choice("ignore", "reject"),
    default: "ignore",
  }),
  "headers.contentTypeOnGet": entry({
    section: "Authentication",
    question: "Is a GET without the Content-Type header, which every request carries, refused?",
    schema: choice("ignore", "require"),
    default: "ignore",
  }),
  "headers.contentTypeOnEmptyPost": entry({
    section: "Authentication",
    question:
      "Is a POST without a body refused that lacks the Content-Type header, which every request carries?",
    schema: choice("ignore", "require"),
    default: "ignore",
  }),
  "paths.trailingSlash": entry({
    section: "Endpoints",
    question:
      "Is a path taken that ends with a slash where the documented one does not, or the other way round?",
    schema: choice("accept", "reject"),
    default: "accept",
  }),
  "webhooks.response": entry({
    section: "Endpoints / Webhooks (REST)",
    question: "Which form do the answers of the webhook endpoints have?",
    schema: choice("record", "wrapped"),
    default: "record",
  }),
  "graphql.errors": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question: "Do GraphQL errors carry path and code beside the message?",
    schema: choice("coded", "plain"),
    default: "coded",
  }),
  "graphql.errorStatus": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question:
      "Which HTTP status does a refused GraphQL operation have: that of the same refusal elsewhere, or 200?",
    schema: choice("refusal", "ok"),
    default: "refusal",
  }),
  "tokens.lifetime": entry({
    section: "Authentication",
    question: "How long does a token live after it was issued? null: for ever.",
    schema: nullableDuration(),
    default: null,
  }),
  "permissions.required": entry({
    section: "Authentication",
    question:
      "Which permission does which operation need, by operation id? deleteUserByEmail needs user:delete in any case.",
    schema: record(word(), { propertyNames: { enum: OPERATION_IDS } }),
    default: {},
  }),
  "threadStatus.transitions": entry({
    section: "States and transitions / Thread status",
    question: "Which status may move to which?",
    schema: anyOf([
      choice("any"),
      record(array(oneOf(THREAD_STATUSES), { maxItems: 100 }), { propertyNames: { enum: THREAD_STATUSES } }),
    ]),
    default: "any",
  }),
  "threadStatus.autoMoves": entry({
    section: "States and transitions / Thread status",
    question:
      "Does a message move the status: a customer's to waiting, an employee's visible one to replied?",
    schema: choice("none", "realistic"),
    default: "none",
    realistic: "realistic",
  }),
  "threads.readAccess": entry({
    section: "Authentication",
    question:
      "Who may read details and templates of a thread: only who may modify it, or every token of the organization?",
    schema: choice("user", "organization"),
    default: "user",
  }),
  "widget.threadStatus": entry({
    section: WIDGET,
    question: "Which status does a new conversation have?",
    schema: oneOf(THREAD_STATUSES),
    default: "waiting",
  }),
  "widget.emailFormat": entry({
    section: WIDGET,
    question:
      "What is a valid e-mail address: what HTML calls one, or what the pattern of schema-inspector takes, which refuses a@shop.co.uk?",
    schema: choice("valid", "schema-inspector"),
    default: "valid",
  }),
  "widget.threadAccess": entry({
    section: WIDGET,
    question:
      "Who may use a thread of the widget route with the other endpoints: also the token that began it, or only users of its business?",
    schema: choice("token", "business"),
    default: "token",
  }),
  "widget.reuse": entry({
    section: WIDGET,
    question:
      "Does every call open a thread, or does one of the same customer, business and channel that is not resolved go on?",
    schema: choice("never", "open"),
    default: "never",
  }),
  "users.emailMatch": entry({
    section: "Endpoints / Delete user by email",
    question: "Does the case of the address matter when a user is deleted?",
    schema: choice("caseless", "exact"),
    default: "caseless",
  }),
  "window.channels": entry({
    section: "States and transitions / Messaging window",
    question: "Which channels limit free-form text to a messaging window?",
    schema: words(),
    default: ["WHATSAPP"],
  }),
  "window.duration": entry({
    section: "States and transitions / Messaging window",
    question: "How long does an inbound message keep the window open? null: the window moves only by hand.",
    schema: nullableDuration(),
    default: null,
    realistic: "24h",
  }),
  "window.internalMessages": entry({
    section: "States and transitions / Messaging window",
    question: "Does internal text ignore the messaging window, or is it bound by it?",
    schema: choice("exempt", "bound"),
    default: "exempt",
  }),
  "messages.emptyText": entry({
    section: "Endpoints / Send message to a customer thread",
    question: "Is a message taken whose text is empty?",
    schema: choice("accept", "reject"),
    default: "accept",
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
    schema: nullable(anyOf([zero, choice("omit")])),
    default: 0,
  }),
  "limits.textLength": entry({
    section: LIMITS,
    question: "How many characters may a message have?",
    schema: nullable(integer({ minimum: 1, maximum: MANY })),
    default: null,
  }),
  "limits.webhooks": entry({
    section: LIMITS,
    question: "How many webhooks may an organization have?",
    schema: nullable(integer({ minimum: 0, maximum: MANY })),
    default: null,
  }),
  "limits.bodyBytes": entry({
    section: LIMITS,
    question: "How many bytes may a request body have?",
    schema: integer({ minimum: 1, maximum: 104_857_600 }),
    default: 1_048_576,
    source: "simulator",
  }),
  "limits.rate": entry({
    section: LIMITS,
    question: "How many requests may a token make in which time?",
    schema: nullable(object({ requests: integer({ minimum: 1, maximum: MANY }), per: durationSchema })),
    default: null,
    realistic: { requests: 600, per: "1m" },
  }),
  "cors.origins": entry({
    section: "Endpoints",
    question: 'Which browser origins may call the API? Empty: none; "*" in the list: any.',
    schema: words(),
    default: [],
    source: "simulator",
  }),
} as const;

function nullableDuration(): Schema<string | number | null> {
  return nullable(durationSchema);
}
