/** The headers of a request, beside those of the connection. */
export type Headers = Readonly<Record<string, string>>;

/** Headers that belong to the connection or frame the message: a webhook cannot set them. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
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
 * The headers of a request to a webhook: what every delivery carries, the webhook's own over them (specification:
 * "Authentication", 6), and others over these. A later header replaces an earlier one of the same name, whatever the case
 * of its letters; values of one that the webhook names twice are joined with a comma. Those of the connection are left out.
 */
export function requestHeaders(
  userAgent: string,
  extraHeaders: readonly { readonly name: string; readonly value: string }[],
  ...others: readonly (Headers | undefined)[]
): Headers {
  const merged = new Map<string, readonly [name: string, value: string]>();
  const put = (name: string, value: string) => {
    const key = name.toLowerCase();
    if (!CONNECTION_HEADERS.has(key)) merged.set(key, [name, value]);
  };
  put("content-type", "application/json");
  put("user-agent", userAgent);
  const values = new Map<string, string>();
  for (const { name, value } of extraHeaders) {
    const earlier = values.get(name.toLowerCase());
    const joined = earlier === undefined ? value : `${earlier}, ${value}`;
    values.set(name.toLowerCase(), joined);
    put(name, joined);
  }
  for (const headers of others) for (const [name, value] of Object.entries(headers ?? {})) put(name, value);
  return Object.freeze(Object.fromEntries(merged.values()));
}
