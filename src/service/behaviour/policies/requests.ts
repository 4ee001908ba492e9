import { durationSchema } from "../../../kernel/duration.js";
import { integer, nullable, object, record } from "../../../kernel/schema.js";
import { choice, entry, OPERATION_IDS, word, words } from "../entry.js";

/** Practically unlimited. */
const MANY = 1_000_000_000;

const LIMITS = "Limits";
const AUTHENTICATION = "Authentication";

export const REQUEST_POLICIES = {
  "ids.acceptNumbers": entry({
    section: "Resources and their fields / Customer thread",
    question:
      "Is a number accepted where the specification says that an id is a string? (Events carry the same ids as integers.)",
    schema: choice("accept", "reject"),
    default: "accept",
  }),
  "body.unknownFields": entry({
    section: "Endpoints",
    question: "Are body fields that the specification does not name ignored?",
    schema: choice("ignore", "reject"),
    default: "ignore",
  }),
  "body.nullFields": entry({
    section: "Endpoints",
    question: "Is null in a documented body field an error, or the same as omitting the field?",
    schema: choice("reject", "omit"),
    default: "reject",
  }),
  "query.repeated": entry({
    section: "Endpoints",
    question: "Which value counts if a query parameter is repeated?",
    schema: choice("last", "first", "reject"),
    default: "last",
  }),
  "headers.contentTypeOnGet": entry({
    section: AUTHENTICATION,
    question:
      "Is a GET without Content-Type refused? (The specification says that every request carries it.)",
    schema: choice("ignore", "require"),
    default: "ignore",
  }),
  "headers.contentTypeOnEmptyPost": entry({
    section: AUTHENTICATION,
    question:
      "Is a POST without a body and without Content-Type refused? (The specification says that every request carries it.)",
    schema: choice("ignore", "require"),
    default: "ignore",
  }),
  "paths.trailingSlash": entry({
    section: "Endpoints",
    question: "Is a path accepted that differs from the documented one only in its trailing slash?",
    schema: choice("accept", "reject"),
    default: "accept",
  }),
  "graphql.errors": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question: "Do GraphQL errors have path and code besides the message?",
    schema: choice("coded", "plain"),
    default: "coded",
  }),
  "graphql.errorStatus": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question:
      "What is the HTTP status of a refused GraphQL operation: that of the same refusal elsewhere, or 200 (ok)? The refusal of a token keeps its status.",
    schema: choice("refusal", "ok"),
    default: "refusal",
  }),
  "tokens.lifetime": entry({
    section: AUTHENTICATION,
    question:
      "How long is a token valid after it was issued? One without issuedAt was issued when its sandbox started. null: for ever.",
    schema: nullable(durationSchema),
    default: null,
  }),
  "permissions.required": entry({
    section: AUTHENTICATION,
    question:
      "Which permissions do operations need, by operation id? deleteUserByEmail always needs user:delete.",
    schema: record(word(), { propertyNames: { enum: OPERATION_IDS } }),
    default: {},
  }),
  "errors.validation": entry({
    section: "Errors",
    question:
      "What is the form of a 400 for an invalid request, on endpoints where none is shown: the validator's, or one error as text?",
    schema: choice("validator", "error"),
    default: "validator",
  }),
  "limits.textLength": entry({
    section: LIMITS,
    question: "What is the maximum length of a message, in characters?",
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
    question: "What is the maximum number of webhooks of an organization?",
    schema: nullable(integer({ minimum: 0, maximum: MANY })),
    default: null,
  }),
  "limits.bodyBytes": entry({
    section: LIMITS,
    question: "What is the maximum size of a request body, in bytes, after decoding?",
    schema: integer({ minimum: 1, maximum: 104_857_600 }),
    default: 1_048_576,
    source: "simulator",
  }),
  "limits.rate": entry({
    section: LIMITS,
    question: "How many requests may a token make, and in what time?",
    schema: nullable(object({ requests: integer({ minimum: 1, maximum: MANY }), per: durationSchema })),
    default: null,
    realistic: { requests: 600, per: "1m" },
  }),
  "cors.origins": entry({
    section: "Endpoints",
    question: 'Which browser origins may call the API? An empty list allows none, "*" all.',
    schema: words(),
    default: [],
    source: "simulator",
  }),
  "ids.foreign": entry({
    section: AUTHENTICATION,
    question:
      "How are threads and customers of another organization answered: as unknown, or as not accessible?",
    schema: choice("unknown", "forbidden"),
    default: "unknown",
  }),
} as const;
