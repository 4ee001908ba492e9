import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { CERTIFICATE, KEY } from "../config/pem.js";
import { receiver, start, startWithReceiver, tcpReceiver, upTo } from "./support.js";

/** The one attempt at delivering to a URL. */
async function attemptAt(url: string, options = {}, timeoutMs = 10_000) {
  const behaviour = { "delivery.timeoutMs": timeoutMs };
  const [delivery] = await start({ webhooks: [{ url }], behaviour, options }).deliver(1);
  expect(delivery?.attempts).toHaveLength(1);
  return { outcome: delivery?.status, ...delivery!.attempts[0]! };
}

const secureReceiver = () => receiver(undefined, { cert: CERTIFICATE, key: KEY });

/** The address of an HTTPS receiver that accepts a connection and says nothing, and that connection. */
async function silentReceiver(): Promise<{ url: string; accepted: Promise<Socket> }> {
  let accept!: (socket: Socket) => void;
  const accepted = new Promise<Socket>((resolve) => {
    accept = resolve;
  });
  const url = await tcpReceiver((socket) => accept(socket));
  return { url: url.replace("http:", "https:"), accepted };
}

const closed = (socket: Socket) => socket.closed || new Promise((resolve) => socket.once("close", resolve));

describe("an attempt", () => {
  it("keeps 4,096 characters of the answer, also of multi-byte ones", async () => {
    const text = `xx${"é😀".repeat(4_000)}`;
    const { url } = await receiver((response) => response.end(text));
    const { responseBody, outcome } = await attemptAt(url);
    expect([responseBody?.length, outcome]).toEqual([4_096, "delivered"]);
    expect(text.startsWith(responseBody!)).toBe(true);
  });

  it("reuses connections", async () => {
    const respond = (response: ServerResponse) => response.end("x".repeat(60_000));
    const { deliver, seen } = await startWithReceiver({ respond });
    await deliver(...upTo(20));
    expect(seen).toHaveLength(20);
    expect(new Set(seen.map(({ socket }) => socket)).size).toBeLessThanOrEqual(2);
  });

  it("stops reading an answer that does not end", async () => {
    const { url, seen } = await receiver((response) => {
      const pour = () => {
        while (response.write("x".repeat(16_384)));
      };
      response.on("drain", pour).on("error", () => {});
      pour();
    });
    const { outcome, status, responseBody, error } = await attemptAt(url);
    expect([outcome, status, error]).toEqual(["delivered", 200, null]);
    expect(responseBody).toBe("x".repeat(4_096));
    await closed(seen[0]!.socket);
  });

  it.each([
    ["no answer comes", 300, null, null, "a response"],
    // Its part comes within that time on a busy machine too.
    ["the answer does not end", 3_000, "part", 200, "the end of the response"],
  ])("fails if %s in time, and closes the connection", async (_, timeoutMs, part, status, missing) => {
    const { url, seen } = await receiver((response) => void (part && response.write(part)));
    const attempt = await attemptAt(url, {}, timeoutMs);
    const error = `timed out after ${timeoutMs} ms, waiting for ${missing}`;
    expect(attempt).toMatchObject({ outcome: "failed", status, error, responseBody: part });
    expect(attempt.durationMs).toBeGreaterThanOrEqual(timeoutMs - 1);
    await closed(seen[0]!.socket);
  });

  it("fails if no connection opens in time, and abandons it", async () => {
    const { url, accepted } = await silentReceiver();
    const { error } = await attemptAt(url, {}, 60);
    expect(error).toBe("timed out after 60 ms, waiting for a connection");
    await closed((await accepted).resume());
  });

  it("sends nothing over a connection that opens too late", async () => {
    const secure = await secureReceiver();
    const { url, accepted } = await silentReceiver();
    await attemptAt(url, { insecureTls: true }, 60);
    const socket = await accepted;
    const onward = connect(Number(new URL(secure.url).port), "127.0.0.1").on("error", () => {});
    socket.pipe(onward).pipe(socket);
    await closed(socket);
    expect(secure.seen).toEqual([]);
  });

  it("ends with a reset, which closes its connection", async () => {
    const { send, sandbox, received, seen } = await startWithReceiver({ respond: () => {} });
    send(1);
    await received(1);
    sandbox.reset();
    await closed(seen[0]!.socket);
  });

  it.each([
    ["closes", "", "the connection was closed"],
    ["answers status 000", "HTTP/1.1 000 x\r\n\r\n", "its status is 0"],
    ["answers status 101", "HTTP/1.1 101 x\r\n\r\n", "its status is 101"],
    ["resets", null, /reset|closed/],
    ["speaks something else", "220 mail ready\r\n", "invalid response"],
    ["breaks off", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc", "before the answer was complete"],
  ])("says so when a receiver %s", async (_what, answer, message) => {
    const url = await tcpReceiver((socket) =>
      socket.once("data", () => (answer === null ? socket.resetAndDestroy() : socket.end(answer))),
    );
    const { outcome, error } = await attemptAt(url);
    expect(error).toMatch(message);
    expect(outcome).toBe("failed");
  });

  it.each(["102 Processing", "103 Early Hints"])("passes over an interim %s", async (interim) => {
    const answer = `HTTP/1.1 ${interim}\r\nlink: </x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n`;
    const url = await tcpReceiver((socket) => socket.once("data", () => socket.write(answer)));
    expect(await attemptAt(url)).toMatchObject({ status: 204, responseBody: "", outcome: "delivered" });
  });

  it("goes to the rewritten host with the URL's own Host header", async () => {
    const { url, seen } = await receiver();
    const rewriteHosts = [{ from: "bot.example", to: new URL(url).host }];
    expect(await attemptAt("http://bot.example:81/hook", { rewriteHosts })).toMatchObject({ status: 200 });
    expect(seen[0]?.headers.host).toBe("bot.example:81");
  });
});

describe("TLS", () => {
  it("refuses an untrusted certificate and names the options that help", async () => {
    const { url, seen } = await secureReceiver();
    const { error } = await attemptAt(url);
    expect(error).toMatch(/its certificate is self-signed.*--webhook-ca.*--webhook-insecure-tls/);
    expect(seen).toEqual([]);
  });

  it.each([
    ["from an authority that was named", { ca: CERTIFICATE }],
    ["of any kind when told so", { insecureTls: true }],
  ])("takes a certificate %s", async (_what, options) => {
    const { url } = await secureReceiver();
    expect(await attemptAt(url, options)).toMatchObject({ status: 200 });
  });

  it("accepts the simulator's own certificate", async () => {
    const { url, seen } = await secureReceiver();
    expect(await attemptAt("sink:demo", { ownUrl: new URL(url).origin })).toMatchObject({
      status: 200,
    });
    expect(new URL(seen[0]!.path, url).pathname).toBe("/__sim/sinks/demo");
  });

  it("checks the name in the URL, even if the host is rewritten", async () => {
    const to = new URL((await secureReceiver()).url).host;
    const attempt = (from: string) =>
      attemptAt(`https://${from}/`, { ca: CERTIFICATE, rewriteHosts: [{ from, to }] });
    expect(await attempt("localhost")).toMatchObject({ status: 200 });
    expect((await attempt("bot.example")).error).toContain("its certificate is for another host");
  });

  it("says when the receiver speaks plain HTTP", async () => {
    const { url } = await receiver();
    expect((await attemptAt(url.replace("http:", "https:"))).error).toContain("no TLS connection");
  });
});
