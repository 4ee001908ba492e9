/** Webhooks: one set of records behind the REST, the legacy and the GraphQL operations (specification: "Webhooks"). */

import { given } from "../../kernel/given.js";
import { isLocalHost } from "../../kernel/hosts.js";
import { maskedAddress, unmasked } from "../../kernel/masking.js";
import type { BehaviourKey, BehaviourValues } from "../behaviour/table.js";
import { keyOf } from "../world/indexes.js";
import type { NameValue, Subscription, Webhook } from "../world/records.js";
import type { Caller } from "./access.js";
import { omittedHeaders } from "./headers.js";
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

/** The webhooks that a GraphQL get names; `graphql.getNone` says what an empty list names. */
export function webhooksNamed(
  view: WorldView,
  caller: Caller,
  hookIds: readonly string[] | undefined,
): Webhook[] {
  if (hookIds?.length !== 0) return webhooksOf(view, caller, hookIds);
  const none = view.behaviour["graphql.getNone"];
  if (none === "empty") return [];
  if (none === "all") return webhooksOf(view, caller);
  const problem = { property: "@.variables.hookId", message: "must be longer than 1 elements, but it has 0" };
  throw new InvalidInput([problem], "graphql.getNone");
}

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
  // A save through GraphQL names no events: what `webhooks.graphqlEvents` says holds.
  if (hookId === undefined) checkSubscriptions(tx, fields);
  noteUrl(tx, fields.url, legacy);
  noteHeaders(tx, fields.extraHeaders ?? []);
  const limit = tx.behaviour["limits.webhooks"];
  if (limit !== null && webhooksOf(tx, caller).length >= limit) {
    throw new Refusal("limits.webhooksError", { limit });
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
    subscribedEvents: distinct(fields.subscribedEvents ?? ["messages"]),
    extraHeaders: headersOf(fields.extraHeaders ?? []),
    legacy,
  });
};

/** Names and values only: a body may hold more than the specification names, a record may not. */
const headersOf = (headers: readonly NameValue[]): NameValue[] =>
  headers.map(({ name, value }) => ({ name, value }));

/** Changes the supplied fields of a webhook, and no others. */
export const updateWebhook: Rule<{ caller: Caller; hookId: string; fields: WebhookFields }, Webhook> = (
  tx,
  { caller, hookId, fields: written },
) => {
  const webhook = webhookFor(tx, caller, hookId);
  // As a control answer shows it, whoever copied it from there.
  const fields = unmasked(written, webhook) as WebhookFields;
  checkSubscriptions(tx, fields);
  if (fields.url !== undefined) noteUrl(tx, fields.url, false);
  noteHeaders(tx, fields.extraHeaders ?? []);
  const { url, enabled, subscribedEvents, extraHeaders } = fields;
  const supplied = given({
    url,
    enabled,
    subscribedEvents: subscribedEvents && distinct(subscribedEvents),
    extraHeaders: extraHeaders && headersOf(extraHeaders),
  });
  return tx.put("webhooks", { ...webhook, ...supplied });
};

/** Disables a webhook whose deliveries fail (behaviour `delivery.autoDisable`). */
export const disableWebhook: Rule<{ id: string }, void> = (tx, { id }) => {
  const webhook = tx.get("webhooks", id);
  if (webhook?.enabled) tx.put("webhooks", { ...webhook, enabled: false });
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
    return updateWebhook(tx, { caller, hookId, fields: { url, enabled } });
  }
  if (url === undefined)
    throw new InvalidInput([{ property: "@.variables.url", message: "is missing and not optional" }]);
  const subscribedEvents = tx.behaviour["webhooks.graphqlEvents"];
  return createWebhook(tx, { caller, hookId, fields: { url, enabled, subscribedEvents } });
};

/**
 * GraphQL delete: true when it succeeded. What an unknown webhook among those named does to it, `graphql.deleteUnknown` says.
 */
export const deleteWebhooks: Rule<{ caller: Caller; hookIds: readonly string[] }, boolean> = (
  tx,
  { caller, hookIds },
) => {
  const webhooks = hookIds.map((hookId) => findWebhook(tx, caller, hookId));
  if (webhooks.length === 0) return tx.behaviour["graphql.deleteNone"] === "succeed";
  if (webhooks.includes(undefined) && tx.behaviour["graphql.deleteUnknown"] === "refuse") return false;
  for (const webhook of webhooks) if (webhook !== undefined) tx.remove("webhooks", webhook.id);
  return true;
};

/** The entry of the behaviour table that decides what a GraphQL delete does, before it is done. */
export const deletionDecidedBy = (
  view: WorldView,
  caller: Caller,
  hookIds: readonly string[],
): BehaviourKey | undefined => {
  if (hookIds.length === 0) return "graphql.deleteNone";
  const isUnknown = hookIds.some((hookId) => findWebhook(view, caller, hookId) === undefined);
  return isUnknown ? "graphql.deleteUnknown" : undefined;
};

/** Refuses an empty list of subscriptions, or one with doubles, where an entry of the behaviour table says so. */
function checkSubscriptions({ behaviour }: WorldView, { subscribedEvents: events }: WebhookFields): void {
  if (events === undefined) return;
  const refuse = (message: string, decidedBy: BehaviourKey) => {
    throw new InvalidInput([{ property: "@.subscribedEvents", message }], decidedBy);
  };
  if (events.length === 0 && behaviour["webhooks.emptySubscriptions"] === "reject")
    refuse("must be longer than 1 elements, but it has 0", "webhooks.emptySubscriptions");
  if (new Set(events).size < events.length && behaviour["webhooks.doubledEvents"] === "reject")
    refuse("must not name an event more than once", "webhooks.doubledEvents");
}

/** Each subscription once. */
const distinct = (events: readonly Subscription[]): Subscription[] => [...new Set(events)];

/**
 * What speaks against a webhook URL that is not HTTPS, as far as `webhooks.insecureUrls` says; undefined for nothing. The
 * schemas of the operations ask for HTTPS; that of the legacy endpoint does not (specification: "Edit organization
 * webhook URL (legacy)").
 */
export function urlObjection(
  url: string,
  policy: BehaviourValues["webhooks.insecureUrls"],
): string | undefined {
  if (/^https:/i.test(url) || policy === "allow") return undefined;
  const isLocal = isSink(url) || isLocalHost(new URL(url).hostname);
  return isLocal && policy === "loopback" ? undefined : `must match [https], but is equal to "${url}"`;
}

const isSink = (url: string): boolean => url.startsWith("sink:");

/** Notes a URL that is not HTTPS. For a legacy webhook the specification does not ask for it. */
function noteUrl(tx: Transaction, url: string, legacy: boolean): void {
  // A sink is the simulator's own: nobody would name one to the service.
  if (!legacy && !isSink(url) && !/^https:/i.test(url))
    tx.note(
      "insecure-url",
      `the service asks for an HTTPS URL, and ${maskedAddress(url)} is plain http`,
      SECTION,
    );
}

/** Notes the headers that deliveries will go without. */
function noteHeaders(tx: Transaction, headers: readonly NameValue[]): void {
  for (const name of omittedHeaders(headers)) {
    const message = `HTTP does not let a sender choose the header ${name}: deliveries go without it`;
    tx.note("unsendable-header", message, SECTION);
  }
}
