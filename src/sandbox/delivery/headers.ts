import { HOPS_HEADER } from "../../kernel/http/hops.js";
import type { BehaviourValues } from "../../service/behaviour/table.js";
import { isSendable } from "../../service/domain/headers.js";
import type { NameValue } from "../../service/world/records.js";

/** The headers of a request, beside those of the connection. */
export type Headers = Readonly<Record<string, string>>;

/**
 * The headers of a request to a webhook: what every delivery carries, the webhook's own over them (specification:
 * "Authentication", 6), and others over these. A later header replaces an earlier one of the same name, whatever the case
 * of its letters; values of one that the webhook names twice are joined with a comma, but for `Host`, of which
 * a request has one: the last counts. Those of the connection are left out.
 */
export function requestHeaders(
  userAgent: string,
  extraHeaders: readonly NameValue[],
  ...others: readonly (Headers | undefined)[]
): Headers {
  const merged = new Map<string, readonly [name: string, value: string]>();
  const put = (name: string, value: string) => {
    if (isSendable(name) && name.toLowerCase() !== HOPS_HEADER) merged.set(name.toLowerCase(), [name, value]);
  };
  put("content-type", "application/json");
  put("user-agent", userAgent);
  const values = new Map<string, string>();
  for (const { name, value } of extraHeaders) {
    const key = name.toLowerCase();
    const earlier = key === "host" ? undefined : values.get(key);
    const joined = earlier === undefined ? value : `${earlier}, ${value}`;
    values.set(key, joined);
    put(name, joined);
  }
  for (const headers of others) for (const [name, value] of Object.entries(headers ?? {})) put(name, value);
  return Object.freeze(Object.fromEntries(merged.values()));
}

/**
 * A webhook's own headers as they go to a receiver: without `Host` where that is the simulator itself, and as
 * `delivery.repeatedHeaders` and `delivery.contentType` say.
 */
export function sentTo(
  extraHeaders: readonly NameValue[],
  toSink: boolean,
  behaviour: BehaviourValues,
): readonly NameValue[] {
  const { "delivery.repeatedHeaders": repeated, "delivery.contentType": contentType } = behaviour;
  const names = extraHeaders.map(({ name }) => name.toLowerCase());
  return extraHeaders.filter((_, index) => {
    const name = names[index] ?? "";
    if ((name === "host" && toSink) || (name === "content-type" && contentType === "json")) return false;
    return repeated === "join" || names.lastIndexOf(name) === index;
  });
}
