/** Reading the target of a request: its path and its query. */

/** The part of a target before its query, and the query without its question mark. */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf("?");
  return mark < 0
    ? { path: target, query: "" }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** An absolute target up to its path, as clients send it to a proxy. */
const ABSOLUTE = /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)/i;

/** A target without scheme and host, and the host where it has one. */
export function originTarget(target: string): { target: string; host?: string | undefined } {
  if (target.startsWith("/")) return { target };
  const [start = "", host] = ABSOLUTE.exec(target) ?? [];
  const rest = target.slice(start.length);
  return { target: host === undefined || rest.startsWith("/") ? rest : `/${rest}`, host };
}

const NO_QUERY: Readonly<Record<string, string>> = Object.freeze({});
/** What makes a query more than one parameter that stands for itself. */
const NOT_PLAIN = /[^\w.=-]/;

/** The parameters of a query; of a repeated one the last. Plain ones, which most are, need no decoding. */
export function queryOf(raw: string): Readonly<Record<string, string>> {
  if (raw === "") return NO_QUERY;
  const sign = raw.indexOf("=");
  if (sign < 1 || NOT_PLAIN.test(raw)) return Object.fromEntries(new URLSearchParams(raw));
  return { [raw.slice(0, sign)]: raw.slice(sign + 1) };
}
