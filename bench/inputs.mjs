/**
 * Hostile inputs, one after the other: how long each keeps `/health` waiting, and what memory the server takes at most.
 * Usage: node bench/inputs.mjs [--count N] [--shape PART-OF-A-NAME]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { MAIN, report, start } from "./processes.mjs";

const { values } = parseArgs({
  options: { count: { type: "string", default: "200" }, shape: { type: "string", default: "" } },
});
const MAX_HOLD_MS = 250;
const MAX_GROWTH_MB = 300;

const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const keysOf = (count, name = "key") =>
  `{${times(count, (index) => `"${name}${index}":${index}`).join(",")}}`;
const nested = (depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const json = (path, method, body) => ({ path, method, body, type: "application/json" });
const scenario = (text) => json("/scenarios/run", "POST", JSON.stringify({ scenario: text }));
const control = (path, method, value) => json(path, method, JSON.stringify(value));
const token = "acme-token";
/** Random letters, so that what an engine remembers of a text is of no use. */
const letters = (count, seed = 1) => {
  let state = seed + 1;
  return times(count, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state & 65_536 ? "a" : "b";
  }).join("");
};
const graphql = (query) => ({ ...control("/graphql", "POST", { query }), token });
const message = (text) => ({
  ...control("/api/send-message-to-customer-thread", "POST", { customerThreadId: "9001", text }),
  token,
});
const verify = (text) => control("/verify", "POST", { requests: { body: { text } } });
const hook = (url) =>
  control("/data/webhooks", "POST", { organizationId: "200", url, subscribedEvents: ["messages"] });
/** A record of each message, as the state has it. */
const messages = (count, text = "") =>
  times(count, (index) => ({
    id: String(index + 1),
    threadId: "9001",
    fromCustomer: true,
    text: `m${index}${text}`,
    timestamp: index,
  }));
const RESET = json("/reset", "POST", "{}");

