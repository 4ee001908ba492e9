import { SINK } from "../../../src/client/log-entries.js";
import { omitUndefined } from "../../../src/kernel/objects.js";
import type { Session } from "../model/session";
import type { DeliveryRecord, RequestRecord } from "../model/types";

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

interface CurlCall {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A command line that makes a call. */
export function curl({ method, url, headers = {}, body }: CurlCall): string {
  const lines = [`curl -X ${method} ${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined && body !== null)
    lines.push(`--data-raw ${quoted(typeof body === "string" ? body : JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

const JSON_TYPE = { "Content-Type": "application/json" };

/** The path and query of a recorded call. */
export function requestTarget({ path, query }: RequestRecord): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}

/** The command line that repeats a recorded call. */
export const requestCurl = (request: RequestRecord): string =>
  curl({
    method: request.method,
    url: location.origin + requestTarget(request),
    headers: omitUndefined({ token: request.headers.token, "Content-Type": request.headers["content-type"] }),
    body: request.body,
  });

/** The command line that makes a delivery to its receiver once more; one to a sink goes to the simulator's own address. */
export function deliveryCurl({ transport }: Session, { url, headers, body }: DeliveryRecord): string {
  const isSink = url.startsWith(SINK);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return curl({
    method: "POST",
    url: isSink
      ? `${location.origin}${transport.base}/sinks/${encodeURIComponent(url.slice(SINK.length))}`
      : url,
    headers: { ...(names.includes("content-type") ? {} : JSON_TYPE), ...headers },
    body,
  });
}
