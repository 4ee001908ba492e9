/** Webhooks: one set of records behind the REST, the legacy and the GraphQL operations (specification: "Webhooks"). */
import { isLocalHost } from "../../kernel/hosts.js";
import { masksIn } from "../../kernel/masking.js";
import { omitUndefined } from "../../kernel/objects.js";
import type { DeepReadonly } from "../../kernel/schema.js";
import type { BehaviourValues } from "../behaviour/table.js";
import { complete } from "../world/defaults.js";
import { keyOf } from "../world/indexes.js";
import { type NameValue, SUBSCRIPTIONS, type Subscription, type Webhook } from "../world/records.js";
import type { Caller } from "./access.js";
import { EMPTY, InvalidInput, MISSING, Refusal } from "./refusals.js";
import type { Rule, Transaction, WorldView } from "./transaction.js";

/** Headers that frame a message or belong to its connection: nobody can choose them. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set(
  "connection content-length keep-alive trailer transfer-encoding upgrade".split(" "),
);
/** Headers that do so in a request; in an answer they mean nothing. */
const REQUEST_HEADERS: ReadonlySet<string> = new Set(["expect", "proxy-connection", "te"]);

export const isOfConnection = (name: string): boolean => CONNECTION_HEADERS.has(name.toLowerCase());

/** Whether HTTP lets the sender of a request set a header; `Host` is one that it may set. */
export const isSendable = (name: string): boolean =>
  !isOfConnection(name) && !REQUEST_HEADERS.has(name.toLowerCase());

export type WebhookFields = {
  readonly [K in "url" | "enabled" | "subscribedEvents" | "extraHeaders"]?:
    | DeepReadonly<Webhook[K]>
    | undefined;
};

const SECTION = "Resources and their fields / Webhook";

/** The webhooks that a GraphQL get returns; `graphql.getNone` says what an empty list returns. */
export function webhooksNamed(
  view: WorldView,
  caller: Caller,
  hookIds: readonly string[] | undefined,
): Webhook[] {
  const all = webhooksOf(view, caller);
  if (hookIds === undefined) return all;
  if (hookIds.length > 0) return all.filter(({ hookId }) => hookIds.includes(hookId));
  const none = view.behaviour["graphql.getNone"];
  if (none === "refuse")
    throw new InvalidInput([{ property: "@.variables.hookId", message: EMPTY }], "graphql.getNone");
  return none === "all" ? all : [];
}

export const webhooksOf = (view: WorldView, caller: Caller): Webhook[] => [
  ...view.find("webhooksByOrganization", caller.organizationId),
];

export function webhookFor(view: WorldView, caller: Caller, hookId: string): Webhook {
  const webhook = findWebhook(view, caller, hookId);
  if (webhook === undefined) throw new Refusal("webhooks.notFound", { hookId });
  return webhook;
}

function findWebhook(view: WorldView, caller: Caller, hookId: string): Webhook | undefined {
  const [webhook] = view.find("webhooksByHookId", keyOf(caller.organizationId, hookId));
  return webhook;
}

/** Adds a webhook. Without `hookId`, one is generated; `enabled` defaults to true. */
export const createWebhook: Rule<
  { caller: Caller; hookId?: string; fields: WebhookFields & { url: string }; legacy?: boolean },
  Webhook
> = (tx, { caller, hookId, fields, legacy = false }) => {
  // A save through GraphQL names no events, so `webhooks.graphqlEvents` decides.
  if (hookId === undefined) checkSubscriptions(tx, fields);
  checkUrl(tx, fields.url, legacy);
  noteHeaders(tx, fields.extraHeaders ?? []);
  const limit = tx.behaviour["limits.webhooks"];
  if (limit !== null && webhooksOf(tx, caller).length >= limit) {
    throw new Refusal("limits.webhooksError", { limit });
  }
  const id =
    hookId === undefined || tx.get("webhooks", hookId) !== undefined
      ? tx.drawId("webhooks", "hook_")
      : hookId;
  const { url, enabled, extraHeaders } = fields;
  const webhook = complete("webhooks", {
    id,
    organizationId: caller.organizationId,
    url,
    subscribedEvents: distinct(fields.subscribedEvents ?? ["messages"]),
    legacy,
    ...omitUndefined({ hookId, enabled, extraHeaders }),
  });
  return tx.put("webhooks", webhook);
};

