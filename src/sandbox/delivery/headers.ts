import { createHmac } from "node:crypto";
import { HOPS_HEADER } from "../../kernel/http/target.js";
import { wallNow } from "../../kernel/realtime.js";
import type { BehaviourValues } from "../../service/behaviour/table.js";
import { isSendable } from "../../service/domain/webhooks.js";
import type { NameValue } from "../../service/world/records.js";
import type { FaultEffect } from "../fault-effects.js";

export type Headers = Readonly<Record<string, string>>;

/**
 * The headers of a request to a webhook: those of every delivery, overridden by the webhook's own (specification:
 * "Authentication", 6), overridden by `others`. Names are case-insensitive. If the webhook names a header twice, its values
 * are joined with a comma, except for `Host`, of which the last wins. Connection headers are omitted.
 */
export function requestHeaders(
  userAgent: string,
  extraHeaders: readonly NameValue[],
  ...others: readonly (Headers | undefined)[]
): Headers {
  const merged = new Map<string, readonly [name: string, value: string]>();
  const put = (name: string, value: string) => {
    if (isSendable(name) && name.toLowerCase() !== HOPS_HEADER) merged.set(name.toLowerCase(), [name, value]);
  };
  put("content-type", "application/json");
  put("user-agent", userAgent);
  const values = new Map<string, string>();
  for (const { name, value } of extraHeaders) {
    const key = name.toLowerCase();
    const earlier = key === "host" ? undefined : values.get(key);
    const joined = earlier === undefined ? value : `${earlier}, ${value}`;
    values.set(key, joined);
    put(name, joined);
  }
  for (const headers of others) for (const [name, value] of Object.entries(headers ?? {})) put(name, value);
  return Object.freeze(Object.fromEntries(merged.values()));
}

/** A webhook's own headers as they are sent; a sink gets no `Host`. */
export const sentTo = (extraHeaders: readonly NameValue[], toSink: boolean): readonly NameValue[] =>
  toSink ? extraHeaders.filter(({ name }) => name.toLowerCase() !== "host") : extraHeaders;

/** The age of a stale signature, ms. */
const STALE_MS = 600_000;

const SECRET_PREFIX = "whsec_";

/**
 * The headers that sign a body as Standard Webhooks defines: an id that stays the same over retries, the real time in
 * seconds, and one HMAC-SHA256 over `id.timestamp.body` for each secret. Undefined without a secret.
 *
 * @param fault how a fault changes the signature
 */
export function signatureHeaders(
  signature: BehaviourValues["delivery.signature"],
  id: string,
  body: Uint8Array,
  fault?: FaultEffect["signature"],
): Headers | undefined {
  if (signature === null) return undefined;
  const timestamp = Math.floor((wallNow() - (fault === "stale" ? STALE_MS : 0)) / 1000);
  const sign = (secret: string) =>
    createHmac("sha256", fault === "bad" ? `not ${secret}` : keyOf(secret))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signature.secrets.map((secret) => `v1,${sign(secret)}`).join(" "),
  };
}

export const isSignatureHeader = (name: string): boolean => /^webhook-(id|timestamp|signature)$/i.test(name);

/** The bytes of a secret: `whsec_` and base64, or any other text as it is. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), "base64")
    : Buffer.from(secret);
