import { SINK } from "../../../src/client/log-entries.js";
import type { Transport } from "../../../src/client/transport.js";
import { omitUndefined } from "../../../src/kernel/objects.js";
import type { DeliveryRecord, RequestRecord } from "../model/types";
import type { Access } from "./access";

/** Stands in command lines for the control token, which is never written out. */
const CONTROL_TOKEN = "$CONTROL_TOKEN";

/** A text as one word of a shell, in which it fills in the control token only. */
const quoted = (text: string): string =>
  `'${text.replaceAll("'", "'\\''").replaceAll(CONTROL_TOKEN, `'"${CONTROL_TOKEN}"'`)}'`;

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

interface ControlApi {
  readonly transport: Transport;
  readonly access: Access;
}

/** A `POST` of the control API. The control token is never written out. */
export const controlCurl = ({ transport, access }: ControlApi, path: string, body: unknown): string =>
  curl({
    method: "POST",
    url: `${location.origin}${transport.base}${path}`,
    headers: { ...(access.token === null ? {} : { Authorization: `Bearer ${CONTROL_TOKEN}` }), ...JSON_TYPE },
    body,
  });

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
export function deliveryCurl({ transport }: ControlApi, { url, headers, body }: DeliveryRecord): string {
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
