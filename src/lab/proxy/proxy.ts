/** A proxy between a program and the service, which forwards every exchange unchanged and records it. */
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer, Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { pipeline } from "node:stream";
import { rootCertificates } from "node:tls";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { BOUNDS } from "../../kernel/bounds.js";
import { reasonOf } from "../../kernel/errors.js";
import { originTarget, splitTarget } from "../../kernel/http/target.js";
import { sizeFault } from "../../kernel/json.js";
import { isoOf, later, monotonicNow, wallNow, within } from "../../kernel/realtime.js";
import { type Exchange, type HarPair, type SeenBody, seenText } from "./har.js";

const MAX_BODY_BYTES = BOUNDS.recordedBodyBytes.limit;
/** Servers keep connections open for five seconds or longer. A call on one that the server is closing would fail. */
const IDLE_CONNECTION_MS = 4_000;
const MAX_HEADER_BYTES = 64 * 1024;
/** Below this path, the service reaches the program's webhook. */
const BOT_PATH = /^\/__proxy\/bot(?=[/?]|$)/;
const OWN_PATH = /^\/__proxy(?=[/?]|$)/;

const HOP_BY_HOP =
  /^(connection|keep-alive|proxy-connection|proxy-authenticate|proxy-authorization|te|trailer|transfer-encoding|upgrade)$/i;

const DECODERS: Readonly<
  Record<string, (body: Buffer, bounds: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

interface ProxyOptions {
  /** The address of the service, to which the path of each call is appended. */
  readonly to: string;
  /** The address of the program's webhook. */
  readonly bot?: string | undefined;
  /** An additional trusted authority, PEM. */
  readonly ca?: string | undefined;
  /** Receives each exchange when it ends. `begun`: its rank by start. */
  readonly onExchange: (exchange: Exchange, begun: number) => void;
}

interface Route {
  readonly direction: Exchange["direction"];
  readonly url: URL;
  readonly path: string;
}

/** A proxy server that is not listening yet; `close` gives exchanges in flight this many milliseconds. */
export function createProxy({ to, bot, ca, onExchange }: ProxyOptions) {
  const keepAlive = { keepAlive: true, timeout: IDLE_CONNECTION_MS };
  const trust = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
  const agents = { "http:": new HttpAgent(keepAlive), "https:": new HttpsAgent({ ...keepAlive, ...trust }) };
  const capture = { bytesLeft: BOUNDS.proxyCapturedBytes.limit };
  const underWay = new Set<Promise<void>>();
  let begun = 0;

  const listener: RequestListener = (request, response) => {
    const { target } = originTarget(request.url ?? "/");
    const route = routeOf(target, new URL(to), bot === undefined ? undefined : new URL(bot));
    if (typeof route === "string") return answer(response, 404, route);
    const order = begun++;
    const agent = agents[route.url.protocol as keyof typeof agents];
    const exchange = proxied(request, response, route, agent, capture)
      .then((seen) => onExchange(seen, order))
      .finally(() => underWay.delete(exchange));
    underWay.add(exchange);
  };
  // The service decides how long a request may take.
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0 }, listener);
  server.on("checkContinue", listener);
  server.on("checkExpectation", listener);
  return {
    server,
    async close(graceMs: number): Promise<void> {
      server.close();
      server.closeIdleConnections();
      await within(graceMs, Promise.all(underWay));
      server.closeAllConnections();
      for (const agent of Object.values(agents)) agent.destroy();
      await Promise.all(underWay);
    },
  };
}

/** The destination of a call, or why it has none. */
function routeOf(target: string, to: URL, bot: URL | undefined): Route | string {
  if (!OWN_PATH.test(target))
    return { direction: "call", url: to, path: to.pathname.replace(/\/$/, "") + target };
  if (!BOT_PATH.test(target)) return "unknown path: only /__proxy/bot is the proxy's own";
  if (bot === undefined) return "no webhook is known: start the proxy with --bot URL";
  const { path, query } = splitTarget(target.replace(BOT_PATH, ""));
  const queries = [bot.search.slice(1), query].filter((part) => part !== "").join("&");
  const pathname = path === "" ? bot.pathname : bot.pathname.replace(/\/$/, "") + path;
  return { direction: "delivery", url: bot, path: pathname + (queries === "" ? "" : `?${queries}`) };
}

const OWN_HEADERS = ["Content-Type", "application/json"] as const;