/** Makes an input of each shape; `size` is from 0 to 1. */
const SHAPES = {
  "scenario: many keys": (size) =>
    scenario(times(200 + size * 200_000, (index) => `k${index}: 1`).join("\n")),
  "scenario: lines of tags": (size) => scenario("@x:\n".repeat(1_000 + size * 150_000)),
  "scenario: anchors": (size) =>
    scenario(times(1_000 + size * 150_000, (index) => `- &a${index} x`).join("\n")),
  "scenario: comments": (size) => scenario("# x\n".repeat(1_000 + size * 240_000)),
  "scenario: closing brackets": (size) => scenario("]".repeat(1_000 + size * 200_000)),
  "scenario: opening brackets": (size) => scenario("[".repeat(1_000 + size * 900_000)),
  "reset: many keys": (size) => json("/reset", "POST", keysOf(9_000 + size * 100_000)),
  "scenarios/run: many keys": (size) => json("/scenarios/run", "POST", keysOf(9_000 + size * 100_000)),
  "faults: many keys": (size) => json("/faults", "POST", `{"match":${keysOf(9_000 + size * 100_000)}}`),
  "state: many keys": (size) => json("/state", "PUT", keysOf(9_000 + size * 1_000_000)),
  "behaviour: many keys": (size) => json("/behaviour", "PATCH", keysOf(9_999 * size, "window.duratio")),
  "data: many keys": (size) => json("/data/threads", "POST", keysOf(9_999 * size, "channe")),
  "sinks: many keys": (size) => json("/sinks/x", "PUT", keysOf(9_000 + size * 100_000)),
  "events: many keys": (size) =>
    json("/events", "POST", `{"eventType":"message","data":${keysOf(9_999 * size)}}`),
  "sandboxes: unknown behaviour": (size) =>
    json("/sandboxes", "POST", `{"behaviour":${keysOf(9_999 * size)}}`),
  "verify: strange operations": (size) =>
    json(
      "/verify",
      "POST",
      JSON.stringify({
        requests: { operation: { $oneOf: times(9_999 * size, (index) => `sendMesage${index}`) } },
      }),
    ),
  "state: many records": (size) =>
    json(
      "/state",
      "PUT",
      `{"threads":[${times(1_000 + size * 400_000, (index) => `{"id":"${index}"}`).join(",")}]}`,
    ),
  "state: nested": (size) => json("/state", "PUT", nested(1_000 + size * 5_000_000)),
  "state: brackets that never end": (size) => json("/state", "PUT", "[".repeat(1_000 + size * 20_000_000)),
  "state: far too large": (size) => ({
    ...json("/state", "PUT", undefined),
    bytes: (40 + size * 200) * 1024 * 1024,
  }),
  "verify: an expression": (size) => [
    ...times(20, () => message(`${"ab".repeat(size * 2_000)}!`)),
    verify({ $regex: "^(a?b?){990}$" }),
  ],
  "verify: many expressions": (size) =>
    verify({ $oneOf: times(size * 4_000, (index) => ({ $regex: `(?:ab?c?${index}){990}` })) }),
  "verify: many values": (size) => [
    ...times(200, message),
    verify({ $oneOf: times(size * 9_000, (index) => ({ a: -index })) }),
  ],
  "verify: large bodies": (size) => [...times(50, () => message("x".repeat(size * 900_000))), verify("zz")],
  "verify: a part of a text": (size) => [
    message("a".repeat(size * 900_000)),
    verify({ $contains: `${"a".repeat(size * 300_000)}b${"a".repeat(size * 300_000)}` }),
  ],
  "verify: many parts of a text": (size) => [
    message("a".repeat(900_000)),
    verify({
      $oneOf: times(20, (index) => ({
        $contains: `${"a".repeat(size * 22)}${index}${"a".repeat(size * 22)}`,
      })),
    }),
  ],
  "verify: a path": (size) => [
    ...times(200, message),
    control("/verify", "POST", { requests: { path: "/*".repeat(size * 500_000) } }),
  ],
  "faults: expressions": (size) => [
    ...times(100, (index) =>
      control("/faults", "POST", {
        on: "request",
        match: { body: { text: { $regex: `^(a?b?){990}${index}` } } },
        then: "unavailable",
      }),
    ),
    message("ab".repeat(size * 1_200)),
  ],
  "verify: an expression that keeps its engine from being quick": (size) => [
    message(letters(size * 8_000)),
    verify({ $regex: `a[ab]{${Math.floor(size * 230)}}[cd]` }),
  ],
  "verify: many such expressions": (size) => [
    message(letters(8_000)),
    verify({ $oneOf: times(size * 12, (index) => ({ $regex: `a[ab]{${9 + (index % 5)}}[cd${index}]` })) }),
  ],
  "verify: such an expression over a journal": (size) => [
    ...times(60, (index) => message(letters(size * 8_000, index))),
    verify({ $regex: `a[ab]{${Math.floor(size * 60)}}[cd]` }),
  ],
  "wait: such an expression over a journal": (size) => [
    ...times(60, (index) => message(letters(size * 8_000, index))),
    control("/wait", "POST", {
      for: { requests: { body: { text: { $regex: `a[ab]{${Math.floor(size * 60)}}[cd]` } } } },
      timeoutMs: 1,
    }),
  ],
  "wait: such an expression over a state": (size) => [
    control("/state", "PUT", { ...state, messages: messages(size * 20_000, letters(1_000)) }),
    control("/wait", "POST", {
      for: {
        state: {
          collection: "messages",
          values: { text: { $regex: `a[ab]{${Math.floor(size * 60)}}[cd]` } },
        },
      },
      timeoutMs: 1,
    }),
  ],
  "faults: such expressions": (size) => [
    ...times(100, (index) =>
      control("/faults", "POST", {
        on: "request",
        match: { body: { text: { $regex: `a[ab]{${Math.floor(size * 10)}}[c${index}]` } } },
        then: "unavailable",
      }),
    ),
    message(letters(8_000)),
  ],
  "reply: such an expression": (size) => [
    ...times(60, (index) => message(letters(size * 8_000, index))),
    control("/wait", "POST", {
      for: { reply: { thread: "9001", matches: `a[ab]{${Math.floor(size * 230)}}[cd]` } },
      timeoutMs: 1,
    }),
  ],
  "verify: deep": (size) => [
    ...times(200, message),
    json("/verify", "POST", `{"requests":{"body":${'{"a":'.repeat(size * 55)}1${"}".repeat(size * 55)}}}`),
  ],
  "verify: wide": (size) => [
    ...times(1_000, () => message("x".repeat(size * 10_000))),
    json("/verify", "POST", `{"requests":{"body":${keysOf(size * 900)}}}`),
  ],
  "verify: a path of stars": (size) => [
    ...times(1_000, (index) => json(`/api/${"a/".repeat(size * 6_000)}${index}`, "GET")),
    control("/verify", "POST", { requests: { path: "/*".repeat(size * 499) } }),
    json(`/requests?path=${"/*".repeat(size * 5_000)}`, "GET"),
  ],
  "requests: a full journal": (size) => [
    ...times(1_000, () => message("x".repeat(size * 32 * 1024))),
    json("/requests", "GET"),
  ],
  "data: embeds": (size) => [
    control("/state", "PUT", { ...state, messages: messages(size * 20_000) }),
    json("/data/threads?_embed=messages&_embed=customer", "GET"),
    json("/data/messages?_embed=thread&_sort=-text,timestamp", "GET"),
    json(`/data/messages?${times(size * 300, (index) => `text:ne=m${index}`).join("&")}`, "GET"),
  ],
  "query: many parameters": (size) => [
    json(`/data/messages?${times(size * 1_500, (index) => `k${index}=1`).join("&")}`, "GET"),
    json(`/requests?${"a=1&".repeat(size * 3_500)}`, "GET"),
    {
      ...json(`/api/get-customer-thread-details?${"customerThreadId=9001&".repeat(size * 600)}`, "GET"),
      token,
    },
  ],
  "headers: many": (size) => ({
    raw: [
      `GET /api/get-customer-thread-details?customerThreadId=9001 HTTP/1.1\r\nHost: localhost\r\ntoken: ${token}\r\n${"a:\r\n".repeat(size * 3_900)}\r\n`.repeat(
        20,
      ),
    ],
  }),
  "body: escapes": (size) => ({
    ...json(
      "/api/send-message-to-customer-thread",
      "POST",
      `{"customerThreadId":"9001","text":"${"\\ud800".repeat(size * 150_000)}"}`,
    ),
    token,
  }),
  "body: a long number": (size) => ({
    ...json(
      "/api/send-message-to-customer-thread",
      "POST",
      `{"customerThreadId":${"9".repeat(size * 1_000_000)},"text":"x"}`,
    ),
    token,
  }),
  "body: many keys": (size) => ({
    ...json("/api/send-message-to-customer-thread", "POST", keysOf(size * 60_000, "tex")),
    token,
  }),
  "body: nested": (size) => ({
    ...json("/api/send-message-to-customer-thread", "POST", nested(size * 400_000)),
    token,
  }),
  "body: a bomb": (size) => ({
    ...json("/api/send-message-to-customer-thread", "POST", gzipSync(Buffer.alloc(size * 200 * 1024 * 1024))),
    token,
    encoding: "gzip",
  }),
  "widget: a long address": (size) => ({
    ...control("/api/widget/send-message-to-business", "POST", {
      businessId: "1001",
      user: { email: `${"a.".repeat(size * 200_000)}@${"a-".repeat(size * 200_000)}` },
      text: "x",
    }),
    token,
  }),
  "graphql: nested": (size) =>
    graphql(`{ hooks ${"{ a ".repeat(size * 200_000)}${"}".repeat(size * 200_000)} }`),
  "graphql: aliases": (size) =>
    graphql(`{ ${times(size * 50_000, (index) => `a${index}: hooks`).join(" ")} }`),
  "graphql: fragments": (size) =>
    graphql(
      `{ ...f0 } ${times(size * 10_000, (index) => `fragment f${index} on Query { ...f${index + 1} ...f${index + 1} }`).join(" ")}`,
    ),
  "graphql: many ids": (size) => ({
    ...control("/graphql", "POST", {
      query: "GetWebhooks",
      variables: { hookId: times(size * 100_000, String) },
    }),
    token,
  }),
  "event: large data": (size) => [
    control("/events", "POST", {
      eventType: "message",
      data: { ...JSON.parse(keysOf(size * 9_000)), messageBody: "x".repeat(size * 700_000) },
    }),
  ],
  "scenario: aliases of aliases": (size) =>
    scenario(
      `a0: &a0 [x, x]\n${times(2 + size * 40, (index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`).join("\n")}`,
    ),
  "scenario: repeats in repeats": (size) =>
    control("/scenarios/run", "POST", {
      scenario: {
        steps: times(size * 8, () => 0).reduce(
          (steps) => [{ repeat: { times: 100_000, steps } }],
          [{ log: "x" }],
        ),
      },
    }),
  "scenario: a billion rounds": () =>
    control("/scenarios/run", "POST", {
      scenario: { steps: [{ repeat: { times: 1e9, steps: [{ log: "x" }] } }] },
    }),
  "data: a long text": (size) => [
    control("/data/messages", "POST", { ...messages(1)[0], id: "777", text: "x".repeat(size * 1_000_000) }),
    json("/threads/9001/transcript?format=md", "GET"),
  ],
  "address: slashes": (size) => hook(`https://${":/".repeat(size * 4_000)}`),
  "address: users": (size) => message(`${"http://a:b".repeat(size * 90_000)}`),
  "extraHeaders: in a text": (size) => ({
    ...json(
      "/api/send-message-to-customer-thread",
      "POST",
      `{"customerThreadId":"9001","text":${'"extraHeaders\\":['.repeat(size * 40_000)}`,
    ),
    token,
  }),
  "scenario: placeholders that make much": (size) =>
    control("/scenarios/run", "POST", {
      scenario: { params: { x: "y".repeat(400_000) }, steps: [{ log: "${param:x}".repeat(size * 50_000) }] },
    }),
  "scenario: many placeholders": (size) => scenario(`steps:\n  - log: "${"${x}".repeat(size * 240_000)}"`),
  "scenario: a long report": (size) =>
    control("/scenarios/run", "POST", {
      scenario: { steps: [{ repeat: { times: 1_000, steps: [{ log: "y".repeat(size * 900_000) }] } }] },
    }),
  "scenario: many expressions": (size) =>
    control("/scenarios/run", "POST", {
      scenario: { thread: "9001", steps: times(size * 9_000, () => ({ reply: { matches: "(a?b?){990}" } })) },
    }),
  "scenario: bytes": (size) => scenario(`name: !!binary ${"A".repeat(size * 1_000_000)}`),
  "scenario: unknown steps": (size) => scenario(`steps:\n${"  - costumer: x\n".repeat(size * 4_900)}`),
  "answer: placeholders": (size) => [
    control("/behaviour", "PATCH", {
      "sendMessage.response": {
        status: 200,
        body: { a: "${request.text}".repeat(size * 1_000), b: times(size * 9_000, () => "${request}") },
      },
    }),
    message("y".repeat(900_000)),
  ],
  "webhook: a long address": (size) => [
    hook(`https://x.example/${"a".repeat(size * 900_000)}`),
    ...times(100, message),
  ],
  "event: many webhooks": (size) => [
    ...times(200, (index) => hook(`sink:s${index}`)),
    control("/events", "POST", { eventType: "message", data: { messageBody: "x".repeat(size * 1_000_000) } }),
  ],
  "streams that nobody reads": (size) => [
    { raw: times(200, () => "GET /__sim/stream HTTP/1.1\r\nHost: localhost\r\n\r\n") },
    ...times(5, () => message("x".repeat(size * 900_000))),
  ],
  "calls in one packet": (size) => [
    { raw: ["GET /__sim/state HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(size * 2_000)] },
    json("/state", "GET"),
  ],
  "state: a long thread": (size) => [
    control("/state", "PUT", { ...state, messages: messages(size * 60_000) }),
    json("/threads/9001/transcript", "GET"),
    json("/threads/9001/transcript?format=md", "GET"),
    control("/wait", "POST", {
      for: {
        state: { collection: "messages", values: { text: { $oneOf: times(4_000, (index) => `q${index}`) } } },
      },
      timeoutMs: 1,
    }),
  ],
  "receiver: status 000": (size) => ({
    receiver: `HTTP/1.1 ${String(Math.floor(size * 100)).padStart(3, "0")} x`,
  }),
  "receiver: status 101": () => ({ receiver: "HTTP/1.1 101 x" }),
};

let line = "";
const open = [];
const receiver = createServer((socket) => {
  socket.on("error", () => {}).once("data", () => socket.end(`${line}\r\n\r\n`));
}).listen(0, "127.0.0.1");
await new Promise((resolve) => receiver.once("listening", resolve));
const server = await start(MAIN, ["serve", "--port", "0", "--log-level", "silent"]);
const base = `${server.url}/__sim`;
const state = await (await fetch(`${base}/state`)).json();

/** A body of so many spaces, as fast as it is taken. */
async function* blanks(bytes) {
  const chunk = Buffer.alloc(1024 * 1024, 0x20);
  for (let left = bytes; left > 0; left -= chunk.length) yield chunk;
}

/** Sends an input: one or several calls, then a reset, or connections that only write. */
async function send(input) {
  if (!Array.isArray(input)) return sendOne(input);
  let status;
  for (const one of input) status = await sendOne(one);
  await sendOne(RESET);
  return status;
}

async function sendOne({ path, method, body, type, token, encoding, bytes, raw, receiver: answer }) {
  if (raw !== undefined) return write(raw);
  if (answer !== undefined) {
    line = answer;
    const url = `http://127.0.0.1:${receiver.address().port}/hook`;
    await sendOne(control("/connect", "POST", { url }));
    await sendOne(control("/threads/9001/inbound", "POST", { text: "Hello" }));
    return sendOne(control("/wait", "POST", { for: "idle" }));
  }
  const streamed = bytes === undefined ? { body } : { body: blanks(bytes), duplex: "half" };
  const url = /^\/(api|graphql)/.test(path) ? server.url + path : base + path;
  const headers = {
    "content-type": type,
    ...(token && { token }),
    ...(encoding && { "content-encoding": encoding }),
  };
  const sent = fetch(url, { method, headers, ...streamed });
  const status = await sent.then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => "closed",
  );
  if (status >= 500) throw new Error(`${method} ${path}: ${status}`);
  return status;
}

