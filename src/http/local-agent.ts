import type { OutgoingHttpHeader, OutgoingHttpHeaders, Server } from "node:http";
import { Agent, IncomingMessage, ServerResponse } from "node:http";
import { Server as SecureServer } from "node:https";
import { Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Connections at once; calls beyond them wait. */
const MAX_CONNECTIONS = 256;
/** What agents, and servers in Deno, call on sockets: what is none keeps no process alive, and does not break off unnoticed. */
const OF_SOCKETS = { ref: () => {}, unref: () => {}, setKeepAlive: () => {}, setTimeout: () => {} };

/** A call that is well formed, so that nobody has to read it off a connection. */
interface LocalCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

interface LocalAnswer {
  readonly status: number;
  /** As the listener has named them, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

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
    for (const end of [ours, theirs]) Object.assign(end, OF_SOCKETS);
    if (this.#server.listening) this.#server.emit(isSecure ? "secureConnection" : "connection", theirs);
    else theirs.destroy();
    return ours;
  }

  /** Hands a call to the server's listeners with no connection at all. */
  call(call: LocalCall): LocalResponse {
    const request = requestOf(call);
    const response = new LocalResponse(request);
    request.socket.once("close", () => response.destroy());
    if (this.#server.listening) this.#server.emit("request", request, response);
    else response.destroy();
    return response;
  }
}

/** A request as a server makes it of what it has read. */
function requestOf({ method, url, headers, body = "" }: LocalCall): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  const { host, pathname, search } = new URL(url);
  const bytes = Buffer.from(body);
  request.method = method;
  request.url = pathname + search;
  request.httpVersion = "1.1";
  const sent = { host, ...headers, "content-length": String(bytes.length) };
  for (const [name, value] of Object.entries(sent)) {
    request.rawHeaders.push(name, value);
    request.headers[name.toLowerCase()] = value;
  }
  request.complete = true;
  request.push(bytes);
  request.push(null);
  return request;
}

/** A response that tells its status, headers and text to whoever has called. */
class LocalResponse extends ServerResponse {
  /** Rejects where there is none; `destroy` gives it up. */
  readonly answer: Promise<LocalAnswer>;
  #resolve = (_answer: LocalAnswer): void => {};
  #reject = (_error: Error): void => {};
  readonly #decoder = new StringDecoder("utf8");
  #text = "";
  readonly #headers: Record<string, string> = {};

  constructor(request: IncomingMessage) {
    super(request);
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  override writeHead(
    status: number,
    first?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    second?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    const headers = (typeof first === "string" ? second : first) ?? {};
    const flat = Array.isArray(headers) ? headers : Object.entries(headers).flat();
    for (let at = 0; at < flat.length; at += 2)
      this.#headers[String(flat[at]).toLowerCase()] = String(flat[at + 1]);
    return super.writeHead(status, headers);
  }

  override write(chunk: string | Buffer): boolean {
    this.#text += typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    return true;
  }

  override end(chunk: unknown = ""): this {
    if (this.destroyed) return this;
    if (typeof chunk === "string" || Buffer.isBuffer(chunk)) this.write(chunk);
    this.#resolve({ status: this.statusCode, headers: this.#headers, text: this.#text });
    return this.#close();
  }

  override destroy(error: Error = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })): this {
    if (this.destroyed) return this;
    this.#reject(error);
    return this.#close();
  }

  #close(): this {
    this.finished = true;
    this.destroyed = true;
    this.emit("close");
    return this;
  }
}
