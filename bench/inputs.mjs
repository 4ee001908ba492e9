/**
 * Hostile inputs, one after the other: how long each keeps `/health` waiting, and what memory the server takes at most.
 * Usage: node bench/inputs.mjs [--count N]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MAIN, report, start } from "./processes.mjs";

const { values } = parseArgs({ options: { count: { type: "string", default: "200" } } });
const MAX_HOLD_MS = 250;
const MAX_GROWTH_MB = 300;

const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const keysOf = (count, name = "key") =>
  `{${times(count, (index) => `"${name}${index}":${index}`).join(",")}}`;
const nested = (depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const json = (path, method, body) => ({ path, method, body, type: "application/json" });
const scenario = (text) => json("/scenarios/run", "POST", JSON.stringify({ scenario: text }));
const control = (path, method, value) => json(path, method, JSON.stringify(value));
const message = (text) => ({
  ...control("/api/send-message-to-customer-thread", "POST", { customerThreadId: "9001", text }),
  token: "acme-token",
});
const verify = (text) => control("/verify", "POST", { requests: { body: { text } } });
const hook = (url) =>
  control("/data/webhooks", "POST", { organizationId: "200", url, subscribedEvents: ["messages"] });
/** A record of each message, as the state has it. */
const messages = (count) =>
  times(count, (index) => ({
    id: String(index + 1),
    threadId: "9001",
    fromCustomer: true,
    text: `m${index}`,
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
    json("/data/threads/9001?_dependent=messages", "DELETE"),
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

async function sendOne({ path, method, body, type, token, bytes, raw, receiver: answer }) {
  if (raw !== undefined) return write(raw);
  if (answer !== undefined) {
    line = answer;
    const url = `http://127.0.0.1:${receiver.address().port}/hook`;
    await sendOne(control("/connect", "POST", { url }));
    await sendOne(control("/threads/9001/inbound", "POST", { text: "Hello" }));
    return sendOne(control("/wait", "POST", { for: "idle" }));
  }
  const streamed = bytes === undefined ? { body } : { body: blanks(bytes), duplex: "half" };
  const url = path.startsWith("/api/") ? server.url + path : base + path;
  const headers = { "content-type": type, ...(token && { token }) };
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

/** Asks for `/health` again and again in a process of its own; its last line is the longest answer, ms. */
const PROBE = `
  let longest = 0;
  let last = performance.now();
  process.on("message", () => { process.send(longest); longest = 0; });
  for (;;) {
    const asked = performance.now();
    await (await fetch(process.argv[1])).arrayBuffer();
    longest = Math.max(longest, performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }`;
const probe = spawn(process.execPath, ["--input-type=module", "-e", PROBE, `${base}/health`], {
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
const names = Object.keys(SHAPES);
const worst = new Map();
for (let index = 0; index < 20; index += 1) await fetch(`${base}/health`);
await longest();
for (let index = 0; index < Number(values.count); index += 1) {
  const name = names[index % names.length];
  const round = Math.floor(index / names.length);
  const input = SHAPES[name](((round * 7 + 3) % 10) / 10 + 0.1);
  const before = server.residentMb();
  peak = before;
  const status = await send(input);
  const held = await longest();
  growth = Math.max(growth, peak - before);
  if (held > (worst.get(name)?.held ?? -1)) worst.set(name, { held, status });
}
clearInterval(watching);
for (const socket of open) socket.destroy();
probe.kill();
receiver.close();
for (const [name, { held, status }] of worst)
  report(`${name} (${status}): longest hold, ms`, held.toFixed(0));
const held = Math.max(...[...worst.values()].map((one) => one.held));
report("longest of all, ms", held.toFixed(0), `<= ${MAX_HOLD_MS}`);
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
