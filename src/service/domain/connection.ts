/** Pointing a whole world at one receiver. */
import type { NameValue, Webhook } from "../world/records.js";
import type { Rule, WorldView } from "./transaction.js";

interface Connection {
  readonly url: string;
  /** The header that brings the token; left out: none does. */
  readonly header?: string | undefined;
  /** The API key that means a token of the world. */
  readonly keyOf: (token: string) => string;
}

/** A webhook as it is now, and where it pointed before. */
interface Connected {
  readonly webhook: Webhook;
  /** Null for one that is new. */
  readonly previousUrl: string | null;
  /** The token that each of its deliveries brings along; null for none. */
  readonly token: string | null;
  readonly changed: boolean;
}

/**
 * Points every webhook at one address; where there is none at all, each organization gets one for all events. With
 * `header` each also brings a token of its organization, the first that there is, beside its own headers.
 */
export const connect: Rule<Connection, Connected[]> = (tx, { url, header, keyOf }) => {
  const tokens = header === undefined ? new Map<string, string>() : firstTokens(tx);
  const before = [...tx.all("webhooks")];
  return (before.length > 0 ? before : newWebhooks(tx, url)).map((webhook) => {
    const token = tokens.get(webhook.organizationId) ?? null;
    const own = token === null || header === undefined ? [] : [{ name: header, value: keyOf(token) }];
    const extraHeaders = withHeaders(webhook.extraHeaders, own);
    const isNew = before.length === 0;
    const changed =
      isNew || webhook.url !== url || JSON.stringify(extraHeaders) !== JSON.stringify(webhook.extraHeaders);
    const connected = { ...webhook, url, extraHeaders };
    if (changed) tx.put("webhooks", connected);
    return { webhook: connected, previousUrl: isNew ? null : webhook.url, token, changed };
  });
};

/** The first token of each organization that has one. */
function firstTokens(view: WorldView): Map<string, string> {
  const tokens = new Map<string, string>();
  for (const { id, userId } of view.all("tokens")) {
    const { organizationId } = view.get("users", userId) ?? {};
    if (organizationId !== undefined && !tokens.has(organizationId)) tokens.set(organizationId, id);
  }
  return tokens;
}

const newWebhooks = (view: WorldView, url: string): Webhook[] =>
  [...view.all("organizations")].map(({ id: organizationId }) => ({
    id: `hook-${organizationId}`,
    hookId: `hook-${organizationId}`,
    organizationId,
    url,
    enabled: true,
    subscribedEvents: ["messages", "transfers"],
    extraHeaders: [],
    legacy: false,
  }));

/** Headers with others in place of those of the same name. */
function withHeaders(headers: readonly NameValue[], others: readonly NameValue[]): NameValue[] {
  const replaced = new Set(others.map(({ name }) => name.toLowerCase()));
  return [...headers.filter(({ name }) => !replaced.has(name.toLowerCase())), ...others];
}
