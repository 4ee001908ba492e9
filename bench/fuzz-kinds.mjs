/** The kinds of connections that `fuzz-http.mjs` makes: `[name, { write, hangUp, mute }]`. */
import { setTimeout as sleep } from "node:timers/promises";

const CRLF = "\r\n";
const BODY = JSON.stringify({ customerThreadId: "9001", text: "Hello" });

const pick = (list, random) => list[Math.floor(random() * list.length)];
const between = (low, high, random) => low + Math.floor(random() * (high - low + 1));
const bytes = (length, random) =>
  Buffer.from(Array.from({ length }, () => Math.floor(random() * 256))).toString("latin1");

const LINES = [
  ["GET /api/get-customer-thread-details?customerThreadId=9001", ""],
  ["GET /api/webhooks/", ""],
  ["HEAD /api/webhooks/", ""],
  ["POST /api/send-message-to-customer-thread", BODY],
  ["POST /graphql", '{"query":"save-hook-mutation"}'],
  ["POST /__sim/sinks/fuzz", BODY],
  ["POST /__sim/verify", '{"requests":{},"count":{"min":0}}'],
  ["POST /__sim/threads/9001/inbound", '{"text":"Hi"}'],
  ["PUT /__sim/clock", '{"frozen":false}'],
  ["GET /__sim/requests?limit=5", ""],
  ["GET /__sim/stream", ""],
  ["GET /__sim/ui/", ""],
  ["GET /__sim/metrics", ""],
  ["OPTIONS /graphql", ""],
];

const head = (line, headers = {}) => {
  const all = { host: "localhost", token: "acme-token", ...headers };
  return [
    `${line} HTTP/1.1`,
    ...Object.entries(all).map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ].join(CRLF);
};
const whole = (random, headers = {}) => {
  const [line, body] = pick(LINES, random);
  const own = body === "" ? {} : { "content-type": "application/json", "content-length": body.length };
  return head(line, { ...own, ...headers }) + body;
};
const post = (headers, body, random) =>
  head(
    pick(["POST /api/send-message-to-customer-thread", "POST /__sim/sinks/fuzz", "PUT /__sim/state"], random),
    {
      "content-type": "application/json",
      ...headers,
    },
  ) + body;

const flipped = (text, random) => {
  const buffer = Buffer.from(text, "latin1");
  for (let left = between(1, 8, random); left > 0; left -= 1)
    buffer[Math.floor(random() * buffer.length)] = Math.floor(random() * 256);
  return buffer.toString("latin1");
};

