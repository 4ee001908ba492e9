/** What differs from server to server in a call and its answer, and what must stay secret, for comparisons and recordings. */

import { isObject } from "../kernel/json.js";
import { isCredentialName } from "../kernel/masking.js";

/** Whether a field holds an id: each server gives its own. */
export const isIdField = (name: string): boolean =>
  /^(?:id|uuid|sid)$|(?:Ids?|ID|UUID|Uuid|Sid)$|_id$/.test(name);

/** Whether a field holds an instant, which differs from run to run. */
export const isTimeField = (name: string): boolean =>
  /^(?:at|now|timestamp|date|time)$|(?:Timestamp|[a-z]At|Date|Time)$|_at$/.test(name);

/** What a scenario has in place of a secret: it can stand in a header, where a mask cannot. */
export const STAND_IN = "***";

/**
 * A copy of a value without secrets: the values of `extraHeaders`, of keys that name a secret, and what an address
 * carries beside host and path. The same value always becomes the same, so that a replay sends and gets it back alike.
 */
export function withoutSecrets(value: unknown, key = ""): unknown {
  if (key === "extraHeaders") return withoutHeaderValues(value);
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, key));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, withoutSecrets(part, name)]),
    );
  if (typeof value !== "string") return value;
  if (isCredentialName(key)) return STAND_IN;
  return key === "url" ? withoutCredentials(value) : value;
}

function withoutHeaderValues(headers: unknown): unknown {
  if (!Array.isArray(headers)) return typeof headers === "string" ? STAND_IN : headers;
  return headers.map((header: unknown) =>
    isObject(header) && typeof header.value === "string" ? { ...header, value: STAND_IN } : header,
  );
}

function withoutCredentials(url: string): string {
  return url
    .replace(/^([a-z][a-z0-9+.-]*:[/\\]+)[^/\\?#]*@/i, "$1")
    .replace(/([?&][^=&#]*=)[^&#]*/g, `$1${STAND_IN}`);
}
