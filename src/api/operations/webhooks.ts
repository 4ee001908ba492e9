import type { Schema } from "../../kernel/schema.js";
import { anyOf, array, boolean, object, oneOf, optional, partial, string } from "../../kernel/schema.js";
import type { WorldView } from "../../service/domain/transaction.js";
import * as rules from "../../service/domain/webhooks.js";
import type { Webhook } from "../../service/world/records.js";
import { headerSchema, nameValueSchema, SUBSCRIPTIONS, webhookUrl } from "../../service/world/records.js";
import type { CheckedCall, Success } from "../operation.js";
import { operation } from "../operation.js";

const SECTION = "Endpoints / Webhooks (REST)";
const params = object({ webHookId: string({ description: "the hookId" }) });
const FIELDS = {
  url: webhookUrl({ "x-https": true, description: "HTTPS URL that receives the deliveries" }),
  enabled: boolean(),
  subscribedEvents: array(oneOf(SUBSCRIPTIONS)),
  extraHeaders: array(headerSchema, { description: "sent on every delivery" }),
};
const creation = object({
  ...FIELDS,
  enabled: optional(boolean({ default: true })),
  extraHeaders: optional(FIELDS.extraHeaders),
});

const webhookSchema = object(
  {
    hookId: string({ description: "unique within the organization" }),
    url: string(),
    enabled: boolean(),
    subscribedEvents: array(oneOf(SUBSCRIPTIONS)),
    extraHeaders: array(nameValueSchema),
  },
  { title: "Webhook" },
);

const webhookView = ({ hookId, url, enabled, subscribedEvents, extraHeaders }: Webhook) => ({
  hookId,
  url,
  enabled,
  subscribedEvents,
  extraHeaders,
});

/** The body itself, or wrapped under a name if `webhooks.response` is `wrapped`. */
const named = ({ behaviour }: WorldView, name: string, body: unknown): Success => {
  const wrapped = behaviour["webhooks.response"] === "wrapped";
  return { body: wrapped ? { [name]: body } : body };
};
const answer = ({ view }: Pick<CheckedCall, "view">, webhook: Webhook): Success =>
  named(view, "webhook", webhookView(webhook));

const eitherForm = (record: Schema, name: string): Schema => anyOf([record, object({ [name]: record })]);
const one = eitherForm(webhookSchema, "webhook");

export const createWebhook = operation("createWebhook", "POST /api/webhooks/", {
  section: SECTION,
  summary: "Create a webhook",
  body: creation,
  success: one,
  decidedBy: ["webhooks.response"],
  otherStatus: { status: 201, behaviour: "webhooks.createStatus" },
  refusals: ["limits.webhooksError"],
  example: { url: "https://bot.example/hook", subscribedEvents: ["messages"] },
  handle: (call) => {
    const { caller, body: fields, view } = call;
    const created = call.run(rules.createWebhook, { caller, fields });
    return { ...answer(call, created), status: view.behaviour["webhooks.createStatus"] };
  },
});

export const listWebhooks = operation("listWebhooks", "GET /api/webhooks/", {
  section: SECTION,
  summary: "List all webhooks of the organization",
  success: eitherForm(array(webhookSchema), "webhooks"),
  decidedBy: ["webhooks.response"],
  refusals: [],
  handle: ({ view, caller }) => named(view, "webhooks", rules.webhooksOf(view, caller).map(webhookView)),
});

export const getWebhook = operation("getWebhook", "GET /api/webhooks/:webHookId", {
  section: SECTION,
  summary: "Get a webhook",
  params,
  success: one,
  decidedBy: ["webhooks.response"],
  refusals: ["webhooks.notFound"],
  handle: (call) => answer(call, rules.webhookFor(call.view, call.caller, call.params.webHookId)),
});

export const updateWebhook = operation("updateWebhook", "POST /api/webhooks/:webHookId/update", {
  section: SECTION,
  summary: "Change a webhook",
  description: "Only supplied fields change.",
  params,
  body: object(partial(FIELDS)),
  success: one,
  decidedBy: ["webhooks.response"],
  refusals: ["webhooks.notFound"],
  example: { enabled: false },
  handle: (call) => {
    const { caller, params, body: fields } = call;
    return answer(call, call.run(rules.updateWebhook, { caller, hookId: params.webHookId, fields }));
  },
});

export const deleteWebhook = operation("deleteWebhook", "POST /api/webhooks/:webHookId/delete", {
  section: SECTION,
  summary: "Delete a webhook",
  params,
  success: "webhooks.deleteResponse",
  refusals: ["webhooks.notFound"],
  handle: ({ caller, params, run }) => {
    const webhook = run(rules.deleteWebhook, { caller, hookId: params.webHookId });
    return { answer: "webhooks.deleteResponse", scope: { webhook: webhookView(webhook) } };
  },
});

const LEGACY = "Endpoints / Edit organization webhook URL (legacy)";

export const updateHookUrl = operation("updateHookUrl", "POST /api/update-hook-url", {
  section: LEGACY,
  summary: "Add a legacy webhook",
  description:
    "Kept for backward compatibility: every call adds a webhook that receives messages in the flat legacy form.",
  body: object({ url: webhookUrl({ description: "the address called" }) }),
  success: "hookUrl.response",
  refusals: ["limits.webhooksError"],
  example: { url: "https://bot.example/legacy-hook" },
  deprecated: {
    code: "deprecated-endpoint",
    message: "update-hook-url is kept for backward compatibility: use the webhook endpoints",
    section: LEGACY,
  },
  handle: ({ body, caller, run }) => {
    const webhook = run(rules.createWebhook, {
      caller,
      fields: { url: body.url, subscribedEvents: ["messages"] },
      legacy: true,
    });
    return { answer: "hookUrl.response", scope: { webhook: webhookView(webhook) } };
  },
});
