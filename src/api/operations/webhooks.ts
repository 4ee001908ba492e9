import * as rules from "../../domain/webhooks.js";
import type { Schema } from "../../kernel/schema.js";
import { anyOf, array, boolean, object, oneOf, optional, string } from "../../kernel/schema.js";
import type { Webhook } from "../../world/records.js";
import { headerSchema, SUBSCRIPTIONS } from "../../world/records.js";
import type { Call, Reply } from "../operation.js";
import { emptyObject, operation } from "../operation.js";
import { webhookSchema, webhookView } from "../presentation.js";

const SECTION = "Endpoints / Webhooks (REST)";
const params = object({ webHookId: string({ description: "the hookId" }) });
const url = () => string({ format: "webhook-url", description: "HTTPS URL that receives the deliveries" });
const subscribedEvents = () => array(oneOf(SUBSCRIPTIONS));
const extraHeaders = () => array(headerSchema, { description: "sent on every delivery" });

const creation = object({
  url: url(),
  enabled: optional(boolean({ description: "default: true" })),
  subscribedEvents: subscribedEvents(),
  extraHeaders: optional(extraHeaders()),
});
const update = object({
  url: optional(url()),
  enabled: optional(boolean()),
  subscribedEvents: optional(subscribedEvents()),
  extraHeaders: optional(extraHeaders()),
});

/** The record, or the record under a name, as `webhooks.response` says. */
const shown = ({ view: tx }: Pick<Call, "view">, webhook: Webhook): Reply => {
  const view = webhookView(webhook);
  const wrapped = tx.behaviour["webhooks.response"] === "wrapped";
  return { body: wrapped ? { webhook: view } : view, behaviour: "webhooks.response" };
};

const eitherForm = (record: Schema, name: string): Schema => anyOf([record, object({ [name]: record })]);
const one = eitherForm(webhookSchema, "webhook");

export const createWebhook = operation({
  id: "createWebhook",
  method: "POST",
  path: "/api/webhooks",
  section: SECTION,
  summary: "Create a webhook",
  body: creation,
  success: one,
  refusals: [],
  example: { url: "https://bot.example/hook", subscribedEvents: ["messages"] },
  handle: (call) => shown(call, call.run(rules.createWebhook, { caller: call.caller, fields: call.body })),
});

export const listWebhooks = operation({
  id: "listWebhooks",
  method: "GET",
  path: "/api/webhooks",
  section: SECTION,
  summary: "List all webhooks of the organization",
  success: eitherForm(array(webhookSchema), "webhooks"),
  refusals: [],
  handle: ({ view: tx, caller }) => {
    const webhooks = rules.webhooksOf(tx, caller).map(webhookView);
    const wrapped = tx.behaviour["webhooks.response"] === "wrapped";
    return { body: wrapped ? { webhooks } : webhooks, behaviour: "webhooks.response" };
  },
});

export const getWebhook = operation({
  id: "getWebhook",
  method: "GET",
  path: "/api/webhooks/:webHookId",
  section: SECTION,
  summary: "Get a webhook",
  params,
  success: one,
  refusals: ["webhooks.notFound"],
  handle: (call) => shown(call, rules.webhookFor(call.view, call.caller, call.params.webHookId)),
});

export const updateWebhook = operation({
  id: "updateWebhook",
  method: "POST",
  path: "/api/webhooks/:webHookId/update",
  section: SECTION,
  summary: "Change a webhook",
  description: "Only supplied fields change.",
  params,
  body: update,
  success: one,
  refusals: ["webhooks.notFound"],
  example: { enabled: false },
  handle: (call) => {
    const { caller, params, body: fields } = call;
    return shown(call, call.run(rules.updateWebhook, { caller, hookId: params.webHookId, fields }));
  },
});

export const deleteWebhook = operation({
  id: "deleteWebhook",
  method: "POST",
  path: "/api/webhooks/:webHookId/delete",
  section: SECTION,
  summary: "Delete a webhook",
  params,
  success: emptyObject,
  refusals: ["webhooks.notFound"],
  handle: ({ caller, params, run }) => {
    run(rules.deleteWebhook, { caller, hookId: params.webHookId });
    return { body: {}, behaviour: "webhooks.response" };
  },
});

const LEGACY = "Endpoints / Edit organization webhook URL (legacy)";

export const updateHookUrl = operation({
  id: "updateHookUrl",
  method: "POST",
  path: "/api/update-hook-url",
  section: LEGACY,
  summary: "Add a legacy webhook",
  description:
    "Kept for backward compatibility: every call adds a webhook, which gets messages in the flat legacy form.",
  body: object({ url: url() }),
  success: "hookUrl.response",
  refusals: [],
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
