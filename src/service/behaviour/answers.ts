/** Answers that the specification does not show. The checks that lead to them are fixed; what they say is not. */
import { answer } from "./entry.js";

const PERMISSIONS = "Authentication";
const OTHER_ERRORS = "Errors";

const invalid = (property: string, message: string) => ({ body: [{ message, property }], headers: [] });

const RULE_REFUSALS = {
  "auth.missing": answer(PERMISSIONS, "What does a call without a token get?", 401, {
    error: "Missing API token",
  }),
  "auth.invalid": answer(PERMISSIONS, "What does a call with an unknown or expired token get?", 401, {
    error: "Invalid API token",
  }),
  "users.deleteForbidden": answer(
    "Endpoints / Delete user by email",
    "What does a token without the permission user:delete get?",
    403,
    { error: "The token lacks the permission user:delete" },
  ),
  "users.deleteSelfError": answer(
    "Endpoints / Delete user by email",
    "What does a token get that deletes its own user, where users.deleteSelf is refuse?",
    403,
    { error: "A token cannot delete its own user" },
  ),
  "profile.notFound": answer(OTHER_ERRORS, "What does an unknown customer id get?", 404, {
    error: "Customer not found",
  }),
  "profile.notAccessible": answer(
    OTHER_ERRORS,
    "What does a customer get whom profile.access or ids.foreign keeps from the token's user?",
    403,
    { error: "Customer is not accessible to this user" },
  ),
  "threads.notFound": answer(OTHER_ERRORS, "What does an unknown customerThreadId get?", 404, {
    error: "Customer thread not found",
  }),
  "threads.notAccessible": answer(
    OTHER_ERRORS,
    "What does a thread get that the token's user may not access?",
    403,
    {
      error: "Customer thread is not accessible to this user",
    },
  ),
  "webhooks.notFound": answer(OTHER_ERRORS, "What does an unknown webhook id get?", 404, {
    error: "Webhook not found",
  }),
  "templates.unknown": answer(
    "Endpoints / Send message to a customer thread",
    "What does a contentSid get that is no template of the thread?",
    400,
    { error: "Unknown contentSid for this customer thread" },
  ),
  "window.closedError": answer(
    "Endpoints / Send message to a customer thread",
    "What does free-form text get while the messaging window is closed?",
    400,
    { error: "The messaging window is closed: send a template" },
  ),
  "widget.unknownBusiness": answer(
    "Errors / Widget route",
    "What does a businessId get that no organization has? That of another organization gets the documented 403.",
    403,
    { developerMessage: "Business does not belong to this organization" },
  ),
  "widget.businessOffline": answer(
    "Errors / Widget route",
    "What does a WhatsApp conversation with a business get that is not online?",
    400,
    invalid("@.user.whatsapp", "business is not online"),
  ),
  "widget.noSender": answer(
    "Errors / Widget route",
    "Which details does a business without an active WhatsApp sender answer with?",
    400,
    invalid("@.user.whatsapp", "business has no active WhatsApp sender"),
  ),
  "threadStatus.transitionError": answer(
    "States and transitions / Thread status",
    "What does a move of status get that threadStatus.transitions does not list?",
    400,
    { error: "Status cannot change from ${from} to ${to}" },
  ),
  "permissions.requiredError": answer(
    PERMISSIONS,
    "What does a token get without the permission that permissions.required names?",
    403,
    { error: "The token lacks the permission ${permission}" },
  ),
  "profile.notEditableError": answer(
    "Endpoints / Update customer profile",
    "What does the update of a profile get whose editable is false, where profile.notEditable is refuse?",
    400,
    { error: "Customer profile is not editable" },
  ),
  "limits.textLengthError": answer("Limits", "What does a text longer than limits.textLength get?", 400, {
    body: [
      {
        message: "must be shorter than ${limit} elements, but it has ${length}",
        property: "${property}",
      },
    ],
    headers: [],
  }),
  "limits.webhooksError": answer(
    "Limits",
    "What does a new webhook beyond limits.webhooks get?",
    400,
    invalid("@", "must not have more than ${limit} webhooks in the organization"),
  ),
} as const;

const SUCCESSES = {
  "profile.updateResponse": answer(
    "Endpoints / Update customer profile",
    "What does a successful update answer?",
    200,
    {},
  ),
  "sendMessage.response": answer(
    "Endpoints / Send message to a customer thread",
    "What does a sent message answer?",
    200,
    {},
  ),
  "threadStatus.response": answer(
    "Endpoints / Update thread status",
    "What does a changed status answer?",
    200,
    {},
  ),
  "webhooks.deleteResponse": answer(
    "Endpoints / Webhooks (REST)",
    "What does the deletion of a webhook answer?",
    200,
    {},
  ),
  "hookUrl.response": answer(
    "Endpoints / Edit organization webhook URL (legacy)",
    "What does the legacy hook URL endpoint answer?",
    200,
    {},
  ),
} as const;

const GENERAL_REFUSALS = {
  "http.unknownPath": answer(OTHER_ERRORS, "What does an unknown path get?", 404, {
    error: "No such endpoint: ${method} ${path}",
  }),
  "http.wrongMethod": answer(OTHER_ERRORS, "What does a known path get with another method?", 405, {
    error: "Method ${method} is not allowed for ${path}: use ${allowed}",
  }),
  "http.unknownHost": answer(
    OTHER_ERRORS,
    "What does a browser's call get under a Host that is no IP address, localhost, the listening host or an --allow-host?",
    403,
    {
      error:
        "A browser may not call this server as ${host} (DNS rebinding): start it with --allow-host ${name} to let it through",
    },
  ),
  "http.unknownEncoding": answer(
    OTHER_ERRORS,
    "What does a body get whose Content-Encoding is not gzip, deflate or br?",
    415,
    { error: "Content-Encoding must be gzip, deflate or br, but is ${encoding}" },
  ),
  "limits.bodyError": answer("Limits", "What does a body beyond limits.bodyBytes get?", 413, {
    error: "Request body is larger than ${limit} bytes",
  }),
  "limits.rateError": answer("Limits", "What does a call beyond limits.rate get?", 429, {
    error: "Rate limit exceeded: retry in ${retryAfter} s",
  }),
  "limits.overloadError": answer(
    "Limits",
    "What does a call get that is beyond the simulator's own bounds?",
    503,
    {
      error: "Service unavailable: ${reason}",
    },
  ),
} as const;

export const REFUSAL_ANSWERS = { ...RULE_REFUSALS, ...GENERAL_REFUSALS } as const;
export const ANSWERS = { ...RULE_REFUSALS, ...SUCCESSES, ...GENERAL_REFUSALS } as const;