/** Changes only the supplied fields of a webhook. */
export const updateWebhook: Rule<{ caller: Caller; hookId: string; fields: WebhookFields }, Webhook> = (
  tx,
  { caller, hookId, fields },
) => {
  const webhook = webhookFor(tx, caller, hookId);
  checkSubscriptions(tx, fields);
  if (fields.url !== undefined) checkUrl(tx, fields.url, false);
  noteHeaders(tx, fields.extraHeaders ?? []);
  const { url, enabled, subscribedEvents, extraHeaders } = fields;
  const supplied = omitUndefined({
    url,
    enabled,
    subscribedEvents: subscribedEvents && distinct(subscribedEvents),
    extraHeaders,
  });
  return tx.put("webhooks", complete("webhooks", { ...webhook, ...supplied }));
};

/**
 * A delivery has failed, as one of so many in a row: disables the webhook if `delivery.autoDisable` says so.
 * @returns how many count from now on, and whether it disabled the webhook
 */
export const countFailure: Rule<
  { webhookId: string; failures: number },
  { readonly failures: number; readonly isDisabled: boolean }
> = (tx, { webhookId, failures }) => {
  const limit = tx.behaviour["delivery.autoDisable"];
  const webhook = tx.get("webhooks", webhookId);
  if (limit === null || webhook === undefined) return { failures: 0, isDisabled: false };
  if (failures < limit) return { failures, isDisabled: false };
  if (webhook.enabled) tx.put("webhooks", { ...webhook, enabled: false });
  return { failures: 0, isDisabled: true };
};

export const deleteWebhook: Rule<{ caller: Caller; hookId: string }, Webhook> = (tx, { caller, hookId }) => {
  const webhook = webhookFor(tx, caller, hookId);
  tx.remove("webhooks", webhook.id);
  return webhook;
};

/** GraphQL save: updates the webhook with this `hookId`, or creates it. A new webhook requires `url`. */
export const saveWebhook: Rule<
  { caller: Caller; hookId: string; url?: string | undefined; enabled?: boolean | undefined },
  Webhook
> = (tx, { caller, hookId, url, enabled }) => {
  if (findWebhook(tx, caller, hookId) !== undefined) {
    return updateWebhook(tx, { caller, hookId, fields: { url, enabled } });
  }
  if (url === undefined) throw new InvalidInput([{ property: "@.variables.url", message: MISSING }]);
  const subscribedEvents = tx.behaviour["webhooks.graphqlEvents"];
  return createWebhook(tx, { caller, hookId, fields: { url, enabled, subscribedEvents } });
};

/** GraphQL delete: true if it succeeded (`graphql.deleteUnknown`); false if it names none. */
export const deleteWebhooks: Rule<{ caller: Caller; hookIds: readonly string[] }, boolean> = (
  tx,
  { caller, hookIds },
) => {
  const webhooks = hookIds.map((hookId) => findWebhook(tx, caller, hookId));
  if (webhooks.length === 0) return false;
  if (webhooks.includes(undefined) && tx.behaviour["graphql.deleteUnknown"] === "refuse") return false;
  for (const webhook of webhooks) if (webhook !== undefined) tx.remove("webhooks", webhook.id);
  return true;
};

/** Refuses an empty list of subscriptions if `webhooks.emptySubscriptions` says so. */
function checkSubscriptions({ behaviour }: WorldView, { subscribedEvents: events }: WebhookFields): void {
  if (events?.length === 0 && behaviour["webhooks.emptySubscriptions"] === "reject")
    throw new InvalidInput(
      [{ property: "@.subscribedEvents", message: EMPTY }],
      "webhooks.emptySubscriptions",
    );
}

