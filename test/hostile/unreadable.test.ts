/** What is no HTTP is refused by node, and its connection is closed. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createHttpServer } from "../../src/kernel/http/server.js";
import { connection, request, talk } from "./raw.js";
import { LONG_POLL, startTarget, type Target } from "./target.js";

const STATUS = "POST /api/update-thread-status";
const chunked = (line: string, chunks: string) => request(line, { "transfer-encoding": "chunked" }) + chunks;
const LONG = "x".repeat(20_000);

async function expectNoConnectionLeft({ registry, control: call }: Target) {
  const open = async () => {
    const { body } = await call("GET /metrics");
    return Number(/^messaging_sim_connections_open (.*)$/m.exec(body)?.[1]);
  };
  // Those of the test's own client stay.
  await expect.poll(open, LONG_POLL).toBeLessThanOrEqual(2);
  expect(registry.default.run.calls.count).toBe(0);
}

describe("a request that cannot be read", () => {
  const unreadable: readonly (readonly [bytes: string, status: number])[] = [
    ["hello\r\n\r\n", 400],
    ["GET /api/webhooks HTTP/9.9\r\nhost: x\r\n\r\n", 400],
    ["get /api/webhooks HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    [request(STATUS, { "content-length": "3", "Content-Length": "4" }), 400],
    [request("GET /__sim/state?x=1", { "bad header": "x" }), 400],
    ["GET /api/webhooks HTTP/1.1\r\n\r\n", 400],
    [request(STATUS, { "transfer-encoding": "gzip" }), 400],
    [request("GET /__sim/state", { long: LONG }), 431],
    [request("GET /api/webhooks", { expect: "a miracle", connection: "close" }), 417],
    [chunked("POST http://localhost/__sim/reset", `1;${LONG}\r\n{\r\n`), 413],
    [chunked(STATUS, "zz\r\n"), 400],
  ];
  it.each(unreadable.map((one) => [one[0].slice(0, 100), ...one] as const))(
    "%j",
    async (_, bytes, status) => {
      const target = await startTarget();
      await target.expectUnchanged(async () => {
        const { answers } = await talk(target.url, [bytes], { until: 2 });
        expect(answers.map((answer) => answer.status)).toEqual([status]);
      });
      await expectNoConnectionLeft(target);
    },
  );

  it("is told nothing where an answer has begun, or where the client is gone", async () => {
    const target = await startTarget();
    const { socket, text } = await connection(target.url);
    socket.write(request("GET /__sim/stream"));
    await expect.poll(text, LONG_POLL).toMatch(/^HTTP\/1\.1 200 /);
    socket.write("garbage\r\n\r\n");
    await expect.poll(() => socket.destroyed, LONG_POLL).toBe(true);
    expect(text().match(/HTTP\/1\.1/g)).toHaveLength(1);
    const gone = await connection(target.url);
    gone.socket.write("garbage\r\n\r\n", () => gone.socket.destroy());
    await expectNoConnectionLeft(target);
  });

  it("is not one of HTTP/1.0 without a Host", async () => {
    const target = await startTarget();
    const { answers } = await talk(target.url, ["GET /__sim/health HTTP/1.0\r\n\r\n"]);
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it("that takes too long gets 408", async () => {
    const nothing = () => {};
    const server = createHttpServer(nothing, nothing);
    Object.assign(server, { headersTimeout: 20, requestTimeout: 40, connectionsCheckingInterval: 10 });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { socket, text } = await connection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    socket.write(request(STATUS, { "content-length": "5" }));
    await expect.poll(text, { timeout: 60_000 }).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    await expect.poll(() => socket.destroyed || socket.readableEnded, LONG_POLL).toBe(true);
    server.close();
  });
});
