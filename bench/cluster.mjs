/**
 * Many processes on one server of `--data`: processes that are killed or stand still for longer than their lease, under load;
 * and what the server costs: writes of one process with and without it, the time to open a sandbox, the memory of many.
 * Usage: node bench/cluster.mjs [--rounds 100] [--sandboxes 500] [--many 20000] [--open 2000] [--seconds 3] [--only kill|cost|many]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findRedis } from "../scripts/ensure-redis.mjs";
import { load } from "./load.mjs";
import { MAIN, median, report, start } from "./processes.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "100" },
    sandboxes: { type: "string", default: "500" },
    many: { type: "string", default: "20000" },
    open: { type: "string", default: "2000" },
    seconds: { type: "string", default: "3" },
    only: { type: "string" },
  },
});
const isWanted = (part) => values.only === undefined || values.only === part;
const LEASE_MS = 10_000;

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const folder = mkdtempSync(join(tmpdir(), "messaging-sim-cluster-"));
const port = await freePort();
const server = spawn(
  findRedis(),
  `--port ${port} --bind 127.0.0.1 --dir ${folder} --save --appendonly yes --appendfsync everysec`.split(" "),
  { stdio: "ignore" },
);
const data = `redis://127.0.0.1:${port}/0`;
const open = (...words) =>
  start(MAIN, ["serve", "--port", "0", "--data", data, "--log-level", "error", ...words], { core: "0,1" });
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

/** An answer, or status 0 where there is none; 421 is followed once, as clients do. */
async function call(url, method, path, { body, token, again = true } = {}) {
  const answer = await new Promise((resolve) => {
    const headers = { "content-type": "application/json", ...(token && { token }) };
    const request = http.request(url + path, { method, agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
      response.on("error", () => resolve({ status: 0, text: "" }));
    });
    request.on("error", () => resolve({ status: 0, text: "" }));
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
  return answer.status === 421 && again ? call(url, method, path, { body, token, again: false }) : answer;
}
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function inParallel(items, width, work) {
  const left = [...items];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
    }),
  );
}

/** Every sandbox has its process; where that is gone, the next one takes its place, as behind a proxy. */
async function killing() {
  const ids = Array.from({ length: Number(values.sandboxes) }, (_, n) => `k${n}`);
  let processes = await Promise.all([1, 2, 3].map(() => open("--durability", "strict")));
  const up = new Set(processes);
  const processOf = (n) => {
    const home = processes[n % 3];
    return up.has(home) ? home : processes.find((one) => up.has(one));
  };
  await inParallel([...ids.entries()], 16, ([n, id]) =>
    call(processOf(n).url, "PUT", `/__sim/sandboxes/${id}`, {
      body: n % 2 === 0 ? { clock: "2026-05-05T10:00:00Z" } : {},
    }),
  );
  const told = new Map(ids.map((id) => [id, []]));
  let [acknowledged, slowest, refused] = [0, 0, 0];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    let isOver = false;
    const victim = processes[round % 3];
    const stops = round % 4 === 3;
    const work = Array.from({ length: 16 }, async (_, worker) => {
      for (let n = worker; !isOver; n += 16) {
        const at = n % ids.length;
        const text = `${round}.${worker}.${n}`;
        const { status } = await call(processOf(at).url, "POST", "/api/send-message-to-customer-thread", {
          body: { customerThreadId: "9001", text },
          token: `${ids[at]}.acme-token`,
        });
        if (status === 200) told.get(ids[at]).push(text);
        else refused += 1;
      }
    });
    await pause(200 + Math.random() * 500);
    up.delete(victim);
    process.kill(victim.pid, stops ? "SIGSTOP" : "SIGKILL");
    const died = performance.now();
    await pause(200);
    isOver = true;
    await Promise.race([Promise.all(work), pause(3_000)]);
    // Every sandbox of the one that is gone answers again within the lease and one call.
    await inParallel(
      [...ids.entries()].filter(([n]) => processes[n % 3] === victim),
      16,
      async ([n, id]) => {
        while ((await call(processOf(n).url, "GET", `/__sim/sandboxes/${id}/clock`)).status !== 200)
          await pause(50);
      },
    );
    slowest = Math.max(slowest, performance.now() - died);
    if (stops) {
      process.kill(victim.pid, "SIGCONT");
      up.add(victim);
    } else {
      const fresh = await open("--durability", "strict");
      processes = processes.map((one) => (one === victim ? fresh : one));
      up.add(fresh);
    }
    await Promise.all(work);
    if ((round + 1) % 10 === 0) console.log(`round ${round + 1}: slowest ${(slowest / 1000).toFixed(1)} s`);
  }
  let [lost, doubled] = [0, 0];
  await inParallel([...ids.entries()], 8, async ([n, id]) => {
    const { text } = await call(processOf(n).url, "GET", `/__sim/sandboxes/${id}/state`);
    const messages = JSON.parse(text).messages.map((message) => message.text);
    const there = new Set(messages);
    acknowledged += told.get(id).length;
    lost += told.get(id).filter((one) => !there.has(one)).length;
    doubled += told.get(id).filter((one) => messages.indexOf(one) !== messages.lastIndexOf(one)).length;
  });
  for (const one of up) await one.stop();
  report("strict: acknowledged, lost", `${acknowledged} / ${lost}`, "none");
  report("  doubled", doubled, "0");
  report("  calls that were refused meanwhile", refused, "some");
  report(
    "  a sandbox answers again after at most, s",
    (slowest / 1000).toFixed(1),
    `<= ${LEASE_MS / 1000} and one call`,
  );
}

