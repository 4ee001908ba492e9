import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { receiver, start, tcpReceiver, upTo } from "./support.js";

const pem = (name: string) => readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), "utf8");
const CERTIFICATE = { cert: pem("cert"), key: pem("key") };

/** The one attempt at delivering to a URL. */
async function attemptAt(url: string, timeoutMs = 10_000, options = {}) {
  const { send, settled } = start({
    webhooks: [{ url }],
    behaviour: { "delivery.timeoutMs": timeoutMs },
    options,
  });
  send(1);
  const [delivery] = await settled();
  expect(delivery?.attempts).toHaveLength(1);
  return { outcome: delivery?.status, ...delivery!.attempts[0]! };
}

/** The address of an HTTPS receiver that accepts a connection and says nothing, and that connection. */
async function silentReceiver(): Promise<{ url: string; accepted: Promise<Socket> }> {
  let accept!: (socket: Socket) => void;
  const accepted = new Promise<Socket>((resolve) => {
    accept = resolve;
  });
  const url = await tcpReceiver((socket) => accept(socket));
  return { url: url.replace("http:", "https:"), accepted };
}

const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()));

describe("an attempt", () => {
  it("keeps 4,096 characters of the answer, also of multi-byte ones", async () => {
    const text = `xx${"é😀".repeat(4_000)}`;
    const { url } = await receiver((response) => response.end(text));
    const { responseBody, outcome } = await attemptAt(url);
    expect([responseBody?.length, outcome]).toEqual([4_095, "delivered"]);
    expect(text.startsWith(responseBody!)).toBe(true);
  });

  it("reuses connections", async () => {
    const sockets = new Set<Socket>();
    const { url, seen } = await receiver((response, _seen, request) => {
      sockets.add(request.socket);
      response.end("x".repeat(60_000));
    });
    const { send, settled } = start({ webhooks: [{ url }] });
    send(...upTo(20));
    await settled();
    expect(seen).toHaveLength(20);
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  it("stops reading an answer that does not end", async () => {
    let socket!: Socket;
    const { url } = await receiver((response, _seen, request) => {
      socket = request.socket;
      const pour = () => {
        while (response.write("x".repeat(16_384)));
      };
      response.on("drain", pour).on("error", () => {});
      pour();
    });
    const { outcome, status, responseBody, error } = await attemptAt(url);
    expect([outcome, status, error]).toEqual(["delivered", 200, null]);
    expect(responseBody).toBe("x".repeat(4_096));
    if (!socket.closed) await closed(socket);
  });

  it("fails if the answer does not end in time, and closes the connection", async () => {
    let socket!: Socket;
    const { url } = await receiver((response, _seen, request) => {
      socket = request.socket;
      response.write("part");
    });
    expect(await attemptAt(url, 300)).toMatchObject({
      outcome: "failed",
      status: 200,
      error: "timed out after 300 ms, waiting for the end of the response",
      responseBody: "part",
    });
    if (!socket.closed) await closed(socket);
  });

  it("fails if no answer comes in time", async () => {
    let socket!: Socket;
    const { url } = await receiver((_response, _seen, request) => {
      socket = request.socket;
    });
    const { status, error, durationMs, responseBody } = await attemptAt(url, 300);
    expect([status, error, responseBody]).toEqual([
      null,
      "timed out after 300 ms, waiting for a response",
      null,
    ]);
    expect(durationMs).toBeGreaterThanOrEqual(299);
    if (!socket.closed) await closed(socket);
  });

  it("fails if no connection opens in time, and abandons it", async () => {
    const { url, accepted } = await silentReceiver();
    const { error } = await attemptAt(url, 60);
    expect(error).toBe("timed out after 60 ms, waiting for a connection");
    const socket = (await accepted).resume();
    if (!socket.closed) await closed(socket);
  });

  it("sends nothing over a connection that opens too late", async () => {
    const secure = await receiver(undefined, CERTIFICATE);
    const { url, accepted } = await silentReceiver();
    const { send, settled } = start({
      webhooks: [{ url }],
      behaviour: { "delivery.timeoutMs": 60 },
      options: { insecureTls: true },
    });
    send(1);
    expect((await settled())[0]?.attempts[0]?.error).toContain("waiting for a connection");
    const socket = await accepted;
    const onward = connect(Number(new URL(secure.url).port), "127.0.0.1").on("error", () => {});
    socket.pipe(onward).pipe(socket);
    if (!socket.closed) await closed(socket);
    expect(secure.seen).toEqual([]);
  });

  it("ends with a reset, which closes its connection", async () => {
    let socket!: Socket;
    const { url, received } = await receiver((_response, _seen, request) => {
      socket = request.socket;
    });
    const { send, sandbox } = start({ webhooks: [{ url }] });
    send(1);
    await received(1);
    sandbox.reset();
    if (!socket.closed) await closed(socket);
  });

  it("ends with the simulator, even while its connection is opening", async () => {
    const { url, accepted } = await silentReceiver();
    const { send, sandbox, service } = start({
      webhooks: [{ url }],
      behaviour: { "delivery.timeoutMs": 600_000 },
    });
    send(1);
    const socket = (await accepted).resume();
    sandbox.close();
    await service.close();
    if (!socket.closed) await closed(socket);
  });

  it.each([
    ["closes", (socket: Socket) => socket.end(), "closed the connection"],
    ["answers status 000", (socket: Socket) => socket.end("HTTP/1.1 000 x\r\n\r\n"), "its status is 0"],
    ["answers status 101", (socket: Socket) => socket.end("HTTP/1.1 101 x\r\n\r\n"), "its status is 101"],
    ["resets", (socket: Socket) => socket.resetAndDestroy(), /reset|closed/],
    ["speaks something else", (socket: Socket) => socket.end("220 mail ready\r\n"), "invalid response"],
    [
      "breaks off",
      (socket: Socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"),
      "closed the connection before its answer was complete",
    ],
  ])("says so when a receiver %s", async (_what, behave, message) => {
    const url = await tcpReceiver((socket) => socket.once("data", () => behave(socket)));
    const { outcome, error } = await attemptAt(url);
    expect(error).toMatch(message);
    expect(outcome).toBe("failed");
  });

  it.each(["102 Processing", "103 Early Hints"])("passes over an interim %s", async (interim) => {
    const url = await tcpReceiver((socket) =>
      socket.once("data", () =>
        socket.write(`HTTP/1.1 ${interim}\r\nlink: </x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n`),
      ),
    );
    expect(await attemptAt(url)).toMatchObject({ status: 204, responseBody: "", outcome: "delivered" });
  });

  it("goes to the rewritten host with the URL's own Host header", async () => {
    const { url, seen } = await receiver();
    const { port } = new URL(url);
    const options = { rewriteHosts: [{ from: "bot.example", to: `127.0.0.1:${port}` }] };
    expect(await attemptAt("http://bot.example:81/hook", 10_000, options)).toMatchObject({ status: 200 });
    expect(seen[0]?.headers.host).toBe("bot.example:81");
  });
});

describe("TLS", () => {
  const secure = () => receiver(undefined, CERTIFICATE);

  it("refuses an untrusted certificate and names the options that help", async () => {
    const { url, seen } = await secure();
    const { error } = await attemptAt(url);
    expect(error).toMatch(/certificate refused: it is self-signed.*--webhook-ca.*--webhook-insecure-tls/);
    expect(seen).toEqual([]);
  });

  it.each([
    ["from an authority that was named", { ca: CERTIFICATE.cert }],
    ["of any kind when told so", { insecureTls: true }],
  ])("takes a certificate %s", async (_what, options) => {
    const { url } = await secure();
    expect(await attemptAt(url, 10_000, options)).toMatchObject({ status: 200 });
  });

  it("accepts the simulator's own certificate", async () => {
    const { url, seen } = await secure();
    const options = { ownUrl: () => new URL(url).origin };
    expect(await attemptAt("sink:demo", 10_000, options)).toMatchObject({ status: 200 });
    expect(new URL(seen[0]!.path, url).pathname).toBe("/__sim/sinks/demo");
  });

  it("checks the name in the URL, even if the host is rewritten", async () => {
    const { url } = await secure();
    const { port } = new URL(url);
    const options = (from: string) => ({
      ca: CERTIFICATE.cert,
      rewriteHosts: [{ from, to: `127.0.0.1:${port}` }],
    });
    expect(await attemptAt("https://localhost/", 10_000, options("localhost"))).toMatchObject({
      status: 200,
    });
    const { error } = await attemptAt("https://bot.example/", 10_000, options("bot.example"));
    expect(error).toContain("it is for another host");
  });

  it("checks the name in the URL, even if the webhook sets Host", async () => {
    const { url, seen } = await secure();
    const { port } = new URL(url);
    const extraHeaders = [{ name: "Host", value: "shop.example" }];
    const webhooks = [{ url: `https://localhost:${port}/`, extraHeaders }];
    const { send, settled } = start({ webhooks, options: { ca: CERTIFICATE.cert } });
    send(1);
    expect((await settled())[0]).toMatchObject({ status: "delivered" });
    expect(seen[0]?.headers.host).toBe("shop.example");
  });

  it("says when the receiver speaks plain HTTP", async () => {
    const { url } = await receiver();
    expect((await attemptAt(url.replace("http:", "https:"))).error).toContain("no TLS connection");
  });
});
