import { createHmac } from "node:crypto";
import type { BehaviourValues } from "../behaviour/table.js";
import { wallNow } from "../kernel/realtime.js";
import type { Headers } from "./headers.js";

/** How old the timestamp of a stale signature is. */
const STALE_SECONDS = 600;
/** Marks a secret that is written in base64. */
const SECRET_PREFIX = "whsec_";

/**
 * The headers that sign a body by the scheme of Standard Webhooks: an id that stays the same over retries, the real
 * time in seconds, and one HMAC-SHA256 over `id.timestamp.body` for each secret. Undefined where nothing is signed.
 *
 * @param fault makes the signature wrong, or right and long past
 */
export function signatureHeaders(
  signature: BehaviourValues["delivery.signature"],
  id: string,
  body: Uint8Array,
  fault?: "bad" | "stale",
): Headers | undefined {
  if (signature === null) return undefined;
  const timestamp = Math.floor(wallNow() / 1000) - (fault === "stale" ? STALE_SECONDS : 0);
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

/** The bytes of a secret: `whsec_` and base64, or any other text as it stands. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), "base64")
    : Buffer.from(secret);