/** Writes of one process, in turn with what keeps them and without. */
async function cost() {
  const target = {
    method: "POST",
    path: "/api/send-message-to-customer-thread",
    headers: { token: "acme-token", "Content-Type": "application/json" },
    body: JSON.stringify({ customerThreadId: "9001", text: "Hello, how can I help?" }),
  };
  const read = {
    method: "GET",
    path: "/api/get-customer-thread-details?customerThreadId=9001",
    headers: { token: "acme-token" },
  };
  const memory = await start(MAIN, ["serve", "--port", "0", "--log-level", "error"]);
  const kept = {
    batched: await start(MAIN, ["serve", "--port", "0", "--data", data, "--log-level", "error"]),
    strict: await start(MAIN, [
      "serve",
      "--port",
      "0",
      "--data",
      `${data.slice(0, -1)}1`,
      "--durability",
      "strict",
      "--log-level",
      "error",
    ]),
  };
  const rateOf = async ({ url }, request) => {
    const { perSecond, statuses } = await load({ url, seconds: Number(values.seconds), ...request });
    if (Object.keys(statuses).join() !== "200") throw new Error(JSON.stringify(statuses));
    return perSecond;
  };
  for (const [name, one] of Object.entries(kept)) {
    for (const [what, call] of [
      ["writes", target],
      ["reads", read],
    ]) {
      const shares = [];
      for (let round = 0; round < 5; round += 1)
        shares.push((await rateOf(one, call)) / (await rateOf(memory, call)));
      report(
        `${name}: ${what} with the store over those without`,
        median(shares).toFixed(2),
        what === "writes" && name === "batched" ? ">= 0.6" : "",
      );
    }
  }
  for (const one of [memory, ...Object.values(kept)]) await one.stop();
}

/** Many sandboxes in the store, and some of them open. */
async function many() {
  const maker = await open();
  const ids = Array.from({ length: Number(values.many) }, (_, n) => `m${n}`);
  await inParallel(ids, 32, (id) => call(maker.url, "POST", "/__sim/sandboxes", { body: { id } }));
  await maker.stop();
  const one = await open();
  const before = one.residentMb();
  const times = [];
  await inParallel(ids.slice(0, Number(values.open)), 1, async (id) => {
    const began = performance.now();
    await call(one.url, "GET", `/__sim/sandboxes/${id}/clock`);
    times.push(performance.now() - began);
  });
  times.sort((a, b) => a - b);
  report(
    `of ${ids.length} sandboxes ${times.length} opened: p50, p99, ms`,
    `${times[times.length >> 1].toFixed(1)} / ${times[Math.floor(times.length * 0.99)].toFixed(1)}`,
    "",
  );
  report(
    "  memory of the process, MB: before, then",
    `${before.toFixed(0)} / ${one.residentMb().toFixed(0)}`,
    "",
  );
  await one.stop();
}

try {
  if (isWanted("cost")) await cost();
  if (isWanted("many")) await many();
  if (isWanted("kill")) await killing();
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
