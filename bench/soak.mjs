/**
 * A mixed load for some minutes: reads, writes, webhooks to a receiver and to sinks, control calls, sandboxes made and
 * deleted, streams, clients that go away. Samples resident memory, descriptors and what the metrics tell, and says
 * whether they stay: memory flat within 10 % after two minutes, no 5xx but ordered ones, nothing left at the end.
 * Usage: node bench/soak.mjs [--minutes 20] [--workers 8]
 */
import { readdirSync } from "node:fs";
import http from "node:http";
import { parseArgs } from "node:util";
import { MAIN, pinLoad, report, start } from "./processes.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "20" },
    workers: { type: "string", default: "8" },
  },
});
const MINUTES = Number(values.minutes);
const SAMPLE_MS = 5_000;
const SETTLED_S = 120;
const HEADERS = { token: "acme-token", "content-type": "application/json" };

pinLoad();
const receiver = await start(new URL("receiver.mjs", import.meta.url).pathname, [], { core: "1" });
const simulator = await start(MAIN, ["serve", "--port", "0", "--log-level", "error"]);
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
const statuses = new Map();
const unexpected = [];

/** Makes a call; `ordered` are the 5xx statuses that a fault orders. */
function call(line, body, { ordered = [], token = "acme-token", abortMs } = {}) {
  const [method, path] = line.split(" ");
  return new Promise((resolve) => {
    const request = http.request(simulator.url + path, { method, agent, headers: { ...HEADERS, token } });
    const end = (status, text) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500 && !ordered.includes(status))
        unexpected.push(`${line}: ${status} ${text.slice(0, 200)}`);
      resolve({ status, text });
    };
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("close", () => end(response.statusCode, text));
    });
    request.on("error", () => end(0, ""));
    if (abortMs !== undefined) setTimeout(() => request.destroy(), abortMs);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const HOOK = { subscribedEvents: ["messages", "transfers"], enabled: true };
const READ = "GET /api/get-customer-thread-details?customerThreadId=9001";
const WRITE = "POST /api/send-message-to-customer-thread";
const say = (text) => ({ customerThreadId: "9001", text });
const LARGE = `${"words and more words ".repeat(400)}`;
const ITEMS = Array.from({ length: 10_000 }, () => ({}));
let made = 0;

/** Webhooks to a receiver and to a sink, and a snapshot of them. */
async function setUp() {
  await call("POST /api/webhooks", { ...HOOK, hookId: "out", url: `${receiver.url}/hook` });
  await call("POST /api/webhooks", { ...HOOK, hookId: "sink", url: `${simulator.url}/__sim/sinks/hooks` });
  await call("POST /__sim/snapshots", { name: "soak" });
}

/** How many sandboxes come and go between two resets: without them the world would grow until it is refused. */
const RESET_EVERY = 50;

/** What a worker does, one thing after the other. */
const STEPS = [
  () => call(READ),
  () => call(READ),
  () => call(WRITE, say("Hello")),
  () => call(WRITE, say(LARGE)),
  () => call("POST /api/update-thread-status", { customerThreadId: "9001", status: "resolved" }),
  () => call("POST /api/webhooks", ITEMS),
  () => call("POST /__sim/sinks/soak", ITEMS),
  () => call("POST /__sim/threads/9001/inbound", { text: "Is anybody there?" }),
  () => call("GET /__sim/requests?limit=50"),
  () => call("GET /__sim/deliveries?limit=50"),
  () => call("GET /__sim/data/threads"),
  () => call("POST /__sim/verify", { requests: { path: "/api/webhooks/" }, count: { min: 0 } }),
  () => call("POST /__sim/wait", { for: { requests: { path: "/never" } }, timeoutMs: 50 }),
  () => call("POST /__sim/snapshots", { name: "soak" }),
  () => call("POST /__sim/snapshots/soak/restore"),
  () => call("GET /__sim/stream", undefined, { abortMs: 30 }),
  () => call("POST /__sim/wait", { for: { requests: { path: "/never" } } }, { abortMs: 10 }),
  async () => {
    const id = `soak-${(made += 1)}`;
    if (made % RESET_EVERY === 0) {
      await call("POST /__sim/reset");
      await setUp();
    }
    await call("POST /__sim/sandboxes", { id, ids: "apart" });
    const token = `${id}.acme-token`;
    await call(`POST /__sim/sandboxes/${id}/faults`, {
      on: "request",
      match: { path: "/api/update-thread-status" },
      then: { status: 502 },
      times: 1,
    });
    await call(WRITE, say("in a sandbox"), { token });
    await call(
      "POST /api/update-thread-status",
      { customerThreadId: "9001", status: "replied" },
      { token, ordered: [502] },
    );
    await call(`POST /__sim/sandboxes/${id}/reset`);
    await call(WRITE, say("after a reset"), { token });
    await call(`DELETE /__sim/sandboxes/${id}`);
  },
];

