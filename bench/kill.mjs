/**
 * Kills the simulator at random moments under load and starts it again on the same folder, in both modes of durability:
 * how many acknowledged messages are gone, and how long before the end the oldest of them was acknowledged.
 * Usage: node bench/kill.mjs [--rounds 200] [--workers 8] [--folder DIR]
 */
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MAIN, report, start } from "./processes.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    workers: { type: "string", default: "8" },
    folder: { type: "string", default: tmpdir() },
  },
});
const HEADERS = { token: "acme-token", "content-type": "application/json" };

function call(url, agent, method, path, body) {
  return new Promise((resolve) => {
    const request = http.request(url + path, { method, agent, headers: HEADERS }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
      response.on("error", () => resolve({ status: 0, text: "" }));
    });
    request.on("error", () => resolve({ status: 0, text: "" }));
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function rounds(durability) {
  const folder = mkdtempSync(join(values.folder, "messaging-sim-kill-"));
  const open = () =>
    start(MAIN, [
      "serve",
      "--port",
      "0",
      "--data",
      folder,
      "--durability",
      durability,
      "--log-level",
      "error",
    ]);
  let [acknowledged, lost, windowMs, failed] = [0, 0, 0, 0];
  let simulator = await open();
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
    const told = new Map();
    let isOver = false;
    const work = Array.from({ length: Number(values.workers) }, async (_, worker) => {
      for (let n = 0; !isOver; n += 1) {
        const text = `${round}.${worker}.${n}`;
        const { status } = await call(simulator.url, agent, "POST", "/api/send-message-to-customer-thread", {
          customerThreadId: "9001",
          text,
        });
        if (status === 200) told.set(text, performance.now());
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 30 + Math.random() * 300));
    process.kill(simulator.pid, "SIGKILL");
    const last = Math.max(...told.values());
    isOver = true;
    await Promise.all(work);
    agent.destroy();
    await simulator.stop().catch(() => {});
    simulator = await open();
    const plain = new http.Agent();
    const { text } = await call(simulator.url, plain, "GET", "/__sim/state");
    const there = new Set(JSON.parse(text).messages.map((message) => message.text));
    acknowledged += told.size;
    for (const [said, at] of told) {
      if (there.has(said)) continue;
      lost += 1;
      windowMs = Math.max(windowMs, last - at);
    }
    const again = await call(simulator.url, plain, "POST", "/__sim/reset");
    if (again.status !== 200) failed += 1;
  }
  await simulator.stop();
  rmSync(folder, { recursive: true, force: true });
  report(
    `${durability}: acknowledged, lost`,
    `${acknowledged} / ${lost}`,
    durability === "strict" ? "none" : "some",
  );
  report("  the oldest lost was acknowledged so long before the newest, ms", windowMs.toFixed(1), "<= 150");
  report("  starts or resets that failed", failed, "0");
}

await rounds("batched");
await rounds("strict");
