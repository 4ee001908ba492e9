/** Bodies that come in a `Content-Encoding`. */
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { request, talk } from "../hostile/raw.js";
import { startTarget, type Target } from "../hostile/target.js";
import { SEND } from "./client.js";

const quickly = (body: string | Buffer) =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
const ENCODINGS = { gzip: gzipSync, deflate: deflateSync, br: quickly } as const;
const NAMES = Object.keys(ENCODINGS) as (keyof typeof ENCODINGS)[];
const CHUNKED = { "transfer-encoding": "chunked" };
const INBOUND = "POST /__sim/threads/9001/inbound";
const message = (text: string) => Buffer.from(JSON.stringify({ customerThreadId: "9001", text }));

/** Sends a body in pieces, with its length or in chunks. */
async function send({ url }: Target, body: Buffer, encoding: string, more = {}, line = `POST ${SEND}`) {
  const headers = { "content-type": "application/json", "content-encoding": encoding, ...more };
  const half = Math.ceil(body.length / 2);
  const pieces = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0);
  const isChunked = "transfer-encoding" in more;
  const chunks = pieces.flatMap((piece) => [`${piece.length.toString(16)}\r\n`, piece, "\r\n"]);
  const sent = isChunked ? headers : { ...headers, "content-length": String(body.length) };
  const bytes = isChunked ? [...chunks, "0\r\n\r\n"] : pieces;
  const { answers } = await talk(url, [request(line, sent), ...bytes]);
  const [{ status, head, body: text } = { status: 0, head: "", body: "null" }] = answers;
  return { status, head, body: JSON.parse(text || "null") };
}

describe.each(NAMES)("a body in %s", (name) => {
  const encode = ENCODINGS[name];

  it.each<Record<string, string>>([{}, CHUNKED])("is read with %j, and warned of", async (more) => {
    const target = await startTarget();
    const text = `Compressed ${"é".repeat(9_000)}`;
    expect((await send(target, encode(message(text)), name.toUpperCase(), more)).status).toBe(200);
    const { body: last } = await target.control("GET /data/messages?threadId=9001");
    expect(last.at(-1).text).toBe(text);
    const [entry] = (await target.control("GET /requests")).body;
    expect(entry).toMatchObject({ body: { text }, warnings: [{ code: "encoded-body" }] });
    expect(entry.warnings[0].message).toContain(`Content-Encoding: ${name}`);
  });

  it("is bounded by its decoded size", async () => {
    const target = await startTarget();
    const exact = message("x".repeat(2_000));
    await target.control("PATCH /behaviour", { "limits.bodyBytes": exact.length });
    expect((await send(target, encode(exact), name)).status).toBe(200);
    await target.control("PATCH /behaviour", { "limits.bodyBytes": exact.length - 1 });
    await target.expectUnchanged(async () => {
      const { status, head } = await send(target, encode(exact), name);
      expect([status, head]).toEqual([413, expect.stringMatching(/^x-sim-behaviour: limits\.bodyBytes$/im)]);
    });
    // A few bytes become more where they are encoded.
    await target.control("PATCH /behaviour", { "limits.bodyBytes": message("").length });
    expect((await send(target, encode(message("")), name)).status).not.toBe(413);
  });

  it("is not decoded as a whole if it is a bomb", async () => {
    const target = await startTarget();
    const bomb = encode(Buffer.alloc(64 * 1024 * 1024));
    await target.expectUnchanged(async () => {
      const before = process.memoryUsage.rss();
      const answers = await Promise.all(Array.from({ length: 4 }, () => send(target, bomb, name)));
      expect(answers.map(({ status }) => status)).toEqual([413, 413, 413, 413]);
      expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
    });
  });

  it("that cannot be decoded is a 400", async () => {
    const target = await startTarget();
    const refusal = (message: string) => ({ body: [{ property: "@", message }], headers: [] });
    await target.expectUnchanged(async () => {
      const whole = encode(message("Cut off"));
      for (const [sent, problem] of [
        [message("Plain"), `must be valid ${name}`],
        [whole.subarray(0, -6), `must be valid ${name}`],
        [encode(Buffer.from("{")), "must be valid JSON"],
      ] as const) {
        const { status, body } = await send(target, sent, name);
        expect([status, body]).toEqual([400, refusal(problem)]);
      }
    });
  });

  it("that decodes to nothing counts as no body", async () => {
    const target = await startTarget();
    const { status, body } = await send(target, encode(""), name);
    expect([status, body]).toEqual([400, expect.objectContaining({ headers: [] })]);
    expect((await send(target, Buffer.alloc(0), name, {}, "POST /api/webhooks/crm/delete")).status).toBe(200);
  });
});

const text = (encoding: string) => `Content-Encoding must be gzip, deflate or br, but is ${encoding}`;

it.each<[encoding: string, line?: string, body?: object]>([
  ["zstd"],
  ["identity"],
  ["gzip, br"],
  ["gzip, gzip"],
  ["constructor"],
  ["zstd", "POST /graphql", { errors: [{ message: text("zstd") }] }],
  ["zstd", INBOUND, { error: { code: "unknown-encoding", message: text("zstd") } }],
])("%s is refused: %s", async (encoding, line, body = { error: text(encoding) }) => {
  const target = await startTarget();
  await target.expectUnchanged(async () => {
    const refused = await send(target, gzipSync(message("Hi")), encoding, {}, line);
    expect(refused).toMatchObject({ status: 415, body });
  });
});

it("an unknown encoding is refused after token and size, and before content type, JSON and schema", async () => {
  const target = await startTarget();
  const text = Buffer.from("{");
  const statusOf = async (body: Buffer, more: Record<string, string>, encoding = "zstd") =>
    (await send(target, body, encoding, more)).status;
  expect(await statusOf(text, { token: "nobody" })).toBe(401);
  expect(await statusOf(text, { "content-type": "text/plain" })).toBe(415);
  expect(await statusOf(text, { "content-type": "text/plain" }, "gzip")).toBe(400);
  await target.control("PATCH /behaviour", { "limits.rate": { requests: 1, per: "1h" } });
  expect([await statusOf(text, {}), await statusOf(text, {})]).toEqual([415, 429]);
  await target.control("PATCH /behaviour", { "limits.rate": null, "limits.bodyBytes": 10 });
  expect(await statusOf(Buffer.alloc(11), {})).toBe(413);
  expect(await statusOf(Buffer.alloc(10), {})).toBe(415);
});

it("a sink shows decoded bodies", async () => {
  const target = await startTarget();
  const json = message("Compressed");
  expect((await send(target, gzipSync(json), "gzip", {}, "POST /__sim/sinks/demo")).status).toBe(200);
  const { body } = await target.control("GET /sinks/demo/received");
  expect(body).toMatchObject([{ headers: { "content-encoding": "gzip" }, body: JSON.parse(`${json}`) }]);
});

it.each(NAMES)("the body of a control call is read in %s, decoded within the same bound", async (name) => {
  const target = await startTarget();
  const encode = ENCODINGS[name];
  const packed = await send(target, encode(Buffer.from('{"text":"Packed"}')), name, {}, INBOUND);
  expect([packed.status, packed.body.text]).toEqual([201, "Packed"]);
  await target.expectUnchanged(async () => {
    const bomb = await send(target, encode(Buffer.alloc(64 * 1024 * 1024)), name, {}, INBOUND);
    expect(bomb.status).toBe(413);
    const { status, body } = await send(target, Buffer.from('{"text":"Plain"}'), name, {}, INBOUND);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(`must be valid ${name}`)]);
  });
});
