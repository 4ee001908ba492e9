import type { RequestListener, Server, ServerOptions } from "node:http";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer, Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { BOUNDS } from "../bounds.js";
import { soon } from "../realtime.js";
import { FAILURE, sendJson } from "./answer.js";
import { originTarget } from "./target.js";

/** The calls of one connection. */
interface Line {
  last: ServerResponse;
  /** How many have come whose turn it is not yet. */
  waiting: number;
}

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/**
 * A node server that is not listening yet. Errors thrown by `handle` are reported and answered with 500; what is no HTTP, node
 * refuses by itself. An absolute target is handled like any other, with its host in place of `Host` (RFC 9112, 3.2.2); the
 * journal keeps the original.
 */
export function createHttpServer(
  handle: RequestListener,
  report: (error: unknown) => void,
  {
    tls,
    classes = {},
  }: {
    readonly tls?: TlsFiles | undefined;
    readonly classes?: Pick<ServerOptions, "IncomingMessage" | "ServerResponse">;
  } = {},
): Server {
  const lines = new WeakMap<Duplex, Line>();
  const serve: RequestListener = (request, response) => {
    try {
      const { target, host } = originTarget(request.url ?? "");
      if (host !== undefined) Object.assign(request, { url: target }).headers.host = host;
      handle(request, response);
    } catch (error) {
      report(error);
      sendJson(response, 500, FAILURE);
    }
  };
  // Of calls that come together, each sees what the one before has done, and their answers do not pile up.
  const inLine: RequestListener = (request, response) => {
    const line = lines.get(request.socket);
    const before = line?.last;
    if (line === undefined) lines.set(request.socket, { last: response, waiting: 0 });
    else line.last = response;
    if (line === undefined || before === undefined || before.writableFinished) serve(request, response);
    else wait(line, before, request, response);
  };
  const wait = (line: Line, before: ServerResponse, request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    line.waiting += 1;
    if (line.waiting > BOUNDS.pipelined.limit) return void socket.destroy();
    before.once("close", () => {
      line.waiting -= 1;
      soon(() => {
        if (socket.writable) serve(request, response);
      });
    });
  };
  const options = { ...classes, maxHeaderSize: BOUNDS.headerBytes.limit };
  const server =
    tls === undefined ? createServer(options, inLine) : createTlsServer({ ...options, ...tls }, inLine);
  server.maxConnections = BOUNDS.connections.limit;
  server.headersTimeout = BOUNDS.headersMs.limit;
  server.requestTimeout = BOUNDS.requestMs.limit;
  // Longer than the keep-alive of usual clients, so that the client closes first.
  server.keepAliveTimeout = BOUNDS.idleMs.limit;
  return server;
}

/** The open connections of a server. */
export type Connections = ReadonlySet<Socket>;

export function connectionsOf(server: Server): Connections {
  const open = new Set<Socket>();
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return open;
}