function answer(response: ServerResponse, status: number, error: string): string {
  const body = JSON.stringify({ error });
  if (response.headersSent) response.destroy();
  else response.writeHead(status, [...OWN_HEADERS]).end(body);
  return body;
}

const pairsOf = (raw: readonly string[]): HarPair[] =>
  Array.from({ length: raw.length / 2 }, (_, at) => ({
    name: raw[2 * at] ?? "",
    value: raw[2 * at + 1] ?? "",
  }));
const flat = (headers: readonly HarPair[]): string[] => headers.flatMap(({ name, value }) => [name, value]);

/** End-to-end headers, without those of the connection. */
function endToEnd(headers: readonly HarPair[]): HarPair[] {
  const named = headers
    .filter(({ name }) => /^connection$/i.test(name))
    .flatMap(({ value }) => value.split(","));
  const dropped = new Set(named.map((name) => name.trim().toLowerCase()));
  return headers.filter(({ name }) => !HOP_BY_HOP.test(name) && !dropped.has(name.toLowerCase()));
}

/** Captures a body for the recording while it is forwarded. */
class BodyTap {
  #chunks: Buffer[] = [];
  #kept = 0;
  #bytes = 0;
  #isWhole = true;

  constructor(readonly capture: { bytesLeft: number }) {}

  readonly take = (chunk: Buffer): void => {
    this.#bytes += chunk.length;
    if (this.#isWhole && this.#bytes <= MAX_BODY_BYTES && chunk.length <= this.capture.bytesLeft) {
      this.capture.bytesLeft -= chunk.length;
      this.#kept += chunk.length;
      this.#chunks.push(chunk);
    } else {
      this.release();
    }
  };

  /** Stops capturing and discards the body. */
  release(): void {
    this.#isWhole = false;
    this.capture.bytesLeft += this.#kept;
    this.#kept = 0;
    this.#chunks = [];
  }

