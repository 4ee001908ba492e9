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
    "The token has the permission `user:delete`.",
  ),
  "profile.notFound": answer(
    OTHER_ERRORS,
    "What is the response to an unknown customer id?",
    404,
    { error: "Customer not found" },
    "The customer belongs to the token's organization.",
  ),
  "threads.notFound": answer(
    OTHER_ERRORS,
    "What is the response to an unknown customerThreadId?",
    404,
    { error: "Customer thread not found" },
    "The thread belongs to a business of the token's organization.",
  ),
  "threads.notAccessible": answer(
    OTHER_ERRORS,
    "What is the response if the token's user may not access the thread?",
    403,
    { error: "Customer thread is not accessible to this user" },
    "The token's user has access to the thread: its business is one of the user's, or the user started it through the widget route and `widget.threadAccess` is `token`.",
  ),
  "webhooks.notFound": answer(
    OTHER_ERRORS,
    "What is the response to an unknown webhook id?",
    404,
    { error: "Webhook not found" },
    "The webhook belongs to the token's organization; every token of the organization has access.",
  ),
  "templates.unknown": answer(
    SEND,
    "What is the response to a contentSid that is not a template of the thread?",
    400,
    { error: "Unknown contentSid for this customer thread" },
    "`contentSid` is one of the templates listed for the thread.",
  ),
  "window.closedError": answer(
    SEND,
    "What is the response to free-form text while the messaging window is closed?",
    400,
    { error: "The messaging window is closed: send a template" },
    "`text` for the customer needs an open messaging window on the channels of `window.channels`. Templates do not; internal text does only if `window.internalMessages` is `bound`.",
  ),
  "widget.businessOffline": answer(
    WIDGET,
    "What is the response to a WhatsApp conversation with a business that is not online?",
    400,
    invalid("@.user.whatsapp", "business is not online"),
    "For `whatsapp`, the business is online.",
  ),
  "widget.noSender": answer(
    WIDGET,
    "Which details does the response have if the business has no active WhatsApp sender?",
    400,
    invalid("@.user.whatsapp", "business has no active WhatsApp sender"),
    "For `whatsapp`, the business has an active WhatsApp sender.",
  ),
  "threadStatus.transitionError": answer(
    "States and transitions / Thread status",
    "What is the response to a status change that threadStatus.transitions does not list?",
    400,
    { error: "Status cannot change from ${from} to ${to}" },
    "`threadStatus.transitions` allows the change.",
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
    "The customer is editable, if `profile.notEditable` is `refuse`.",
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
    "The text is not longer than `limits.textLength`, if that is set.",
  ),
  "limits.webhooksError": answer(
    LIMITS,
    "What is the response to a new webhook beyond limits.webhooks?",
    400,
    invalid("@", "must not have more than ${limit} webhooks in the organization"),
    "The organization has fewer webhooks than `limits.webhooks`, if that is set.",
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
