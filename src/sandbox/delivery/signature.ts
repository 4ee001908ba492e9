import { createHmac } from "node:crypto";
import { wallNow } from "../../kernel/realtime.js";
import type { BehaviourValues } from "../../service/behaviour/table.js";
import type { RequestChanges } from "../faults.js";
import { SIGNATURE_SKEW_MS } from "../faults.js";
import type { Headers } from "./headers.js";

/** Marks a secret that is written in base64. */
const SECRET_PREFIX = "whsec_";

/**
 * The headers that sign a body by the scheme of Standard Webhooks: an id that stays the same over retries, the real
 * time in seconds, and one HMAC-SHA256 over `id.timestamp.body` for each secret. Undefined where nothing is signed.
 *
 * @param changes how a fault signs; what it signs is `body`
 */
export function signatureHeaders(
  signature: BehaviourValues["delivery.signature"],
  id: string,
  body: Uint8Array,
  { signature: fault, skewMs = 0 }: RequestChanges = {},
): Headers | undefined {
  if (signature === null) return undefined;
  const offMs = (fault && SIGNATURE_SKEW_MS[fault]) ?? skewMs;
  const timestamp = Math.floor((wallNow() + offMs) / 1000);
  const sign = (secret: string) => {
    const signed = createHmac("sha256", fault === "bad" ? `not ${secret}` : keyOf(secret))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest("base64");
    return fault === "altered" ? altered(signed) : signed;
  };
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signature.secrets.map((secret) => `v1,${sign(secret)}`).join(" "),
  };
}

/** Another text of the same length, of which one character near the end differs: a part at the beginning is right. */
function altered(text: string): string {
  const at = text.length - 4;
  return `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
}

export const isSignatureHeader = (name: string): boolean => /^webhook-(id|timestamp|signature)$/i.test(name);

/** The bytes of a secret: `whsec_` and base64, or any other text as it stands. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), "base64")
    : Buffer.from(secret);
