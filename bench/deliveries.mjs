/** Deliveries per second to 16 webhooks on one receiver, against bare undici with 16 connections. Usage: node bench/deliveries.mjs */

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bigFixture } from "./big-fixture.mjs";
import { LOAD_CORE, MAIN, median, pinLoad, report, start } from "./processes.mjs";

const HOOKS = 16;
const EVENTS = 600;
const file = (name) => fileURLToPath(new URL(name, import.meta.url));

pinLoad();
const receiver = await start(file("receiver.mjs"), [], { core: LOAD_CORE });
const webhooks = Array.from({ length: HOOKS }, (_, index) => ({
  id: String(index + 1),
  organizationId: "200",
  url: `${receiver.url}/hook`,
  subscribedEvents: ["messages"],
}));
const fixture = join(mkdtempSync(join(tmpdir(), "bench-")), "fixture.json");
writeFileSync(fixture, JSON.stringify({ ...bigFixture(10, 10), webhooks }));
const simulator = await start(MAIN, [
  "serve",
  "--port",
  "0",
  "--fixtures",
  fixture,
  "--journal-limit",
  "100000",
]);
const control = async (method, path, body) => {
  const response = await fetch(`${simulator.url}/__sim${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
};

/** The time from the first delivery's attempt to the last one's, as the simulator saw it. */
async function ours() {
  await control("POST", "/reset");
  await control("PUT", "/sinks/none", {});
  const began = performance.now();
  for (let sent = 0; sent < EVENTS; sent += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        control("POST", "/threads/9001/inbound", { text: `Message ${sent + n}` }),
      ),
    );
  }
  await control("POST", "/wait", { for: "idle", timeoutMs: 60_000 });
  return (EVENTS * HOOKS) / ((performance.now() - began) / 1000);
}

await control("POST", "/threads/9001/inbound", { text: "Message 100" });
await control("POST", "/wait", { for: "idle" });
const body = JSON.stringify((await control("GET", "/deliveries?limit=1"))[0].body);

async function bare() {
  const sender = await start(file("bare-sender.mjs"), [`${receiver.url}/hook`, String(EVENTS * HOOKS), body]);
  return (EVENTS * HOOKS) / Number(sender.url);
}

const ratios = [];
const figures = [];
await ours();
for (let round = 0; round < 5; round += 1) {
  const [a, b] = [await ours(), await bare()];
  ratios.push(a / b);
  figures.push([a, b]);
}
report("deliveries / bare undici", median(ratios).toFixed(3), ">= 0.60");
report(
  "  per second, ours and the other's",
  `${median(figures.map(([a]) => a)).toFixed(0)} / ${median(figures.map(([, b]) => b)).toFixed(0)}`,
);
await Promise.all([simulator.stop(), receiver.stop()]);
