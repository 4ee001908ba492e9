import { mergePatch } from "../../kernel/merge-patch.js";
import type { PendingDelivery } from "../deliveries.js";
import type { FaultEffect } from "../faults.js";

/** The bytes of a request. */
interface Body {
  readonly sent: Buffer;
  /** What its signature is for: the same, but where a fault sends the JSON in another encoding. */
  readonly signed: Buffer;
}

/** The body of a request that carries a delivery, with what a fault changes of it. */
export function bodyOf(
  { delivery, body }: PendingDelivery,
  { payload, signature, malformed }: Pick<FaultEffect, "payload" | "signature" | "malformed">,
): Body {
  const value = payload === undefined ? delivery.body : mergePatch(delivery.body, payload);
  const compact = payload === undefined ? body : Buffer.from(JSON.stringify(value));
  if (signature !== "re-encoded") {
    const sent = malformed ? compact.subarray(0, -1) : compact;
    return { sent, signed: sent };
  }
  const text = JSON.stringify(value, null, 2);
  return { sent: Buffer.from(`${malformed ? text.slice(0, -1) : text}\n`), signed: compact };
}