/** Writes to a connection for each text, and reads nothing. They end with the next input. */
async function write(texts) {
  for (const socket of open.splice(0)) socket.destroy();
  const { hostname, port } = new URL(server.url);
  for (const text of texts) {
    const socket = connect(Number(port), hostname).on("error", () => {});
    socket.pause();
    open.push(socket);
    await new Promise((resolve) => socket.write(text, resolve));
  }
  return "unread";
}

/**
 * Asks for `/health` again and again in a process of its own, and says on demand what the worst answer took: ms of all, and of
 * that how long the server's main thread itself ran, which other work on the machine does not lengthen.
 */
const PROBE = `
  import { readFileSync } from "node:fs";
  const [url, pid] = process.argv.slice(1);
  const ran = () => Number(readFileSync(\`/proc/\${pid}/task/\${pid}/schedstat\`, "utf8").split(" ")[0]) / 1e6;
  let worst = { took: 0, own: 0 };
  process.on("message", () => { process.send(worst); worst = { took: 0, own: 0 }; });
  for (;;) {
    const [asked, before] = [performance.now(), ran()];
    await (await fetch(url)).arrayBuffer();
    const [took, own] = [performance.now() - asked, ran() - before];
    worst = { took: Math.max(worst.took, took), own: Math.max(worst.own, own) };
    await new Promise((resolve) => setTimeout(resolve, 2));
  }`;
