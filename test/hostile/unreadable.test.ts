/** What node cannot read gets a JSON answer in the form of whoever was asked, and its connection is closed. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createHttpServer } from "../../src/kernel/http/server.js";
import { connection, type RawAnswer, request, talk } from "./raw.js";
import { LONG_POLL, startTarget, type Target } from "./target.js";

const HEADERS = "the request line and headers must not exceed 16384 bytes";
const NO_HTTP = (reason: string) => `not a valid HTTP/1.1 request: ${reason}`;
const NO_HOST = "an HTTP/1.1 request needs exactly one Host header";
const NO_END = "Transfer-Encoding must be chunked and requires HTTP/1.1";
const EXTENSIONS = "the chunk extensions of the body are too long";
const STATUS = "POST /api/update-thread-status";
const RESET = "POST http://localhost/__sim/reset";
const encoded = (encoding: string, line = STATUS) =>
  `${request(line, { "transfer-encoding": encoding })}0\r\n\r\n`;
const LONG = "x".repeat(20_000);

const bodyOf = ({ head, body }: RawAnswer) => {
  expect(head.toLowerCase()).toContain("content-type: application/json");
  expect(head.toLowerCase()).toContain("connection: close");
  return JSON.parse(body);
};
const control = (code: string, message: string) => ({ error: { code, message, details: [] } });
const ofApi = (reason: string) => ({ error: NO_HTTP(reason) });
const ofControl = (reason: string) => control("unusable-input", NO_HTTP(reason));
const [METHOD, HEADER] = ["Invalid method encountered", "Invalid header token"];
const LENGTHS = "Duplicate Content-Length";

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
  const unreadable: readonly (readonly [bytes: string, status: number, body: object])[] = [
    ["hello\r\n\r\n", 400, ofControl(METHOD)],
    ["GET /api/webhooks HTTP/9.9\r\nhost: x\r\n\r\n", 400, ofApi("Invalid HTTP version")],
    ["get /api/webhooks HTTP/1.1\r\nhost: x\r\n\r\n", 400, ofApi(METHOD)],
    [request(STATUS, { "content-length": "3", "Content-Length": "4" }), 400, ofApi(LENGTHS)],
    [request("GET /api/webhooks", { "bad header": "x" }), 400, ofApi(HEADER)],
    [request("GET /__sim/state?x=1", { "bad header": "x" }), 400, ofControl(HEADER)],
    [request("GET http://localhost/__sim/state", { "bad header": "x" }), 400, ofControl(HEADER)],
    ["GET /api/webhooks HTTP/1.1\r\n\r\n", 400, { error: NO_HOST }],
    ["GET /__sim/state HTTP/1.1\r\n\r\n", 400, control("unusable-input", NO_HOST)],
    [request("GET /api/webhooks", { Host: "b" }), 400, { error: NO_HOST }],
    [request("GET /__sim/state", { HOST: "localhost" }), 400, control("unusable-input", NO_HOST)],
    ["GET http://x/__sim/state HTTP/1.1\r\n\r\n", 400, control("unusable-input", NO_HOST)],
    ...["gzip", "gzip, chunked", "chunked, chunked", "xchunked", ""].map(
      (encoding) => [encoded(encoding), 400, { error: NO_END }] as const,
    ),
    [encoded("gzip, chunked", RESET), 400, control("unusable-input", NO_END)],
    [encoded("chunked").replace("HTTP/1.1", "HTTP/1.0"), 400, { error: NO_END }],
    [request("GET /api/webhooks", { long: LONG }), 431, { error: HEADERS }],
    [request("GET /__sim/state", { long: LONG }), 431, control("headers-too-large", HEADERS)],
    [
      request("POST /graphql", { long: LONG }),
      431,
      { errors: [{ path: [], message: HEADERS, code: 43100 }] },
    ],
    [
      encoded("chunked", RESET).replace(/0\r\n\r\n$/, `1;${LONG}\r\n{\r\n`),
      413,
      control("too-large", EXTENSIONS),
    ],
    [encoded("chunked").replace(/0\r\n\r\n$/, "zz\r\n"), 400, ofApi("Invalid character in chunk size")],
  ];
  it.each(unreadable.map((one) => [one[0].slice(0, 100), ...one] as const))(
    "%j",
    async (_, bytes, status, body) => {
      const target = await startTarget();
      await target.expectUnchanged(async () => {
        const { answers } = await talk(target.url, [bytes], { until: 2 });
        expect(answers.map((answer) => [answer.status, bodyOf(answer)])).toEqual([[status, body]]);
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

  it("expects what nobody knows", async () => {
    const target = await startTarget();
    const message = "the header Expect must be 100-continue";
    for (const [line, body] of [
      ["GET /__sim/health", control("unknown-expectation", message)],
      ["GET /api/webhooks", { error: message }],
    ] as const) {
      const { answers } = await talk(target.url, [request(line, { expect: "a miracle" })], { until: 2 });
      expect(answers.map((answer) => [answer.status, bodyOf(answer)])).toEqual([[417, body]]);
    }
    await expectNoConnectionLeft(target);
  });

  it("is not one of HTTP/1.0 without a Host", async () => {
    const target = await startTarget();
    const { answers } = await talk(target.url, ["GET /__sim/health HTTP/1.0\r\n\r\n"]);
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it("that takes too long gets 408", async () => {
    const asked: unknown[] = [];
    const unreadable = (fault: unknown) => {
      asked.push(fault);
      return { slow: true };
    };
    const nothing = () => {};
    const server = createHttpServer(nothing, nothing, { unreadable });
    Object.assign(server, { headersTimeout: 20, requestTimeout: 40, connectionsCheckingInterval: 10 });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { socket, text } = await connection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    socket.write(request("POST /api/update-thread-status", { "content-length": "5" }));
    await expect.poll(text, { timeout: 60_000 }).toContain('{"slow":true}');
    expect(text()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(asked).toEqual([{ kind: "slow", method: "POST", target: "/api/update-thread-status" }]);
    await expect.poll(() => socket.destroyed || socket.readableEnded, LONG_POLL).toBe(true);
    server.close();
  });
});
