/** Answers that the specification does not show. The checks that lead to them are fixed; their content is not. */
import { answer } from "./entry.js";

const PERMISSIONS = "Authentication";
const SEND = "Endpoints / Send message to a customer thread";
const DELETE_USER = "Endpoints / Delete user by email";
const WIDGET = "Errors / Widget route";
const LIMITS = "Limits";
const UPDATE_PROFILE = "Endpoints / Update customer profile";
const OTHER_ERRORS = "Errors";

const invalid = (property: string, message: string) => ({ body: [{ message, property }], headers: [] });

export const REFUSAL_ANSWERS = {
  "auth.missing": answer(PERMISSIONS, "What is the response to a call without a token?", 401, {
    error: "Missing API token",
  }),
  "auth.invalid": answer(PERMISSIONS, "What is the response to an unknown or expired token?", 401, {
    error: "Invalid API token",
  }),
  "users.deleteForbidden": answer(
    DELETE_USER,
    "What is the response if the token lacks the permission user:delete?",
    403,
    { error: "The token lacks the permission user:delete" },
  ),
  "profile.notFound": answer(OTHER_ERRORS, "What is the response to an unknown customer id?", 404, {
    error: "Customer not found",
  }),
  "threads.notFound": answer(OTHER_ERRORS, "What is the response to an unknown customerThreadId?", 404, {
    error: "Customer thread not found",
  }),
  "threads.notAccessible": answer(
    OTHER_ERRORS,
    "What is the response if the token's user may not access the thread?",
    403,
    { error: "Customer thread is not accessible to this user" },
  ),
  "webhooks.notFound": answer(OTHER_ERRORS, "What is the response to an unknown webhook id?", 404, {
    error: "Webhook not found",
  }),
  "templates.unknown": answer(
    SEND,
    "What is the response to a contentSid that is not a template of the thread?",
    400,
    { error: "Unknown contentSid for this customer thread" },
  ),
  "window.closedError": answer(
    SEND,
    "What is the response to free-form text while the messaging window is closed?",
    400,
    { error: "The messaging window is closed: send a template" },
  ),
  "widget.businessOffline": answer(
    WIDGET,
    "What is the response to a WhatsApp conversation with a business that is not online?",
    400,
    invalid("@.user.whatsapp", "business is not online"),
  ),
  "widget.noSender": answer(
    WIDGET,
    "Which details does the response have if the business has no active WhatsApp sender?",
    400,
    invalid("@.user.whatsapp", "business has no active WhatsApp sender"),
  ),
  "threadStatus.transitionError": answer(
    "States and transitions / Thread status",
    "What is the response to a status change that threadStatus.transitions does not list?",
    400,
    { error: "Status cannot change from ${from} to ${to}" },
  ),
  "permissions.requiredError": answer(
    PERMISSIONS,
    "What is the response if the token lacks a permission listed in permissions.required?",
    403,
    { error: "The token lacks the permission ${permission}" },
  ),
  "profile.notEditableError": answer(
    UPDATE_PROFILE,
    "What is the response to an update of a profile with editable: false if profile.notEditable is refuse?",
    400,
    { error: "Customer profile is not editable" },
  ),
  "limits.textLengthError": answer(
    LIMITS,
    "What is the response to a text longer than limits.textLength?",
    400,
    {
      body: [
        {
          message: "must be shorter than ${limit} elements, but it has ${length}",
          property: "${property}",
        },
      ],
      headers: [],
    },
  ),
  "limits.webhooksError": answer(
    LIMITS,
    "What is the response to a new webhook beyond limits.webhooks?",
    400,
    invalid("@", "must not have more than ${limit} webhooks in the organization"),
  ),
  "limits.rateError": answer(LIMITS, "What is the response to a call beyond limits.rate?", 429, {
    error: "Rate limit exceeded: retry in ${retryAfter} s",
  }),
} as const;

const success = (section: string, question: string) => answer(section, question, 200, {});

const SUCCESSES = {
  "profile.updateResponse": success(UPDATE_PROFILE, "What is the response to a successful update?"),
  "sendMessage.response": success(SEND, "What is the response to a sent message?"),
  "threadStatus.response": success(
    "Endpoints / Update thread status",
    "What is the response to a status change?",
  ),
  "webhooks.deleteResponse": success(
    "Endpoints / Webhooks (REST)",
    "What is the response to the deletion of a webhook?",
  ),
  "hookUrl.response": success(
    "Endpoints / Edit organization webhook URL (legacy)",
    "What is the response to a new legacy hook URL?",
  ),
} as const;

export const ANSWERS = { ...REFUSAL_ANSWERS, ...SUCCESSES } as const;