  /** The decoded body, or why it was not recorded. */
  async seen({ "content-encoding": encoding = "" }: IncomingHttpHeaders = {}): Promise<SeenBody> {
    const wireBytes = this.#bytes;
    const without = (comment: string, size = wireBytes) => ({
      wireBytes,
      size,
      comment: `not recorded: ${comment}`,
    });
    if (!this.#isWhole)
      return without(wireBytes > MAX_BODY_BYTES ? "larger than 10 MiB" : "too many large bodies at once");
    let body: Buffer = Buffer.concat(this.#chunks);
    const name = encoding.trim().toLowerCase();
    if (body.length > 0 && name !== "" && name !== "identity") {
      const decode = DECODERS[name];
      if (decode === undefined) return without("its encoding is unknown");
      try {
        body = await decode(body, { maxOutputLength: MAX_BODY_BYTES });
      } catch (error) {
        const isTooLarge = error instanceof RangeError;
        return without(isTooLarge ? "larger than 10 MiB" : "it cannot be decoded");
      }
    }
    // In another encoding, such as UTF-16, nothing private would be found.
    if (!isUtf8(body) || body.includes(0)) return without("not text in UTF-8", body.length);
    const text = body.toString();
    return sizeFault(text) === undefined
      ? { wireBytes, size: body.length, text }
      : without("nested too deeply", body.length);
  }
}

/** The headers that go on: `Host` is the other side's, and a body without a length goes on in chunks. */
function forwarded({ rawHeaders }: IncomingMessage, { url }: Route): HarPair[] {
  const all = pairsOf(rawHeaders);
  const headers = endToEnd(all).map(({ name, value }) =>
    /^host$/i.test(name) ? { name, value: url.host } : { name, value },
  );
  if (all.some(({ name }) => /^transfer-encoding$/i.test(name)))
    headers.push({ name: "Transfer-Encoding", value: "chunked" });
  return headers;
}

const hasBody = (headers: readonly HarPair[]): boolean =>
  headers.some(({ name }) => /^(content-length|transfer-encoding)$/i.test(name));

/** The request to the other side. @throws if a header or the path is invalid */
function requestTo(
  { url, path }: Route,
  received: IncomingMessage,
  headers: readonly HarPair[],
  agent: HttpAgent,
) {
  const {
    method = "GET",
    headers: { expect },
  } = received;
  // Node would send an empty body chunked.
  const length = !hasBody(headers) && /^(POST|PUT|PATCH)$/.test(method) ? ["Content-Length", "0"] : [];
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  const upstream = request({
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port,
    method,
    path,
    headers: [...flat(headers), ...length],
    agent,
    setHost: false,
  });
  if (expect !== undefined) upstream.flushHeaders();
  upstream.once("finish", () => {
    const timeout = later(BOUNDS.proxyAnswerMs.limit, () =>
      upstream.destroy(new Error(`no response within ${BOUNDS.proxyAnswerMs.limit / 1000} s`)),
    );
    upstream.once("response", timeout.cancel).once("close", timeout.cancel);
  });
  return upstream;
}

/** Forwards a call and its answer; resolves with both when they are over. */
async function proxied(
  request: IncomingMessage,
  response: ServerResponse,
  route: Route,
  agent: HttpAgent,
  capture: { bytesLeft: number },
): Promise<Exchange> {
  const [startedAt, started] = [isoOf(wallNow()), monotonicNow()];
  const headers = forwarded(request, route);
  const [requestBody, answerBody] = [new BodyTap(capture), new BodyTap(capture)];
  const over = new Promise<void>((resolve) => response.once("close", resolve));
  let seen: IncomingMessage | undefined;
  let sentAt: number | undefined;
  let answeredAt: number | undefined;
  let error: string | undefined;
  let own: string | undefined;
  const fail = (why: string) => {
    error ??= why;
    request.resume();
    const who = route.direction === "call" ? "the service" : "the webhook";
    const hint = why.includes("certificate") ? "; --ca FILE trusts an authority" : "";
    if (seen === undefined && !response.destroyed)
      own = answer(response, 502, `${who} does not respond: ${why}${hint}`);
    else response.destroy();
  };
  const send = (retries: number): void => {
    const upstream = requestTo(route, request, headers, agent);
    upstream.once("finish", () => {
      sentAt ??= monotonicNow();
    });
    upstream.on("continue", () => response.writeContinue());
    upstream.on("error", (failure) => {
      request.unpipe(upstream);
      // The server has closed a kept connection meanwhile. A body cannot be sent again.
      const isStale = upstream.reusedSocket && seen === undefined && retries > 0;
      if (isStale && request.complete && !hasBody(headers)) send(retries - 1);
      else fail(reasonOf(failure));
    });
    upstream.on("response", (incoming) => {
      seen = incoming;
      answeredAt = monotonicNow();
      incoming.on("data", answerBody.take);
      const { statusCode = 502, statusMessage = "" } = incoming;
      response.sendDate = false;
      response.writeHead(statusCode, statusMessage, flat(endToEnd(pairsOf(incoming.rawHeaders))));
      pipeline(incoming, response, (failure) => {
        if (failure) error ??= incoming.complete ? "the client hung up" : reasonOf(failure);
      });
    });
    // The client has disconnected, or already has its answer.
    response.once("close", () => {
      if (!response.writableFinished) error ??= "the client hung up";
      if (seen?.complete !== true) upstream.destroy();
    });
    request.pipe(upstream);
  };
  request.on("data", requestBody.take);
  try {
    send(1);
  } catch (failure) {
    fail(reasonOf(failure));
  }
  await over;
  const rounded = (ms: number) => Math.round(ms * 1000) / 1000;
  const ended = monotonicNow();
  const [sent, answered] = [Math.min(sentAt ?? ended, answeredAt ?? ended), answeredAt ?? ended];
  const body = await requestBody.seen(request.headers);
  const responseBody = own === undefined ? await answerBody.seen(seen?.headers) : seenText(own);
  requestBody.release();
  answerBody.release();
  return {
    direction: route.direction,
    startedAt,
    timings: {
      send: rounded(sent - started),
      wait: rounded(answered - sent),
      receive: rounded(ended - answered),
    },
    method: request.method ?? "GET",
    url: route.url.origin + route.path,
    headers: headers.filter(({ name }) => name !== "Transfer-Encoding"),
    body,
    responseBody,
    status: seen?.statusCode ?? (own === undefined ? 0 : response.statusCode),
    statusText: seen?.statusMessage ?? (own === undefined ? "" : "Bad Gateway"),
    responseHeaders: endToEnd(pairsOf(seen?.rawHeaders ?? (own === undefined ? [] : OWN_HEADERS))),
    ...(error !== undefined && { error }),
  };
}
