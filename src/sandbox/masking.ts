import { isObject } from "../kernel/json.js";
import { MASK, maskedAddress, maskedText, maskedValues } from "../kernel/masking.js";
import type { Delivery } from "./deliveries.js";
import type { RequestRecord } from "./journal.js";

/** Headers of a delivery that are the simulator's own; all others come from `extraHeaders`. */
const OWN_HEADER = /^(content-(type|length)|user-agent|accept|host|webhook-(id|timestamp|signature))$/;

/**
 * A call without its secrets: its token, headers and parameters that carry one, values of `extraHeaders` in its bodies, and
 * what addresses anywhere in it carry.
 */
export function maskedRequest(record: RequestRecord): RequestRecord {
  return {
    ...record,
    path: maskedText(record.path),
    token: record.token === null ? null : MASK,
    query: maskedValues(record.query),
    headers: maskedValues(record.headers),
    body: maskedBody(record.body),
    response: maskedBody(record.response),
    warnings: record.warnings.map((warning) => ({ ...warning, message: maskedText(warning.message) })),
  };
}

/** A delivery without the values of its webhook's `extraHeaders` and without what its address carries. */
export function maskedDelivery(delivery: Delivery): Delivery {
  return {
    ...delivery,
    url: maskedAddress(delivery.url),
    headers: maskedValues(delivery.headers, (name) => !OWN_HEADER.test(name.toLowerCase())),
    reason: textOrNull(delivery.reason),
    attempts: delivery.attempts.map((attempt) => ({
      ...attempt,
      error: textOrNull(attempt.error),
      responseBody: textOrNull(attempt.responseBody),
    })),
  };
}

const textOrNull = (text: string | null): string | null => (text === null ? null : maskedText(text));

function maskedBody(value: unknown): unknown {
  if (typeof value === "string") return maskedText(value);
  if (Array.isArray(value)) return value.map(maskedBody);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === "extraHeaders" ? withoutHeaderValues(part) : maskedBody(part),
    ]),
  );
}

/** Whatever a client sent as `extraHeaders`, with every `value` masked. */
function withoutHeaderValues(headers: unknown): unknown {
  if (!Array.isArray(headers)) return MASK;
  return headers.map((header) =>
    typeof header === "object" && header !== null && "value" in header ? { ...header, value: MASK } : header,
  );
}