const distinct = (events: readonly Subscription[]): Subscription[] => [...new Set(events)];

/** The problem with a URL that is not HTTPS, as far as `webhooks.insecureUrls` says; undefined if there is none. */
export function urlObjection(
  url: string,
  policy: BehaviourValues["webhooks.insecureUrls"],
): string | undefined {
  if (/^https:/i.test(url) || policy === "allow") return undefined;
  const isLocal = isSink(url) || isLocalHost(new URL(url).hostname);
  return isLocal && policy === "loopback" ? undefined : `must match [https], but is equal to "${url}"`;
}

const isSink = (url: string): boolean => url.startsWith("sink:");

/**
 * Refuses a URL whose secrets were left masked, as the control API shows it, and warns about one that is not HTTPS. For a
 * legacy webhook, the specification does not require HTTPS.
 */
function checkUrl(tx: Transaction, url: string, legacy: boolean): void {
  if (masksIn({ url }).length > 0)
    throw new InvalidInput([{ property: "@.url", message: "is masked: give the URL with its secrets" }]);
  // A sink belongs to the simulator: no client would name one to the service.
  if (!legacy && !isSink(url) && !/^https:/i.test(url))
    tx.note("insecure-url", `the service requires an HTTPS URL, but ${url} is plain http`, SECTION);
}

function noteHeaders(tx: Transaction, headers: readonly NameValue[]): void {
  const unsendable = headers.map(({ name }) => name).filter((name) => !isSendable(name));
  for (const name of new Set(unsendable)) {
    const message = `HTTP does not let a sender set the header ${name}: deliveries omit it`;
    tx.note("unsendable-header", message, SECTION);
  }
}

interface ReceiverConnection {
  readonly url: string;
  /** The header for the token; default: none. */
  readonly header?: string | undefined;
  /** The API key of a token of the world. */
  readonly keyOf: (token: string) => string;
}

interface Connected {
  readonly webhook: Webhook;
  readonly previousUrl: string | null;
  /** The token that each of its deliveries carries; null for none. */
  readonly token: string | null;
  readonly changed: boolean;
}

/** Points every webhook at one address; without webhooks, each organization gets one. With `header`, each also sends a token. */
export const connect: Rule<ReceiverConnection, Connected[]> = (tx, { url, header, keyOf }) => {
  const tokens = header === undefined ? new Map<string, string>() : firstTokens(tx);
  const before = [...tx.all("webhooks")];
  return (before.length > 0 ? before : newWebhooks(tx, url)).map((webhook) => {
    const token = tokens.get(webhook.organizationId) ?? null;
    const others = webhook.extraHeaders.filter(({ name }) => name.toLowerCase() !== header?.toLowerCase());
    const extraHeaders =
      token === null || header === undefined
        ? webhook.extraHeaders
        : [...others, { name: header, value: keyOf(token) }];
    const isNew = before.length === 0;
    const changed =
      isNew || webhook.url !== url || JSON.stringify(extraHeaders) !== JSON.stringify(webhook.extraHeaders);
    const connected = { ...webhook, url, extraHeaders };
    if (changed) tx.put("webhooks", connected);
    return { webhook: connected, previousUrl: isNew ? null : webhook.url, token, changed };
  });
};

function firstTokens(view: WorldView): Map<string, string> {
  const tokens = new Map<string, string>();
  for (const { id, userId } of view.all("tokens")) {
    const { organizationId } = view.get("users", userId) ?? {};
    if (organizationId !== undefined && !tokens.has(organizationId)) tokens.set(organizationId, id);
  }
  return tokens;
}

const newWebhooks = (view: WorldView, url: string): Webhook[] =>
  [...view.all("organizations")].map(({ id }) =>
    complete("webhooks", { id: `hook-${id}`, organizationId: id, url, subscribedEvents: SUBSCRIPTIONS }),
  );
