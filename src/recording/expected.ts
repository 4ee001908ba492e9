/** What a recording expects of answers and payloads: what is the same at each replay. */
import type { References } from "./references.js";
import { withoutSecrets } from "./secrets.js";

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
