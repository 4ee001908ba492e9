/** What a recording must not hold, and what it holds instead. */
import { isObject } from "../kernel/json.js";
import { isCredentialName, MASK } from "../kernel/masking.js";

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
  if (isCredentialName(key)) return MASK;
  return key === "url" ? withoutCredentials(value) : value;
}

function withoutHeaderValues(headers: unknown): unknown {
  if (!Array.isArray(headers)) return typeof headers === "string" ? MASK : headers;
  return headers.map((header: unknown) =>
    isObject(header) && typeof header.value === "string" ? { ...header, value: MASK } : header,
  );
}

function withoutCredentials(url: string): string {
  return url
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/\\\\?#]*@/i, "$1")
    .replace(/([?&][^=&#]*=)[^&#]*/g, `$1${MASK}`);
}
