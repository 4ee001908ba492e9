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

it("bytes that are no request never reach an operation and never end the server", async () => {
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
