/**
 * Random calls to both APIs, made from their schemas and bent at random, in a process of its own.
 * Usage: node bench/fuzz.mjs [--seconds 60] [--requests N] [--seed 1] [--connections 16]
 * Prints the answers by status, failures of the simulator itself (exit code 1), the longest that a look at /health and a
 * control call took (what faults hold back, the preset `slow` for seconds, are calls of the API), and the resident memory
 * before and after.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runnerImport } from "vite";
import { MAIN } from "./processes.mjs";

const ofSource = async (path) =>
  (await runnerImport(fileURLToPath(new URL(`../src/${path}`, import.meta.url)))).module;
const { OPERATIONS } = await ofSource("api/operations/index.ts");
const { pathsOf } = await ofSource("control/route.ts");
const { ROUTES } = await ofSource("control/routes/index.ts");
const { STEPS } = await ofSource("scenarios/steps/index.ts");

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    requests: { type: "string", default: "1000000000" },
    seed: { type: "string", default: "1" },
    connections: { type: "string", default: "16" },
  },
});

let state = Number(options.seed) >>> 0;
/** Mulberry32: the same seed makes the same calls. */
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
const below = (count) => Math.floor(random() * count);
const pick = (list) => list[below(list.length)];
const chance = (probability) => random() < probability;

const IDS = [
  "9001",
  "9002",
  "200",
  "100",
  "1001",
  "501",
  "c1",
  "1",
  "2",
  "crm",
  "acme-token",
  "d1",
  "r1",
  "f1",
  "s1",
  "default",
  "x",
];
const ODD = [
  null,
  true,
  -1,
  0,
  1e308,
  2 ** 53,
  "",
  "\u0000",
  "${",
  "${a.b}",
  "\ud800",
  "é".repeat(300),
  "[".repeat(300),
  [],
  {},
  [[]],
];
const COLLECTIONS = [
  "threads",
  "messages",
  "customers",
  "webhooks",
  "tokens",
  "users",
  "businesses",
  "templates",
  "nothing",
];
const TEXTS = [
  "Hello",
  "message",
  "waiting",
  "POST",
  "/api/**",
  "24h",
  "2026-01-01T00:00:00Z",
  "(a+)+$",
  "https://bot.example",
  "sink:a",
];

function textFor({ format, pattern = "" }) {
  if (format === "duration") return pick(["1ms", "90s", "1d"]);
  if (format === "email") return "jane@shop.example";
  if (format === "e164") return "+33612345678";
  if (format === "webhook-url" || format === "url")
    return pick(["sink:a", "http://127.0.0.1:1/", "https://bot.example/x"]);
  if (format === "date-time") return "2026-01-01T00:00:00Z";
  return pick(pattern.startsWith("^[1-9]") ? ["9001", "77"] : [...IDS, ...TEXTS]);
}

/** A value of a schema; what it says is left out or bent now and then. */
function sample(schema, depth = 0) {
  if (chance(0.03)) return pick(ODD);
  if (typeof schema !== "object" || depth > 6) return pick(TEXTS);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return pick(schema.enum);
  const branches =
    schema.anyOf?.filter((branch) => branch.type ?? branch.properties ?? branch.anyOf ?? branch.enum) ??
    schema.oneOf;
  if (branches?.length > 0 && schema.properties === undefined) return sample(pick(branches), depth + 1);
  switch ([schema.type].flat()[0]) {
    case "string":
      return textFor(schema);
    case "integer":
    case "number":
      return pick([schema.minimum ?? 0, 1, 2, 200, below(1000), Math.min(schema.maximum ?? 50, 50)]);
    case "boolean":
      return chance(0.5);
    case "null":
      return null;
    case "array":
      return Array.from({ length: below(4) }, () => sample(schema.items, depth + 1));
    case "object":
      return objectOf(schema, depth);
    default:
      return pick([...ODD, ...TEXTS, { $regex: "a|b" }, { a: { $oneOf: [1, { $not: 2 }] } }]);
  }
}