const metrics = async () => {
  const { text } = await call("GET /__sim/metrics");
  return (name) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
};
const descriptors = () => readdirSync(`/proc/${simulator.pid}/fd`).length;

async function sample() {
  const of = await metrics();
  return {
    residentMb: simulator.residentMb(),
    descriptors: descriptors(),
    pending: of("messaging_sim_deliveries_pending"),
    heapMb: of("process_heap_bytes") / 1024 ** 2,
    sandboxes: of("messaging_sim_sandboxes"),
    failures: of("messaging_sim_failures_total"),
  };
}

await setUp();
for (let n = 0; n < 20; n += 1) await call(WRITE, say("warm"));
await call("POST /__sim/wait", { for: "idle" });
const before = await sample();

const began = performance.now();
const seconds = () => (performance.now() - began) / 1000;
const isOver = () => seconds() >= MINUTES * 60;
const samples = [];
const sampler = (async () => {
  while (!isOver()) {
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    const taken = { at: Math.round(seconds()), ...(await sample()) };
    samples.push(taken);
    if (samples.length % 6 === 0) console.log(JSON.stringify(taken));
  }
})();
await Promise.all(
  Array.from({ length: Number(values.workers) }, async (_, worker) => {
    for (let step = worker; !isOver(); step += 1) await STEPS[step % STEPS.length]();
  }),
);
await sampler;
await call("POST /__sim/wait", { for: "idle", timeoutMs: 30_000 });
await call("POST /__sim/reset");
agent.destroy();
// Until the server closes the connections that nobody uses any more.
await new Promise((resolve) => setTimeout(resolve, 80_000));
const after = await sample();

const settled = samples.filter(({ at }) => at >= SETTLED_S).map(({ residentMb }) => residentMb);
const third = Math.max(1, Math.floor(settled.length / 3));
const mean = (list) => list.reduce((sum, each) => sum + each, 0) / list.length;
const [early, late] = [mean(settled.slice(0, third)), mean(settled.slice(-third))];
const calls = [...statuses.values()].reduce((sum, count) => sum + count, 0);
report("calls, and their statuses", calls);
console.log(JSON.stringify(Object.fromEntries([...statuses].sort())));
report("5xx that nobody ordered", unexpected.length, "0");
for (const line of unexpected.slice(0, 10)) console.log(`  ${line}`);
report("resident MB after two minutes, first and last third", `${early.toFixed(0)} / ${late.toFixed(0)}`);
report("  growth", `${((late / early - 1) * 100).toFixed(1)} %`, "<= 10 %");
report(
  "resident MB before and when it is over",
  `${before.residentMb.toFixed(0)} / ${after.residentMb.toFixed(0)}`,
);
report("failures inside", after.failures, "0");
for (const name of ["descriptors", "pending", "sandboxes"])
  report(`${name} before and after`, `${before[name]} / ${after[name]}`, "no more");
await simulator.stop();
await receiver.stop();
