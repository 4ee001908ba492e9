import { durationSchema } from "../../../kernel/duration.js";
import { integer, nullable, object, record } from "../../../kernel/schema.js";
import { choice, entry, OPERATION_IDS, word, words } from "../entry.js";

/** As good as no limit. */
const MANY = 1_000_000_000;

const LIMITS = "Limits";
const AUTHENTICATION = "Authentication";

export const REQUEST_POLICIES = {
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
  "body.nullFields": entry({
    section: "Endpoints",
    question: "What is null in a documented body field: an error, or a field that was left out?",
    schema: choice("reject", "omit"),
    default: "reject",
  }),
  "query.repeated": entry({
    section: "Endpoints",
    question: "Which value counts of a query parameter that is given more than once?",
    schema: choice("last", "first", "reject"),
    default: "last",
  }),
  "headers.contentTypeOnGet": entry({
    section: AUTHENTICATION,
    question: "Is a GET without the Content-Type header, which every request carries, refused?",
    schema: choice("ignore", "require"),
    default: "ignore",
  }),
  "headers.contentTypeOnEmptyPost": entry({
    section: AUTHENTICATION,
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
  "graphql.errors": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question: "Do GraphQL errors carry path and code beside the message?",
    schema: choice("coded", "plain"),
    default: "coded",
  }),
  "graphql.errorStatus": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question:
      "Which HTTP status does a refused GraphQL operation have: that of the same refusal elsewhere, or 200 (ok)? Without a valid token it is 401 in either case.",
    schema: choice("refusal", "ok"),
    default: "refusal",
  }),
  "tokens.lifetime": entry({
    section: AUTHENTICATION,
    question:
      "How long does a token live after it was issued? One without issuedAt was issued when its sandbox began. null: for ever.",
    schema: nullable(durationSchema),
    default: null,
  }),
  "permissions.required": entry({
    section: AUTHENTICATION,
    question:
      "Which permission does which operation need, by operation id? deleteUserByEmail needs user:delete in any case.",
    schema: record(word(), { propertyNames: { enum: OPERATION_IDS } }),
    default: {},
  }),
  "errors.validation": entry({
    section: "Errors",
    question:
      "Which form has the 400 of a request that is not valid, on endpoints for which none is shown: that of the validator, or one error as text?",
    schema: choice("validator", "error"),
    default: "validator",
  }),
  "limits.textLength": entry({
    section: LIMITS,
    question: "How many characters may a message have?",
    schema: nullable(integer({ minimum: 1, maximum: MANY })),
    default: null,
    realistic: 4_096,
  }),
  "limits.textUnit": entry({
    section: LIMITS,
    question: "What is a character of limits.textLength: a code point, or a UTF-16 code unit?",
    schema: choice("codePoint", "utf16"),
    default: "codePoint",
  }),
  "limits.webhooks": entry({
    section: LIMITS,
    question: "How many webhooks may an organization have?",
    schema: nullable(integer({ minimum: 0, maximum: MANY })),
    default: null,
  }),
  "limits.bodyBytes": entry({
    section: LIMITS,
    question: "How many bytes may a request body have, decoded where it comes encoded?",
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
  "ids.foreign": entry({
    section: AUTHENTICATION,
    question:
      "How does a thread or customer of another organization answer: like an unknown one, or like one without access?",
    schema: choice("unknown", "forbidden"),
    default: "unknown",
  }),
} as const;
