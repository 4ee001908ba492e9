import { integer, nullable, object, record } from "../../../kernel/schema.js";
import { durationSchema } from "../../../kernel/units.js";
import { choice, entry, OPERATION_IDS, word } from "../entry.js";

/** Practically unlimited. */
const MANY = 1_000_000_000;

const ENDPOINTS = "Endpoints";
const GRAPHQL = "Endpoints / Webhook operations (GraphQL)";
const LIMITS = "Limits";
const AUTHENTICATION = "Authentication";

export const REQUEST_POLICIES = {
  "ids.acceptNumbers": choice(
    "Resources and their fields / Customer thread",
    "Is a number accepted where the specification says that an id is a string? (Events carry the same ids as integers.)",
    ["accept", "reject"],
  ),
  "body.unknownFields": choice(ENDPOINTS, "Are body fields that the specification does not name ignored?", [
    "ignore",
    "reject",
  ]),
  "body.nullFields": choice(
    ENDPOINTS,
    "Is null in a documented body field an error, or the same as omitting the field?",
    ["reject", "omit"],
  ),
  "query.repeated": choice(ENDPOINTS, "Which value counts if a query parameter is repeated?", [
    "last",
    "first",
    "reject",
  ]),
  "headers.contentTypeOnGet": choice(
    AUTHENTICATION,
    "Is a GET without Content-Type refused? (The specification says that every request carries it.)",
    ["ignore", "require"],
  ),
  "headers.contentTypeOnEmptyPost": choice(
    AUTHENTICATION,
    "Is a POST without a body and without Content-Type refused? (The specification says that every request carries it.)",
    ["ignore", "require"],
  ),
  "paths.trailingSlash": choice(
    ENDPOINTS,
    "Is a path accepted if it differs from the documented one only in its trailing slash?",
    ["accept", "reject"],
  ),
  "graphql.errors": choice(GRAPHQL, "Do GraphQL errors have path and code besides the message?", [
    "coded",
    "plain",
  ]),
  "graphql.errorStatus": choice(
    GRAPHQL,
    "What is the HTTP status of a refused GraphQL operation: that of the same refusal elsewhere, or 200 (ok)? The refusal of a token keeps its status.",
    ["refusal", "ok"],
  ),
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
  "limits.textLength": entry({
    section: LIMITS,
    question: "What is the maximum length of a message, in characters?",
    schema: nullable(integer({ minimum: 1, maximum: MANY })),
    default: null,
    realistic: 4_096,
  }),
  "limits.textUnit": choice(
    LIMITS,
    "What is a character of limits.textLength: a code point, or a UTF-16 code unit?",
    ["codePoint", "utf16"],
  ),
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
    question: "How many requests may a token make, and in what time ({ requests, per: duration })?",
    schema: nullable(object({ requests: integer({ minimum: 1, maximum: MANY }), per: durationSchema })),
    default: null,
    realistic: { requests: 600, per: "1m" },
  }),
} as const;
