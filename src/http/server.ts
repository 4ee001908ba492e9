import type { RequestListener, Server } from "node:http";
import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Express } from "express";
import express from "express";

/** Certificate and key in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** How long a client may take to send its headers, and the whole of its request, ms. */
const HEADERS_TIMEOUT = 30_000;
const REQUEST_TIMEOUT = 60_000;
/** Longer than what usual clients keep a connection, so that they are the ones to close it. */
const KEEP_ALIVE_TIMEOUT = 75_000;

/**
 * An express application and the node server under it.
 *
 * Express gives every request and response object another prototype, which makes each of them slow. Here the server
 * creates them with that prototype from the start, so that express finds nothing to change.
 */
export function createHttpApp(tls?: TlsFiles): { app: Express; server: Server } {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<AppRequest> {}
  adopt(AppRequest.prototype, app, "request");
  adopt(AppResponse.prototype, app, "response");
  const options = { IncomingMessage: AppRequest, ServerResponse: AppResponse };
  const listener = app as unknown as RequestListener;
  const server =
    tls === undefined ? createServer(options, listener) : createTlsServer({ ...options, ...tls }, listener);
  server.headersTimeout = HEADERS_TIMEOUT;
  server.requestTimeout = REQUEST_TIMEOUT;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT;
  return { app, server: server as Server };
}

/** Makes `prototype` the object that express would give to each request or response of `app`. */
function adopt(prototype: object, app: Express, name: "request" | "response"): void {
  Object.setPrototypeOf(prototype, app[name]);
  Object.defineProperty(prototype, "app", {
    value: app,
    configurable: true,
    enumerable: true,
    writable: true,
  });
  app[name] = prototype as never;
}
