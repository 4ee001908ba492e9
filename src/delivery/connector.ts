import type { Socket } from "node:net";
import { connect, isIP } from "node:net";
import type { SecureContext } from "node:tls";
import { createSecureContext, rootCertificates, connect as tlsConnect } from "node:tls";
import type { buildConnector } from "undici";
import { later } from "../kernel/realtime.js";

/** Whose certificates a receiver may have. */
export interface Trust {
  /** Authorities in PEM, beside those that are known anyway. */
  readonly ca?: string | undefined;
  /** Any certificate at all will do. */
  readonly insecureTls?: boolean | undefined;
  /** Origins that are the simulator itself. */
  readonly isOwn: (origin: string) => boolean;
}

/** How long a connection stays open before the system asks whether the other side is still there, ms. */
const KEEP_ALIVE_DELAY = 60_000;
/** How much longer an attempt to connect goes on than the call that wants it, so that the call is the one to say so, ms. */
const GRACE = 1_000;

/** Opens connections for the sender. Those that are not there in time, or when it closes, are given up. */
export class Connector {
  /** How long the call that comes next waits for its connection, ms. */
  patience = 10_000;
  readonly #trust: Trust;
  readonly #opening = new Set<Socket>();
  #context: SecureContext | undefined;

  constructor(trust: Trust) {
    this.#trust = trust;
  }

  readonly open: buildConnector.connector = (to, callback) => {
    const secure = to.protocol === "https:";
    const socket = secure
      ? this.#openSecure(to)
      : connect({ host: to.hostname, port: Number(to.port || 80) });
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_DELAY);
    this.#opening.add(socket);
    const limit = later(this.patience + GRACE, () => socket.destroy(new Error("no connection in time")));
    const settle = (error: Error | null) => {
      if (!this.#opening.delete(socket)) return;
      limit.cancel();
      if (error === null) callback(null, socket);
      else callback(error, null);
    };
    socket.once(secure ? "secureConnect" : "connect", () => settle(null));
    // Stays for the whole epoch of the socket: one that breaks while nobody listens must not end the process.
    socket.on("error", settle);
    socket.once("close", () => settle(new Error("the connection was closed")));
  };

  /** Gives up what is not connected yet. */
  close(): void {
    for (const socket of this.#opening) socket.destroy(new Error("the simulator is closing"));
  }

  #openSecure({ hostname, host, port, servername }: buildConnector.Options): Socket {
    const own = this.#trust.isOwn(`https://${host ?? hostname}`);
    return tlsConnect({
      host: hostname,
      port: Number(port || 443),
      servername: servername || (isIP(hostname) === 0 ? hostname : ""),
      rejectUnauthorized: !own && this.#trust.insecureTls !== true,
      ALPNProtocols: ["http/1.1"],
      ...(this.#trust.ca === undefined ? {} : { secureContext: this.#contextOf(this.#trust.ca) }),
    });
  }

  /** Made once: reading all authorities takes milliseconds. */
  #contextOf(ca: string): SecureContext {
    this.#context ??= createSecureContext({ ca: [...rootCertificates, ca] });
    return this.#context;
  }
}
