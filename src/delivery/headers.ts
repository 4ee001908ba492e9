/** The headers of an attempt, beside those of the connection. */
export type Headers = Readonly<Record<string, string>>;

interface NameValue {
  readonly name: string;
  readonly value: string;
}

/** Headers that belong to the connection or frame the message: a webhook cannot set them. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Puts headers together, later ones in place of earlier ones of the same name in any case; a name that comes twice
 * in one list is joined with a comma. Those of the connection are left out.
 */
export function mergeHeaders(...lists: readonly (readonly NameValue[] | Headers)[]): Headers {
  const merged = new Map<string, NameValue>();
  for (const list of lists) {
    const own = new Set<string>();
    for (const { name, value } of Array.isArray(list)
      ? (list as readonly NameValue[])
      : pairs(list as Headers)) {
      const key = name.toLowerCase();
      if (OF_THE_CONNECTION.has(key)) continue;
      const before = own.has(key) ? merged.get(key) : undefined;
      merged.set(key, before === undefined ? { name, value } : { name, value: `${before.value}, ${value}` });
      own.add(key);
    }
  }
  return Object.freeze(Object.fromEntries([...merged.values()].map(({ name, value }) => [name, value])));
}

const pairs = (headers: Headers): NameValue[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/** What every delivery carries, with the webhook's own headers over it (specification: "Authentication", 6). */
export const standardHeaders = (userAgent: string, extraHeaders: readonly NameValue[]): Headers =>
  mergeHeaders({ "content-type": "application/json", "user-agent": userAgent }, extraHeaders);

const SIGNATURE = /^webhook-/i;

/** Puts the headers of a signature over others. Nearly always none has to give way, and none is compared. */
export const signedHeaders = (headers: Headers, signature: Headers): Headers =>
  Object.keys(headers).some((name) => SIGNATURE.test(name))
    ? mergeHeaders(headers, signature)
    : { ...headers, ...signature };
