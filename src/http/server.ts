import type { RequestListener, Server } from "node:http";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { BOUNDS } from "../kernel/bounds.js";
import type { Load } from "./load.js";
import { FAILURE, sendJson } from "./send.js";

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

/** A node server, not listening yet. What `handle` throws is reported and answered with 500. */
export function createHttpServer(
  handle: RequestListener,
  report: (error: unknown) => void,
  { tls, load }: { readonly tls?: TlsFiles | undefined; readonly load?: Load } = {},
): Server {
  const listener: RequestListener = (request, response) => {
    try {
      handle(request, response);
    } catch (error) {
      report(error);
      sendJson(response, 500, FAILURE);
    }
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer({ ...tls }, listener);
  if (load !== undefined) {
    server.on(tls === undefined ? "connection" : "secureConnection", (socket) => load.connected(socket));
    server.maxConnections = MOST_CONNECTIONS * load.limits.connections;
  }
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  return server;
}