const CHUNKS = [
  "zz\r\nhello\r\n0\r\n\r\n",
  "5\r\nhello world\r\n0\r\n\r\n",
  "5\nhello\n0\n\n",
  "-5\r\nhello\r\n0\r\n\r\n",
  "ffffffffffffffff\r\nhello",
  "7fffffff\r\nhello",
  `5;${"x".repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
  "0\r\nx-trailer: 1\r\n\r\n",
  `0\r\n${"x-trailer: 1\r\n".repeat(5_000)}\r\n`,
  "5\r\nhel",
  `${"1\r\nx\r\n".repeat(2_000)}0\r\n\r\n`,
  "0x5\r\nhello\r\n0\r\n\r\n",
];
const LENGTHS = [
  "-1",
  "+5",
  "5, 6",
  "1e3",
  "0x10",
  "99999999999999999999",
  "4294967296",
  " ",
  "five",
  "1000",
  "2",
];
const UPGRADES = [
  { connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "x", "sec-websocket-version": "13" },
  { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABkAARAAAAAAAIAAAAA" },
  { connection: "Upgrade", upgrade: "TLS/1.0" },
  { connection: "upgrade", upgrade: "\u0001" },
  { upgrade: "websocket" },
];
const FIRST_LINES = [
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n",
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
  "GET / HTTP/9.9\r\nhost: x\r\n\r\n",
  "GET / HTTP/1.0\r\n\r\n",
  "GET /\r\n",
  "GET http://evil.example/__sim/state HTTP/1.1\r\nhost: x\r\n\r\n",
  "GET / HTTP/1.1\r\n\r\n",
  "GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
  "GET / HTTP/1.1\nhost: a\n\n",
  "GET / HTTP/1.1\r\nhost: a\r\n folded: b\r\n\r\n",
  "GET / HTTP/1.1\r\nhost: a\r\nx\u0000y: b\r\n\r\n",
  "GET  /  HTTP/1.1\r\nhost: a\r\n\r\n",
  "\r\n\r\n\r\nGET /api/webhooks/ HTTP/1.1\r\nhost: localhost\r\n\r\n",
  "get /api/webhooks/ HTTP/1.1\r\nhost: localhost\r\n\r\n",
  `${"A".repeat(100_000)} / HTTP/1.1\r\n\r\n`,
];

export const KINDS = Object.entries({
  whole: { write: (send, random) => send(whole(random)) },
  pipelined: {
    write: (send, random) =>
      send(Array.from({ length: between(2, 200, random) }, () => whole(random)).join("")),
  },
  "pipelined, never read": {
    mute: true,
    write: (send, random) => send(Array.from({ length: 500 }, () => whole(random)).join("")),
  },
  "pipelined, then gone": {
    hangUp: true,
    write: (send, random) => send(Array.from({ length: 50 }, () => whole(random)).join("")),
  },
  "part of a request": {
    write: (send, random) => {
      const text = whole(random);
      return send(text.slice(0, between(1, text.length - 1, random)));
    },
  },
  "part, then gone": {
    hangUp: true,
    write: (send, random) => {
      const text = whole(random);
      return send(text.slice(0, between(1, text.length - 1, random)));
    },
  },
  "part, then half closed": {
    write: async (send, random, socket) => {
      const text = whole(random);
      await send(text.slice(0, between(1, text.length, random)));
      socket.end();
    },
  },
  "byte by byte": {
    write: async (send, random) => {
      for (const byte of whole(random).slice(0, between(20, 400, random))) await send(byte);
    },
  },
  "flipped bytes": { write: (send, random) => send(flipped(whole(random), random)) },
  noise: { write: (send, random) => send(bytes(between(1, 4_000, random), random)) },
  "wrong length": {
    write: (send, random) => send(post({ "content-length": pick(LENGTHS, random) }, BODY, random)),
  },
  "length and chunks": {
    write: (send, random) =>
      send(
        post({ "content-length": "5", "transfer-encoding": "chunked" }, `${pick(CHUNKS, random)}`, random),
      ),
  },
  "wrong chunks": {
    write: (send, random) => send(post({ "transfer-encoding": "chunked" }, pick(CHUNKS, random), random)),
  },
  "wrong encoding": {
    write: (send, random) =>
      send(
        post(
          {
            "transfer-encoding": pick(
              ["gzip", "chunked, gzip", "identity", "x".repeat(500), "chunked,chunked"],
              random,
            ),
          },
          BODY,
          random,
        ),
      ),
  },
  "large headers": {
    write: (send, random) =>
      send(
        head(pick(LINES, random)[0], {
          [pick(["x-large", "token", "cookie", "host"], random)]: "x".repeat(between(1_000, 100_000, random)),
        }),
      ),
  },
  "many headers": {
    write: (send, random) => {
      const count = between(100, 5_000, random);
      return send(
        head(
          pick(LINES, random)[0],
          Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, "1"])),
        ),
      );
    },
  },
  "long target": {
    write: (send, random) =>
      send(head(`GET /${pick(["a/", "%", "%00", "?a=", "é"], random).repeat(between(100, 20_000, random))}`)),
  },
  "slow body": {
    write: async (send, random) => {
      await send(post({ "content-length": "50" }, "", random));
      for (let at = 0; at < between(1, 8, random); at += 1) {
        await sleep(between(10, 150, random));
        await send(" ");
      }
    },
  },
  "slow headers": {
    write: async (send, random) => {
      await send("GET /api/webhooks/ HTTP/1.1\r\nhost: localhost\r\n");
      for (let at = 0; at < between(1, 10, random); at += 1) {
        await sleep(between(10, 100, random));
        await send(`x-${at}: 1\r\n`);
      }
    },
  },
  "large body": {
    write: async (send, random) => {
      const size = between(100_000, 3_000_000, random);
      await send(post({ "content-length": String(size) }, "", random));
      await send("[".repeat(size));
    },
  },
  "large body, then gone": {
    hangUp: true,
    write: async (send, random) => {
      await send(post({ "content-length": "3000000" }, "", random));
      await send(`{"text":"${"x".repeat(between(1, 900_000, random))}`);
    },
  },
  "body announced": {
    write: (send, random) =>
      send(
        post({ expect: pick(["100-continue", "200-ok", "x"], random), "content-length": "5" }, "", random),
      ),
  },
  "bad upgrade": {
    write: async (send, random) => {
      await send(head(pick(LINES, random)[0], pick(UPGRADES, random)));
      await send(bytes(between(0, 200, random), random));
    },
  },
  "bad first line": { write: (send, random) => send(pick(FIRST_LINES, random)) },
  "nothing at all": { hangUp: true, write: async () => {} },
  reset: {
    write: async (send, random, socket) => {
      await send(whole(random));
      socket.resetAndDestroy();
    },
  },
});
