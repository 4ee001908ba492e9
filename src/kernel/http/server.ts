import type { IncomingMessage, RequestListener, Server, ServerOptions } from "node:http";
import { createServer, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createTlsServer, Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { BOUNDS } from "../bounds.js";
import { omitUndefined } from "../objects.js";
import { soon } from "../realtime.js";
import { FAILURE, JSON_TYPE, sendJson } from "./answer.js";
import { originTarget } from "./target.js";

/** Why a request cannot be parsed, and which one it was, as far as known. */
interface Unreadable {
  readonly kind: UnreadableKind;
  /** What the parser says about it. */
  readonly reason?: string;
  readonly method?: string;
  readonly target?: string;
}

const STATUSES = {
  malformed: 400,
  host: 400,
  transferEncoding: 400,
  slow: 408,
  extensions: 413,
  expectation: 417,
  headers: 431,
  tunnel: 501,
} as const;
type UnreadableKind = keyof typeof STATUSES;

/** Node's error codes for requests that it cannot parse; anything else is malformed. */
const KINDS: Readonly<Record<string, UnreadableKind>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "slow",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "extensions",
  HPE_HEADER_OVERFLOW: "headers",
  HPE_INVALID_TRANSFER_ENCODING: "transferEncoding",
};

type WriteUnreadable = (unreadable: Unreadable) => unknown;

const BEGINNING = /^([A-Za-z-]{3,20}) (\S+)/;

interface ClientError extends Error {
  readonly code?: string;
  readonly reason?: string;
  /** The last packet, if it could not be parsed. */
  readonly rawPacket?: Buffer;
}

/** Answers on a connection that sent no complete request, unless the response under way has begun, and closes it. */
function refuseOn(
  socket: Duplex,
  kind: UnreadableKind,
  write: WriteUnreadable,
  underWay: ServerResponse | undefined,
  { rawPacket, reason }: Partial<ClientError> = {},
): void {
  if (socket.writable && underWay?.headersSent !== true) {
    const { method, url: target } = underWay?.req ?? beginningOf(rawPacket);
    const body = JSON.stringify(write({ kind, ...omitUndefined({ method, target, reason }) }));
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
  // A client that does not speak HTTP may never close the connection.
  socket.destroy();
}

function beginningOf(packet: Buffer | undefined): { method?: string | undefined; url?: string | undefined } {
  const [, method, url] = BEGINNING.exec(packet?.toString("latin1", 0, BOUNDS.headerBytes.limit) ?? "") ?? [];
  return { method, url: url && originTarget(url).target };
}

/** Why a request that node accepts is still invalid: it has no single `Host`, or its body has no defined end. */
function faultOf({ headers, rawHeaders, httpVersion }: IncomingMessage): UnreadableKind | undefined {
  const { host, "transfer-encoding": encoding } = headers;
  if (host === undefined ? httpVersion === "1.1" : countHosts(rawHeaders) > 1) return "host";
  if (encoding === undefined) return undefined;
  return encoding.toLowerCase() === "chunked" && httpVersion === "1.1" ? undefined : "transferEncoding";
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count;
}

/** Answers a request that node could parse but that cannot be served, and closes the connection. */
function refuseRead(
  { method, url: target }: IncomingMessage,
  response: ServerResponse,
  kind: UnreadableKind,
  write: WriteUnreadable,
): void {
  const body = write({ kind, ...omitUndefined({ method, target }) });
  sendJson(response, STATUSES[kind], body, ["Connection", "close"]);
}

/** The calls of one connection. */
interface Line {
  serving: ServerResponse;
  last: ServerResponse;
  /** How many have come whose turn it is not yet. */
  waiting: number;
}

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/**
 * A node server that is not listening yet. Errors thrown by `handle` are reported and answered with 500. An absolute target
 * is handled like any other, with its host in place of `Host` (RFC 9112, 3.2.2); the journal keeps the original.
 */
export function createHttpServer(
  handle: RequestListener,
  report: (error: unknown) => void,
  {
    tls,
    unreadable = () => FAILURE,
    classes = {},
  }: {
    readonly tls?: TlsFiles | undefined;
    /** The body of the response to a request that node cannot parse. */
    readonly unreadable?: WriteUnreadable;
    readonly classes?: Pick<ServerOptions, "IncomingMessage" | "ServerResponse">;
  } = {},
): Server {
  const lines = new WeakMap<Duplex, Line>();
  const underWay = (socket: Duplex): ServerResponse | undefined => {
    const response = lines.get(socket)?.serving;
    return response?.writableFinished === true ? undefined : response;
  };
  const serve: RequestListener = (request, response) => {
    try {
      const { target, host } = originTarget(request.url ?? "");
      const fault = faultOf(request);
      if (host !== undefined) Object.assign(request, { url: target }).headers.host = host;
      if (fault === undefined) handle(request, response);
      else refuseRead(request, response, fault, unreadable);
    } catch (error) {
      report(error);
      sendJson(response, 500, FAILURE);
    }
  };
  // Of calls that come together, each sees what the one before has done, and their answers do not pile up.
  const inLine: RequestListener = (request, response) => {
    const { socket } = request;
    let line = lines.get(socket);
    if (line === undefined) lines.set(socket, (line = { serving: response, last: response, waiting: 0 }));
    const before = line.last;
    line.last = response;
    const next = () => {
      line.serving = response;
      if (socket.writable) serve(request, response);
    };
    if (before === response || before.writableFinished) return next();
    line.waiting += 1;
    if (line.waiting > BOUNDS.pipelined.limit) return void socket.destroy();
    before.once("close", () => {
      line.waiting -= 1;
      soon(next);
    });
  };
  const options = { ...classes, maxHeaderSize: BOUNDS.headerBytes.limit, requireHostHeader: false };
  const server =
    tls === undefined ? createServer(options, inLine) : createTlsServer({ ...options, ...tls }, inLine);
  // Responses to earlier calls go out first.
  server.on("clientError", (error: ClientError, socket) => {
    const kind = KINDS[error.code ?? ""] ?? "malformed";
    soon(() => refuseOn(socket, kind, unreadable, underWay(socket), error));
  });
  server.on("connect", (_request, socket) => {
    // Node stops listening on a connection that becomes a tunnel.
    socket.on("error", () => {});
    soon(() => refuseOn(socket, "tunnel", unreadable, underWay(socket)));
  });
  server.on("checkExpectation", (request, response) =>
    refuseRead(request, response, "expectation", unreadable),
  );
  server.maxConnections = BOUNDS.connections.limit;
  server.headersTimeout = BOUNDS.headersMs.limit;
  server.requestTimeout = BOUNDS.requestMs.limit;
  // Longer than the keep-alive of usual clients, so that the client closes first.
  server.keepAliveTimeout = BOUNDS.idleMs.limit;
  return server;
}

/** The open connections of a server. */
export interface Connections {
  readonly size: number;
  /** Whether a response is still being written to any of them. */
  readonly isWriting: boolean;
}

export function connectionsOf(server: Server): Connections {
  const open = new Set<Socket>();
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return {
    get size() {
      return open.size;
    },
    get isWriting() {
      return [...open].some(({ writableLength }) => writableLength > 0);
    },
  };
}
