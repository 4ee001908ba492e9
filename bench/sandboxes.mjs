/**
 * What a sandbox costs: making one, its memory, its reset, 2,000 at once, and restoring a snapshot of 100,000 messages.
 * Usage: node --expose-gc bench/sandboxes.mjs
 */
import { createSimulator } from "../dist/library/index.js";
import { bigFixture } from "./big-fixture.mjs";
import { median, report } from "./processes.mjs";

const timed = (run) => {
  const began = performance.now();
  run();
  return performance.now() - began;
};
const heap = () => {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};
const call = async (url, method, path, body) => {
  const response = await fetch(`${url}/__sim${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

const COUNT = 2000;
const fixture = bigFixture(100, 300);
const simulator = await createSimulator({ fixtures: fixture });
const make = async (id, body = {}) => {
  const began = performance.now();
  await call(simulator.url, "POST", "/sandboxes", { id, ...body });
  return performance.now() - began;
};
for (let n = 0; n < 50; n += 1) await make(`warm-${n}`);
const bare = [];
for (let n = 0; n < 200; n += 1) {
  const began = performance.now();
  await call(simulator.url, "GET", "/health");
  bare.push(performance.now() - began);
}
const before = heap();
const times = [];
for (let n = 0; n < COUNT; n += 1) times.push(await make(`box-${n}`));
const after = heap();
report(
  "making a sandbox of 100 threads, ms inside the server",
  (median(times) - median(bare)).toFixed(3),
  "<= 1",
);
report(
  "  of the first 200 / of the last 200",
  (median(times.slice(0, 200)) / median(times.slice(-200))).toFixed(2),
  "about 1",
);
report(
  "  with the fixture in the call, ms",
  (
    median(await Promise.all([0, 1, 2, 3, 4].map((n) => make(`own-${n}`, { fixtures: fixture })))) -
    median(bare)
  ).toFixed(3),
);
report("memory of one, kB", ((after - before) / COUNT / 1024).toFixed(1), "<= 50");
report("alive at once", simulator.registry.size, ">= 2000");

const resets = [];
for (let n = 0; n < 200; n += 1) {
  const sandbox = simulator.registry.get(`box-${n}`);
  await call(simulator.url, "POST", `/sandboxes/box-${n}/threads/9001/inbound`, { text: "Hi" });
  resets.push(timed(() => sandbox.reset()));
}
report("resetting one, ms", median(resets).toFixed(3), "<= 0.5");
await simulator.close();

const big = await createSimulator({ fixtures: bigFixture(10_000, 100_000) });
await call(big.url, "POST", "/snapshots", { name: "start" });
const restores = [];
for (let n = 0; n < 50; n += 1) {
  await call(big.url, "POST", "/threads/9001/inbound", { text: "Hi" });
  const began = performance.now();
  await call(big.url, "POST", "/snapshots/start/restore");
  restores.push(performance.now() - began);
}
report("restoring 100,000 messages, ms with the HTTP call", median(restores).toFixed(2), "< 5");
await big.close();