function objectOf({ properties = {}, required = [], additionalProperties }, depth) {
  const made = {};
  for (const [name, schema] of Object.entries(properties))
    if (chance(required.includes(name) ? 0.97 : 0.4)) made[name] = sample(schema, depth + 1);
  if (typeof additionalProperties === "object" && chance(0.5))
    made[pick(IDS)] = sample(additionalProperties, depth + 1);
  if (chance(0.02)) made[pick(["__proto__", "constructor", "odd", ""])] = pick(ODD);
  return made;
}

const scenario = () => ({
  thread: "9001",
  token: "acme-token",
  within: 5,
  steps: Array.from({ length: below(6) }, () => {
    const { key, short, long } = pick(STEPS);
    return { [key]: sample(short !== undefined && chance(0.5) ? short.schema : long) };
  }),
});

function bodyFor(id, schema) {
  if (id === "runScenario") return { scenario: scenario(), timeoutMs: 500 };
  const body = sample(schema);
  if (id === "wait" && typeof body === "object" && body !== null) {
    body.timeoutMs = below(20);
    for (const part of [body, body.for?.reply]) if (part?.within !== undefined) part.within = "20ms";
  }
  if (id === "addFault" && typeof body?.then === "object" && body.then !== null) {
    if (body.then.delayMs !== undefined) body.then.delayMs = below(20);
    body.times = 1 + below(3);
  }
  return body;
}

const filled = (path) =>
  path.replace(/:(\w+)/g, (_, name) =>
    name === "sandbox"
      ? pick(["default", "s1", "s2"])
      : name === "collection"
        ? pick(COLLECTIONS)
        : encodeURIComponent(pick(IDS)),
  );
const queryOf = (schema) => {
  const query = schema === undefined ? undefined : sample(schema);
  if (typeof query !== "object" || query === null) return "";
  return `?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value).replace(/[\ud800-\udfff]/g, "")]))}`;
};

/** Streams do not end; the default sandbox is not shut, and sinks that wait would only wait. */
const CONTROL = ROUTES.filter(({ id }) => id !== "stream");
function nextCall() {
  const isControl = chance(0.5);
  const endpoint = pick(isControl ? CONTROL : OPERATIONS);
  const path = isControl ? `/__sim${filled(pick(pathsOf(endpoint)))}` : filled(endpoint.path);
  const method =
    endpoint.method === "ANY"
      ? "POST"
      : chance(0.02)
        ? pick(["PUT", "DELETE", "HEAD", "OPTIONS"])
        : endpoint.method;
  let body = endpoint.body === undefined ? undefined : JSON.stringify(bodyFor(endpoint.id, endpoint.body));
  if (body !== undefined && chance(0.02)) body = body.slice(0, below(body.length));
  const token = chance(0.9) ? pick(["acme-token", "s1.acme-token"]) : pick(IDS);
  return {
    id: endpoint.id,
    method,
    path: path + queryOf(endpoint.query),
    headers: { token, "content-type": "application/json" },
    body,
  };
}

const child = spawn(
  process.execPath,
  [MAIN, "serve", "--port", "0", "--log-level", "error", "--log-format", "json"],
  {
    stdio: ["ignore", "pipe", "inherit"],
  },
);
const failures = new Map();
let ended;
const url = await new Promise((resolve, reject) => {
  let text = "";
  child.once("exit", (code, signal) => {
    ended = `the simulator ended with ${code ?? signal}`;
    reject(new Error(ended));
  });
  child.stdout.on("data", (chunk) => {
    text += chunk;
    const lines = text.split("\n");
    text = lines.pop();
    for (const line of lines) {
      const { level, url: address, err, msg } = JSON.parse(line);
      if (address !== undefined) resolve(address);
      if (level !== "error") continue;
      const trace = (err?.stack ?? "")
        .split("\n")
        .slice(0, 3)
        .join(" ")
        .replace(/(?:file:)?\/\S*\/dist/g, "");
      failures.set(`${msg}: ${trace}`, (failures.get(`${msg}: ${trace}`) ?? 0) + 1);
    }
  });
});
const residentMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024;
const agent = new Agent({ keepAlive: true, maxSockets: Number(options.connections) + 1 });