const probe = spawn(process.execPath, ["--input-type=module", "-e", PROBE, `${base}/health`, server.pid], {
  stdio: ["ignore", "ignore", "inherit", "ipc"],
});
const longest = () =>
  new Promise((resolve) => {
    probe.once("message", resolve);
    probe.send("");
  });

let peak = 0;
let growth = 0;
const watching = setInterval(() => {
  peak = Math.max(peak, server.residentMb());
}, 20);
const names = Object.keys(SHAPES).filter((name) => name.includes(values.shape));
const worst = new Map();
for (let index = 0; index < 20; index += 1) await fetch(`${base}/health`);
await longest();
for (let index = 0; index < Number(values.count); index += 1) {
  const name = names[index % names.length];
  const round = Math.floor(index / names.length);
  const size = ((round * 7 + 3) % 10) / 10 + 0.1;
  const input = SHAPES[name](size);
  const before = server.residentMb();
  peak = before;
  const status = await send(input);
  const held = await longest();
  growth = Math.max(growth, peak - before);
  if (held.own > (worst.get(name)?.own ?? -1)) worst.set(name, { ...held, status });
}
clearInterval(watching);
for (const socket of open) socket.destroy();
probe.kill();
receiver.close();
for (const [name, { took, own, status }] of worst)
  report(`${name} (${status}): longest hold, ms (own time)`, `${took.toFixed(0)} (${own.toFixed(0)})`);
const held = Math.max(...[...worst.values()].map(({ own }) => own));
report("longest of all, ms of own time", held.toFixed(0), `<= ${MAX_HOLD_MS}`);
report("most memory that one took, MB", growth.toFixed(0), `<= ${MAX_GROWTH_MB}`);

// The same of a config file, which holds nobody up but who starts the server.
const config = join(mkdtempSync(join(tmpdir(), "bench-")), "config.json");
writeFileSync(config, keysOf(30_000, "por"));
const began = performance.now();
const child = spawn(process.execPath, [MAIN, "serve", "--config", config], { stdio: "ignore" });
const code = await new Promise((resolve) => child.once("exit", resolve));
report(
  `serve --config with 30,000 keys (exit code ${code}), ms`,
  (performance.now() - began).toFixed(0),
  "<= 2000",
);
await server.stop();
