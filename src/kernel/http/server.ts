import type { RequestListener, Server, ServerOptions } from "node:http";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { BOUNDS } from "../bounds.js";
import { soon } from "../realtime.js";
import type { Load } from "./load.js";
import { FAILURE, sendJson } from "./send.js";
import { originTarget } from "./target.js";
import type { WriteUnreadable } from "./unreadable.js";
import { faultOf, MAX_HEADER_BYTES, refuseOn, refuseRead, refuseUnreadable } from "./unreadable.js";

/** Certificate and key in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** How long a client may take to send its headers, and the whole of its request. */
const HEADERS_TIMEOUT_MS = BOUNDS.headersMs.limit;
const REQUEST_TIMEOUT_MS = BOUNDS.requestMs.limit;
/** Longer than usual clients keep a connection, so that the clients are the ones to close it. */
const KEEP_ALIVE_TIMEOUT_MS = BOUNDS.idleMs.limit;
/** So many times the bound of connections, they are closed at once: between them calls are told why. */
const MOST_CONNECTIONS = 2;

/**
 * A node server, not listening yet. What `handle` throws is reported and answered with 500. An absolute target reaches it
 * as any other, its host in place of `Host` (RFC 9112, 3.2.2), which stays in what came.
 */
export function createHttpServer(
  handle: RequestListener,
  report: (error: unknown) => void,
  {
    tls,
    load,
    unreadable = () => FAILURE,
    classes = {},
  }: {
    readonly tls?: TlsFiles | undefined;
    readonly load?: Load;
    /** The body of the answer to what is no request that node can read. */
    readonly unreadable?: WriteUnreadable;
    /** The classes of the requests and responses that it makes. */
    readonly classes?: Pick<ServerOptions, "IncomingMessage" | "ServerResponse">;
  } = {},
): Server {
  const listener: RequestListener = (request, response) => {
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
  const options = { ...classes, maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false };
  const server =
    tls === undefined ? createServer(options, listener) : createTlsServer({ ...options, ...tls }, listener);
  // The answer to a call that came before it goes out first.
  server.on("clientError", (error, socket) => soon(() => refuseUnreadable(error, socket, unreadable)));
  server.on("connect", (_request, socket) => {
    // Node listens no longer to a connection that becomes a tunnel.
    socket.on("error", () => {});
    soon(() => refuseOn(socket, "tunnel", unreadable));
  });
  server.on("checkExpectation", (request, response) =>
    refuseRead(request, response, "expectation", unreadable),
  );
  if (load !== undefined) {
    server.on(tls === undefined ? "connection" : "secureConnection", (socket) => load.connected(socket));
    server.maxConnections = MOST_CONNECTIONS * load.limits.connections;
  }
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  return server;
}
