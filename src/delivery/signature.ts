import { createHmac } from "node:crypto";
import type { BehaviourValues } from "../behaviour/table.js";
import { wallNow } from "../kernel/realtime.js";

/** What a fault makes of a signature. */
export type SignatureFault = "bad" | "stale" | undefined;

/** How old a stale signature is, seconds. */
const STALE = 600;
const PREFIX = "whsec_";

/**
 * The headers that sign a body by the scheme of Standard Webhooks: an id that stays the same over retries, the real
 * time in seconds, and one HMAC-SHA256 over `id.timestamp.body` for each secret.
 */
export function signatureHeaders(
  { secrets }: NonNullable<BehaviourValues["delivery.signature"]>,
  id: string,
  body: Uint8Array,
  fault: SignatureFault,
): Record<string, string> {
  const timestamp = Math.floor(wallNow() / 1000) - (fault === "stale" ? STALE : 0);
  const signed = (secret: string) =>
    createHmac("sha256", fault === "bad" ? `not ${secret}` : keyOf(secret))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": secrets.map((secret) => `v1,${signed(secret)}`).join(" "),
  };
}

/** The bytes of a secret: `whsec_` and base64, or any other text as it stands. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), "base64") : Buffer.from(secret);
