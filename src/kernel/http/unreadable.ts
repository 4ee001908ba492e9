/** Answers to requests that node could not read: they never become a request, so no part of the simulator sees them. */
import type { IncomingMessage } from "node:http";
import { ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { BOUNDS } from "../bounds.js";
import { given } from "../given.js";
import { JSON_TYPE, sendJson } from "./send.js";
import { originTarget } from "./target.js";

/** Why a request cannot be read, and which one it was, as far as that is known. */
interface Unreadable {
  readonly kind: UnreadableKind;
  readonly method?: string;
  readonly target?: string;
}

const STATUSES = {
  malformed: 400,
  transferEncoding: 400,
  slow: 408,
  extensions: 413,
  expectation: 417,
  headers: 431,
  tunnel: 501,
} as const;
type UnreadableKind = keyof typeof STATUSES;

/** What node says of a request that it cannot read; all else is malformed. */
const KINDS: Readonly<Record<string, UnreadableKind>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "slow",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "extensions",
  HPE_HEADER_OVERFLOW: "headers",
  HPE_INVALID_TRANSFER_ENCODING: "transferEncoding",
};

/** The target and all headers of a request together, bytes. */
export const MAX_HEADER_BYTES = BOUNDS.headerBytes.limit;

/** The body of the answer, in the form of whoever was asked. */
export type WriteUnreadable = (unreadable: Unreadable) => unknown;

/** A request as it begins: its method and its target. */
const BEGINNING = /^([A-Z-]{3,20}) (\S+)/;

interface ClientError extends Error {
  readonly code?: string;
  /** What came last, where it could not be parsed. */
  readonly rawPacket?: Buffer;
}

/** Answers a request that node could not read, and closes the connection. */
export function refuseUnreadable(error: ClientError, socket: Duplex, write: WriteUnreadable): void {
  refuseOn(socket, KINDS[error.code ?? ""] ?? "malformed", write, error.rawPacket);
}

/** Answers on a connection of which no request came, unless an answer has begun, and closes it. */
export function refuseOn(
  socket: Duplex,
  kind: UnreadableKind,
  write: WriteUnreadable,
  packet?: Buffer,
): void {
  const underWay: unknown = Reflect.get(socket, "_httpMessage");
  const response = underWay instanceof ServerResponse ? underWay : undefined;
  if (socket.writable && response?.headersSent !== true) {
    const { method, url: target } = response?.req ?? beginningOf(packet);
    const body = JSON.stringify(write({ kind, ...given({ method, target }) }));
    const status = STATUSES[kind];
    socket.write(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        "Connection: close",
        `Content-Type: ${JSON_TYPE}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        "",
        body,
      ].join("\r\n"),
    );
  }
  // Whoever sends what is no HTTP may never close the connection.
  socket.destroy();
}

function beginningOf(packet: Buffer | undefined): { method?: string | undefined; url?: string | undefined } {
  const [, method, url] = BEGINNING.exec(packet?.toString("latin1", 0, MAX_HEADER_BYTES) ?? "") ?? [];
  return { method, url: url && originTarget(url).target };
}

/** What makes a request unreadable that node takes: not one `Host`, or a body of which nobody knows where it ends. */
export function faultOf({ headers, rawHeaders, httpVersion }: IncomingMessage): UnreadableKind | undefined {
  const { host, "transfer-encoding": encoding } = headers;
  const isHost = (text: string, at: number) => at % 2 === 0 && text.length === 4 && /^host$/i.test(text);
  if (host === undefined ? httpVersion === "1.1" : rawHeaders.filter(isHost).length > 1) return "malformed";
  if (encoding === undefined) return undefined;
  return encoding.toLowerCase() === "chunked" && httpVersion === "1.1" ? undefined : "transferEncoding";
}

/** Answers a request that node could read, and that nobody serves, and closes the connection. */
export function refuseRead(
  { method, url: target }: IncomingMessage,
  response: ServerResponse,
  kind: UnreadableKind,
  write: WriteUnreadable,
): void {
  sendJson(response, STATUSES[kind], write({ kind, ...given({ method, target }) }), ["Connection", "close"]);
}