function send({ method, path, headers, body }, timeoutMs = 10_000) {
  return new Promise((resolve) => {
    const call = request(url + path, { method, headers, agent });
    const timer = setTimeout(() => resolve({ status: "no answer in 10 s" }) ?? call.destroy(), timeoutMs);
    const end = (answer) => resolve(answer) ?? clearTimeout(timer);
    call.on("error", () => end({ status: "closed" }));
    call.on("response", (response) => {
      let text = "";
      response.on("data", (chunk) => (text.length < 500 ? (text += chunk) : undefined));
      response.on("error", () => end({ status: "closed" }));
      response.on("close", () => end({ status: response.statusCode, text }));
    });
    call.end(body);
  });
}

const statuses = new Map();
const bugs = new Map();
/** Answers of 5xx by what they say: those of faults, sinks and stores that were ordered, and others. */
const refusals = new Map();
let sent = 0;
let slowest = 0;
let longest = { took: 0, call: undefined };
const until = performance.now() + Number(options.seconds) * 1000;
const goesOn = () => ended === undefined && sent < Number(options.requests) && performance.now() < until;

/** Puts both sandboxes back to where they began: what is armed and kept would refuse everything after a while. */
async function begin() {
  const post = (path, body) =>
    send({ method: "POST", path: `/__sim${path}`, headers: {}, body: JSON.stringify(body) });
  await post("/reset", {});
  await post("/sandboxes", { id: "s1" });
  await post("/sandboxes/s1/reset", {});
}

async function worker() {
  while (goesOn()) {
    const call = nextCall();
    sent += 1;
    if (sent % 500 === 0) await begin();
    const began = performance.now();
    const { status, text = "" } = await send(call);
    const took = performance.now() - began;
    if (took > longest.took && call.path.startsWith("/__sim")) longest = { took, call };
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const said = `${status} ${text.slice(0, 90)}`;
    if (status >= 500) refusals.set(said, (refusals.get(said) ?? 0) + 1);
    const isBug =
      text.includes("The simulator failed") || (typeof status === "string" && status !== "closed");
    if (isBug && !bugs.has(call.id)) bugs.set(call.id, { ...call, status, text });
  }
}
async function watchHealth() {
  while (goesOn()) {
    const began = performance.now();
    await send({ method: "GET", path: "/__sim/health", headers: {} }, 60_000);
    slowest = Math.max(slowest, performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

await begin();
const before = residentMb();
await Promise.all([...Array.from({ length: Number(options.connections) }, worker), watchHealth()]);
console.log(`${sent} calls, seed ${options.seed}`);
for (const [status, count] of [...statuses].sort()) console.log(`  ${String(status).padEnd(20)} ${count}`);
for (const [said, count] of refusals) console.log(`    ${String(count).padStart(6)} times ${said}`);
console.log(`longest look at /health: ${Math.round(slowest)} ms`);
console.log(
  `longest control call: ${Math.round(longest.took)} ms, ${JSON.stringify(longest.call).slice(0, 400)}`,
);
if (ended === undefined)
  console.log(`resident memory: ${Math.round(before)} MB before, ${Math.round(residentMb())} MB after`);
else console.log(ended);
for (const [failure, count] of failures) console.log(`FAILED ${count} times: ${failure}`);
for (const bug of bugs.values()) console.log(`BUG ${JSON.stringify(bug).slice(0, 1500)}`);
agent.destroy();
child.removeAllListeners("exit");
child.kill("SIGTERM");
process.exitCode = ended !== undefined || bugs.size > 0 || failures.size > 0 ? 1 : 0;
