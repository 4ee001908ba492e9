import type { Server } from "node:http";
import { Agent } from "node:http";
import { Server as SecureServer } from "node:https";
import { type Duplex, duplexPair } from "node:stream";

/** Connections at once; calls beyond them wait. */
const MAX_CONNECTIONS = 256;
/** What agents call on sockets that they keep: what is none keeps no process alive, and does not break off unnoticed. */
const OF_SOCKETS = { ref: () => {}, unref: () => {}, setKeepAlive: () => {}, setTimeout: () => {} };

/**
 * Makes connections to a server of this process that need no sockets: half the work of those over loopback, and neither port
 * nor certificate. The server reads and answers on them as on any other; requests are plain HTTP, also where it speaks TLS.
 */
export class LocalAgent extends Agent {
  readonly #server: Server;

  constructor(server: Server) {
    super({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
    this.#server = server;
  }

  override createConnection(): Duplex {
    const [ours, theirs] = duplexPair();
    ours.once("close", () => theirs.destroy());
    theirs.once("close", () => ours.destroy());
    const isSecure = this.#server instanceof SecureServer;
    if (this.#server.listening) this.#server.emit(isSecure ? "secureConnection" : "connection", theirs);
    else theirs.destroy();
    return Object.assign(ours, OF_SOCKETS);
  }
}
