/**
 * Malformed connections against a server in a process of its own, which must live, answer others meanwhile, and give back
 * sockets and memory. Prints what came back to each kind; exit code 1 when it did not hold.
 * Usage: node bench/fuzz-http.mjs [--seconds 60] [--connections 64] [--seed 1]
 */
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { KINDS } from "./fuzz-kinds.mjs";
import { LOAD_CORE, MAIN, pinLoad, report, start } from "./processes.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    connections: { type: "string", default: "64" },
    seed: { type: "string", default: "1" },
  },
});
const seconds = Number(values.seconds);

/** What a connection may take before it is cut off. */
const DEADLINE_MS = 2_000;
const PROBE_EVERY_MS = 200;
/** The worst that somebody else may wait meanwhile, behind hundreds of pipelined calls on each connection. */
const WAIT_BAR_MS = 2_000;
const HEAP_MB = 160;
/** How much more of the heap may be in use afterwards, and how much more memory the runtime may keep for itself, MB. */
const HEAP_BAR_MB = 20;
const MEMORY_BAR_MB = 100;
/** The connections that deliveries to the server's own sinks keep open, both ends. */
const KEPT_FILES = 8;

/** Collects all garbage at a signal: what is left after that is kept. */
const COLLECT = "data:text/javascript,process.on('SIGUSR2',()=>globalThis.gc())";

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

pinLoad();
const server = await start(MAIN, ["serve", "--port", "0", "--journal-limit", "200", "--log-level", "error"], {
  nodeArgs: [`--max-old-space-size=${HEAP_MB}`, "--expose-gc", "--import", COLLECT],
});
const { hostname, port } = new URL(server.url);
const life = { ended: false };
const isAlive = () => {
  try {
    process.kill(server.pid, 0);
    return true;
  } catch {
    life.ended = true;
    return false;
  }
};

const counts = new Map();
const count = (kind, outcome) => {
  const outcomes = counts.get(kind) ?? new Map();
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  counts.set(kind, outcomes);
};

/** Makes one connection of a kind and says what came of it: statuses in order, or how the connection ended. */
function attack({ write, hangUp = false, mute = false }, random) {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let text = "";
    let written = false;
    const end = (how) => {
      clearTimeout(timer);
      socket.destroy();
      const statuses = [...text.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, status]) => status);
      resolve(statuses.length === 0 ? how : [...new Set(statuses)].sort().join("+"));
    };
    const timer = setTimeout(() => end("cut off"), DEADLINE_MS);
    socket.on("error", () => end("reset"));
    socket.on("end", () => end("closed"));
    socket.on("close", () => end("closed"));
    // Who does not read leaves the server with its answers.
    if (!mute) socket.on("data", (data) => (text = (text + data.toString("latin1")).slice(-200_000)));
    const send = (chunk) => new Promise((sent) => socket.write(chunk, "latin1", () => sent()));
    socket.on("connect", async () => {
      await write(send, random, socket).catch(() => {});
      written = true;
      if (hangUp) end("hung up");
    });
    socket.on("data", () => written && /\r\n\r\n/.test(text) && setTimeout(() => end("closed"), 50));
  });
}

const openFiles = () => readdirSync(`/proc/${server.pid}/fd`).length;
const health = async () => {
  const began = performance.now();
  const answer = await fetch(`${server.url}/__sim/health`, { signal: AbortSignal.timeout(10_000) });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`health answers ${answer.status}`);
  return performance.now() - began;
};

await health();
await fetch(`${server.url}/graphql`, { method: "POST", body: "{}", headers: { token: "acme-token" } });
await fetch(`${server.url}/__sim/ui/`);
await sleep(1_000);
const heapMb = async () => {
  process.kill(server.pid, "SIGUSR2");
  const text = await (await fetch(`${server.url}/__sim/metrics`)).text();
  return Number(/^process_heap_bytes (\S+)/m.exec(text)[1]) / 1024 / 1024;
};
const before = { files: openFiles(), memory: server.residentMb(), heap: await heapMb() };
const failures = [];
const over = performance.now() + seconds * 1_000;
const running = () => performance.now() < over && !life.ended;

async function attacker(number) {
  const random = randomFrom(Number(values.seed) * 1_000 + number);
  while (running() && isAlive()) {
    const [name, kind] = KINDS[Math.floor(random() * KINDS.length)];
    count(name, await attack(kind, random));
  }
}

async function probe() {
  let worst = 0;
  while (running()) {
    try {
      worst = Math.max(worst, await health());
    } catch (error) {
      failures.push(`health: ${error.message}`);
      isAlive();
    }
    await sleep(PROBE_EVERY_MS);
  }
  return worst;
}

const attackers = Array.from({ length: Number(values.connections) }, (_, number) => attacker(number));
const [worst] = await Promise.all([probe(), ...attackers]);
console.log(
  `seed ${values.seed}, ${seconds} s, ${values.connections} connections at once, load on core ${LOAD_CORE}`,
);
let total = 0;
for (const [name, outcomes] of [...counts].sort()) {
  const sorted = [...outcomes].sort(([, a], [, b]) => b - a);
  for (const [outcome, times] of sorted) {
    total += times;
    // 503 is what is ordered beyond the bounds of load and memory.
    if (/5(?!03)\d\d/.test(outcome)) failures.push(`${name}: ${times} times ${outcome}`);
  }
  console.log(
    `${name.padEnd(28)} ${sorted
      .slice(0, 6)
      .map(([outcome, times]) => `${outcome} ×${times}`)
      .join(", ")}`,
  );
}
report("connections", total);
report("longest wait of somebody else, ms", worst.toFixed(0), `<= ${WAIT_BAR_MS}`);
if (worst > WAIT_BAR_MS) failures.push("somebody else waited too long");

if (isAlive()) {
  // Reading the heap collects what is garbage, so it comes first.
  const settled = async () =>
    (await heapMb()) <= before.heap + HEAP_BAR_MB &&
    server.residentMb() <= before.memory + MEMORY_BAR_MB &&
    openFiles() <= before.files + KEPT_FILES;
  await fetch(`${server.url}/__sim/reset`, { method: "POST" }).then((answer) => answer.arrayBuffer());
  for (let round = 0; round < 60 && !(await settled()); round += 1) await sleep(500);
  report("open files before and after", `${before.files} / ${openFiles()}`, `+ ${KEPT_FILES}`);
  report(
    "heap MB before and after",
    `${before.heap.toFixed(0)} / ${(await heapMb()).toFixed(0)}`,
    `+ ${HEAP_BAR_MB}`,
  );
  report(
    "resident MB before and after",
    `${before.memory.toFixed(0)} / ${server.residentMb().toFixed(0)}`,
    `+ ${MEMORY_BAR_MB}`,
  );
  if (!(await settled())) failures.push("sockets or memory did not come back");
  await server.stop();
} else failures.push("the process ended");
for (const failure of failures) console.log(`FAILED ${failure}`);
process.exitCode = failures.length === 0 ? 0 : 1;
