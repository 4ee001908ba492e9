/** Bytes that are hardly a request, on connections that are hardly one. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { connection, request, talk } from "./raw.js";
import { startTarget } from "./target.js";

const CR = 13;
const LF = 10;

it("a stream begins once the calls before it on its connection are answered, so that it does not fill up", async () => {
  const target = await startTarget();
  await target.control("PUT /sinks/slow", { delayMs: 100 });
  const { streams } = target.registry.default;
  const { socket, text } = await connection(target.url);
  socket.write(request("POST /__sim/sinks/slow") + request("GET /__sim/stream"));
  await expect.poll(() => text()).toContain("event: hello");
  expect(text().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
  expect(streams.count).toBe(1);
  socket.destroy();
  await expect.poll(() => streams.count).toBe(0);
});

describe("bytes that are no request", () => {
  it("never reach an operation and never end the server", async () => {
    const target = await startTarget();
    await target.expectUnchanged(async () => {
      // Empty lines before a request are none yet: the server goes on waiting for it.
      const bytes = fc
        .uint8Array({ minLength: 1, maxLength: 400 })
        .filter((given) => given.some((byte) => byte !== CR && byte !== LF));
      await fc.assert(
        fc.asyncProperty(bytes, async (given) => {
          const { answers } = await talk(target.url, [Buffer.from(given), "\r\n\r\n"]);
          for (const { status } of answers) expect(status).toBe(400);
        }),
        { numRuns: 60 },
      );
    });
    expect((await target.control("GET /requests")).body).toEqual([]);
  });

  it.each([
    ["a negative length", "content-length: -1"],
    ["a length that is no number", "content-length: 0x10"],
    ["a length and chunks", "content-length: 4\r\ntransfer-encoding: chunked"],
    ["a folded header", "token: acme\r\n -token"],
    ["a NUL in a header", "token: acme\0token"],
    ["a header without name", ": acme-token"],
    ["no line break but a feed", "token: acme-token\nx: y\n"],
  ])("such as %s are refused or harmless", async (_, headers) => {
    const target = await startTarget();
    await target.expectUnchanged(async () => {
      for (const path of ["/api/webhooks", "/__sim/reset"]) {
        const text = `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n\r\n{}\r\n0\r\n\r\n`;
        const { answers } = await talk(target.url, [text]);
        for (const { status } of answers) expect(status).toBeLessThan(500);
      }
    });
  });
});

it.each([
  "zz\r\n{}\r\n",
  "-1\r\n{}\r\n",
  "ffffffffffffffffff\r\n{}",
  "2\r\n{}XX\r\n0\r\n\r\n",
  "1;a=b\r\n{\r\n\r\n",
])("a body in a broken chunk (%j) is refused", async (chunk) => {
  const target = await startTarget();
  const headers = { "transfer-encoding": "chunked", "content-type": "application/json" };
  await target.expectUnchanged(async () => {
    for (const path of ["/api/update-thread-status", "/__sim/wait"]) {
      const { answers } = await talk(target.url, [request(`POST ${path}`, headers), chunk]);
      for (const { status } of answers) expect(status).toBe(400);
    }
  });
  await target.registry.default.run.calls.settled();
});

describe("a connection", () => {
  it("answers a call although a fault closes it at the next one, which came with it", async () => {
    const faults = [{ on: "request", match: { path: "/api/webhooks" }, then: { drop: "before" } }] as const;
    const target = await startTarget({ faults });
    const first = request("GET /api/get-customer-thread-details?customerThreadId=9001");
    const { answers } = await talk(target.url, [first + request("GET /api/webhooks")], { until: 2 });
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it("may ask whether to go on, and gets 100 Continue", async () => {
    const target = await startTarget();
    const body = '{"customerThreadId":"9001","status":"replied"}';
    const call = request("POST /api/update-thread-status", { expect: "100-continue" }, body);
    const { answers } = await talk(target.url, [call], { until: 2 });
    expect(answers.map(({ status }) => status)).toEqual([100, 200]);
  });
});
