import type { Delivery } from "./deliveries.js";
import type { RequestRecord } from "./journal.js";

/** What stands in the place of a secret. */
const MASK = "***";

/** Headers of a call that carry a secret. */
const SECRET_HEADER = /token|authorization|cookie|secret|password|api-?key/;
/** Headers of a delivery that are the simulator's own; all others come from `extraHeaders`. */
const OWN_HEADER = /^(content-(type|length)|user-agent|accept|host|webhook-(id|timestamp|signature))$/;

/** A call without its secrets: its token, headers that carry one, values of `extraHeaders` in its bodies. */
export function maskedRequest(record: RequestRecord): RequestRecord {
  return {
    ...record,
    token: record.token === null ? null : MASK,
    headers: maskedHeaders(record.headers, (name) => SECRET_HEADER.test(name)),
    body: withoutExtraHeaders(record.body),
    response: withoutExtraHeaders(record.response),
  };
}

/** A delivery without the values of its webhook's `extraHeaders`. */
export function maskedDelivery(delivery: Delivery): Delivery {
  return { ...delivery, headers: maskedHeaders(delivery.headers, (name) => !OWN_HEADER.test(name)) };
}

const maskedHeaders = (
  headers: Readonly<Record<string, string>>,
  isSecret: (lowerCaseName: string) => boolean,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecret(name.toLowerCase()) ? MASK : value]),
  );

function withoutExtraHeaders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExtraHeaders);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === "extraHeaders" ? maskedValues(part) : withoutExtraHeaders(part),
    ]),
  );
}

/** Whatever a client sent as `extraHeaders`, with every `value` masked. */
function maskedValues(headers: unknown): unknown {
  if (!Array.isArray(headers)) return MASK;
  return headers.map((header) =>
    typeof header === "object" && header !== null && "value" in header ? { ...header, value: MASK } : header,
  );
}
