/**
 * Stops a simulator at random moments under load (SIGSTOP), lets another process take its folder over, lets the first go on
 * (SIGCONT) while both have load, and reads the folder with a third: acknowledged messages that are gone, and ids given twice.
 * With `batched` the last 100 ms before the stop do not count, as with a kill.
 * Usage: node bench/takeover.mjs [--rounds 30] [--workers 8] [--folder DIR] [--watched: the second process waits for a sign of life]
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MAIN, report, start } from "./processes.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "30" },
    workers: { type: "string", default: "8" },
    folder: { type: "string", default: tmpdir() },
    watched: { type: "boolean", default: false },
  },
});
const HEADERS = { token: "acme-token", "content-type": "application/json" };
/** What `batched` may lose. */
const WINDOW_MS = 100;
/** What a process has sent before it was stopped arrives so soon; nobody takes its folder over before. */
const ARRIVED_MS = 50;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function call(url, agent, method, path, body) {
  return new Promise((resolve) => {
    const none = { status: 0, text: "" };
    const request = http.request(
      url + path,
      { method, agent, headers: HEADERS, timeout: 15_000 },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode, text }));
        response.on("error", () => resolve(none));
      },
    );
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(none));
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Says texts to a process until `isOver`, and keeps when each was acknowledged and under which id. */
function loadOf({ url }, name) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const load = { told: new Map(), isOver: false, statuses: {} };
  const work = Array.from({ length: Number(values.workers) }, async (_, worker) => {
    for (let n = 0; !load.isOver; n += 1) {
      const text = `${name}.${worker}.${n}`;
      const { status, text: body } = await call(url, agent, "POST", "/api/send-message-to-customer-thread", {
        customerThreadId: "9001",
        text,
      });
      load.statuses[status] = (load.statuses[status] ?? 0) + 1;
      if (status === 200) load.told.set(text, { at: performance.now(), body });
      else await pause(5);
    }
  });
  load.end = async () => {
    load.isOver = true;
    agent.destroy();
    await Promise.all(work);
  };
  return load;
}

async function rounds(durability) {
  const totals = { acknowledged: 0, lost: 0, lostAfter: 0, twice: 0, refused: 0, failed: 0 };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const folder = mkdtempSync(join(values.folder, "messaging-sim-takeover-"));
    const words = [
      "serve",
      "--port",
      "0",
      "--data",
      folder,
      "--durability",
      durability,
      "--log-level",
      "silent",
    ];
    const lock = join(folder, "lock");
    const first = await start(MAIN, words);
    const before = loadOf(first, `a${round}`);
    await pause(100 + Math.random() * 300);
    process.kill(first.pid, "SIGSTOP");
    const stoppedAt = performance.now();
    // Starting a process blocks this one, which would read late what arrived before.
    await pause(ARRIVED_MS / 2);
    // The holder looks like one of another container, or like one that has ended.
    const other = values.watched ? { pidNamespace: "pid:[1]" } : { startTime: "0" };
    writeFileSync(lock, JSON.stringify({ ...JSON.parse(readFileSync(lock, "utf8")), ...other }));
    const second = await start(MAIN, words);
    const after = loadOf(second, `b${round}`);
    await pause(50 + Math.random() * 100);
    process.kill(first.pid, "SIGCONT");
    await pause(400);
    totals.refused += before.statuses[503] ?? 0;
    await Promise.all([before.end(), after.end()]);
    process.kill(second.pid, "SIGKILL");
    process.kill(first.pid, "SIGKILL");
    const third = await start(MAIN, words).catch(() => undefined);
    if (third === undefined) totals.failed += 1;
    else {
      const { text } = await call(third.url, new http.Agent(), "GET", "/__sim/state");
      const there = new Map(JSON.parse(text).messages.map((message) => [message.text, message.id]));
      const last = Math.max(...[...after.told.values()].map(({ at }) => at));
      for (const [said, { at }] of [...before.told, ...after.told]) {
        totals.acknowledged += 1;
        if (there.has(said)) continue;
        const end = said.startsWith("a") ? stoppedAt : last;
        if (durability === "batched" && at > end - WINDOW_MS && at < end + ARRIVED_MS) continue;
        totals.lost += 1;
        if (said.startsWith("a") && at >= stoppedAt + ARRIVED_MS) totals.lostAfter += 1;
      }
      totals.twice += there.size - new Set(there.values()).size;
      await third.stop();
    }
    rmSync(folder, { recursive: true, force: true });
  }
  report(`${durability}: acknowledged, lost`, `${totals.acknowledged} / ${totals.lost}`, "none lost");
  report("  of these acknowledged by the first after it was stopped", totals.lostAfter, "0");
  report("  ids of two messages", totals.twice, "0");
  report("  calls that the first refused afterwards", totals.refused);
  report("  starts that failed", totals.failed, "0");
}

await rounds("batched");
await rounds("strict");
