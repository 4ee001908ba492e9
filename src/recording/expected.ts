/** What a recording expects of answers and payloads: what is the same at each replay, and no secret. */

import { isObject } from "../kernel/json.js";
import { isCredentialName, MASK } from "../kernel/masking.js";
import type { References } from "./references.js";

/** In place of a value that differs from run to run, or that must stay secret. */
export const UNSTABLE = Symbol("unstable");

/** Instants: real time flows differently at each replay. */
const INSTANT_KEY = /(^at|[a-z]At|[tT]imestamp|^now)$/;
const ID_KEY = /^(id|.*[a-z]Ids?)$/;

/** A MATCH for a value without its unstable parts; {@link UNSTABLE} where nothing is left. */
export function stable(value: unknown, references: References, key = ""): unknown {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (INSTANT_KEY.test(key)) return UNSTABLE;
    return stableId(value, references, key) ?? value;
  }
  if (typeof value === "string") {
    if (withoutSecrets(value, key) !== value) return UNSTABLE;
    return stableId(value, references, key) ?? references.text(value);
  }
  if (Array.isArray(value)) return value.map((item) => orAny(stable(item, references, key), item));
  if (typeof value !== "object") return UNSTABLE;
  const isHeaders = key === "extraHeaders";
  const entries = Object.entries(value)
    .filter(([name]) => !name.startsWith("$") && !(isHeaders && name === "value"))
    .map(([name, part]) => [name, stable(part, references, name)] as const)
    .filter(([, part]) => part !== UNSTABLE);
  return entries.length === 0 && Object.keys(value).length > 0 ? UNSTABLE : Object.fromEntries(entries);
}

/** What an id is expected to be; undefined for what is no id. */
function stableId(value: string | number, references: References, key: string): unknown {
  if (!ID_KEY.test(key)) return undefined;
  return references.placeholder(value) ?? (references.isKnown(value) ? undefined : UNSTABLE);
}

const orAny = (pattern: unknown, item: unknown): unknown =>
  pattern === UNSTABLE ? { $any: Array.isArray(item) ? "array" : typeof item } : pattern;

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
