/** Webhooks: one set of records behind the REST, the legacy and the GraphQL operations (specification: "Webhooks"). */
import { given } from "../kernel/given.js";
import { hostKind } from "../kernel/hosts.js";
import { keyOf } from "../world/indexes.js";
import type { NameValue, Subscription, Webhook } from "../world/records.js";
import type { Caller } from "./access.js";
import { InvalidInput, Refusal } from "./refusal.js";
import type { Rule, Transaction, WorldView } from "./transaction.js";

/** The fields that a caller may set; those left out keep their values. */
export interface WebhookFields {
  readonly url?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly subscribedEvents?: readonly Subscription[] | undefined;
  readonly extraHeaders?: readonly NameValue[] | undefined;
}

const SECTION = "Resources and their fields / Webhook";

/** All webhooks of the caller's organization, or those of the given `hookIds`. */
export function webhooksOf(view: WorldView, caller: Caller, hookIds?: readonly string[]): Webhook[] {
  const webhooks = [...view.find("webhooksByOrganization", caller.organizationId)];
  return hookIds === undefined ? webhooks : webhooks.filter(({ hookId }) => hookIds.includes(hookId));
}

export function webhookFor(view: WorldView, caller: Caller, hookId: string): Webhook {
  const webhook = findWebhook(view, caller, hookId);
  if (webhook === undefined) throw new Refusal("webhooks.notFound", { hookId });
  return webhook;
}

const findWebhook = (view: WorldView, caller: Caller, hookId: string): Webhook | undefined =>
  view.findOne("webhooksByHookId", keyOf(caller.organizationId, hookId));

/** Adds a webhook. Without `hookId` one is drawn; `enabled` is true unless said otherwise. */
export const createWebhook: Rule<
  { caller: Caller; hookId?: string; fields: WebhookFields & { url: string }; legacy?: boolean },
  Webhook
> = (tx, { caller, hookId, fields, legacy = false }) => {
  checkUrl(tx, fields.url, hookId === undefined ? "@.url" : "@.variables.url");
  const limit = tx.behaviour["limits.webhooks"];
  if (limit !== null && webhooksOf(tx, caller).length >= limit) {
    const message = `must not have more than ${limit} webhooks in the organization`;
    throw new InvalidInput([{ property: "@", message }], "limits.webhooks");
  }
  const id =
    hookId === undefined || tx.get("webhooks", hookId) !== undefined
      ? tx.drawId("webhooks", "hook_")
      : hookId;
  return tx.put("webhooks", {
    id,
    hookId: hookId ?? id,
    organizationId: caller.organizationId,
    url: fields.url,
    enabled: fields.enabled ?? true,
    subscribedEvents: [...(fields.subscribedEvents ?? ["messages"])],
    extraHeaders: headersOf(fields.extraHeaders ?? []),
    legacy,
  });
};

/** Names and values only: a body may hold more than the specification names, a record may not. */
const headersOf = (headers: readonly NameValue[]): NameValue[] =>
  headers.map(({ name, value }) => ({ name, value }));

/** Changes the supplied fields of a webhook, and no others. */
export const updateWebhook: Rule<
  { caller: Caller; hookId: string; fields: WebhookFields; urlProperty?: string },
  Webhook
> = (tx, { caller, hookId, fields, urlProperty = "@.url" }) => {
  const webhook = webhookFor(tx, caller, hookId);
  if (fields.url !== undefined) checkUrl(tx, fields.url, urlProperty);
  const { url, enabled, subscribedEvents, extraHeaders } = fields;
  const supplied = given({
    url,
    enabled,
    subscribedEvents: subscribedEvents && [...subscribedEvents],
    extraHeaders: extraHeaders && headersOf(extraHeaders),
  });
  return tx.put("webhooks", { ...webhook, ...supplied });
};

export const deleteWebhook: Rule<{ caller: Caller; hookId: string }, Webhook> = (tx, { caller, hookId }) => {
  const webhook = webhookFor(tx, caller, hookId);
  tx.remove("webhooks", webhook.id);
  return webhook;
};

/** GraphQL save: updates the webhook with this `hookId`, or creates it; `url` is required then. */
export const saveWebhook: Rule<
  { caller: Caller; hookId: string; url?: string | undefined; enabled?: boolean | undefined },
  Webhook
> = (tx, { caller, hookId, url, enabled }) => {
  if (findWebhook(tx, caller, hookId) !== undefined) {
    return updateWebhook(tx, { caller, hookId, fields: { url, enabled }, urlProperty: "@.variables.url" });
  }
  if (url === undefined)
    throw new InvalidInput([{ property: "@.variables.url", message: "is missing and not optional" }]);
  const subscribedEvents = tx.behaviour["webhooks.graphqlEvents"];
  return createWebhook(tx, { caller, hookId, fields: { url, enabled, subscribedEvents } });
};

/** GraphQL delete: true when every webhook named was there and is gone; an unknown one among them changes nothing. */
export const deleteWebhooks: Rule<{ caller: Caller; hookIds: readonly string[] }, boolean> = (
  tx,
  { caller, hookIds },
) => {
  const webhooks = hookIds.map((hookId) => findWebhook(tx, caller, hookId));
  if (webhooks.length === 0 || webhooks.includes(undefined)) return false;
  for (const webhook of webhooks) tx.remove("webhooks", (webhook as Webhook).id);
  return true;
};

/** Refuses a URL that is not HTTPS, as far as `webhooks.insecureUrls` says, and notes one that it lets through. */
function checkUrl(tx: Transaction, url: string, property: string): void {
  if (/^https:/i.test(url)) return;
  const policy = tx.behaviour["webhooks.insecureUrls"];
  const isSink = url.startsWith("sink:");
  const loopback = isSink || hostKind(new URL(url).hostname) === "loopback";
  if (policy === "reject" || (policy === "loopback" && !loopback)) {
    const message = `must match [https], but is equal to "${url}"`;
    throw new InvalidInput([{ property, message }], "webhooks.insecureUrls");
  }
  tx.note(
    isSink ? "sink-url" : "insecure-url",
    isSink
      ? `${url} names a sink of the simulator`
      : `the service asks for an HTTPS URL, and ${url} is plain http`,
    SECTION,
  );
}
