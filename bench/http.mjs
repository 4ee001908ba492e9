/**
 * Reads and writes per second and their CPU time against the bare server, in turn on the same core, their slowest hundredth,
 * and memory after each; and how both hold with much state. CPU time is the figure that other work on the machine disturbs least.
 * Usage: node bench/http.mjs [--rounds 5] [--seconds 2] [--big]
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bigFixture } from "./big-fixture.mjs";
import { load } from "./load.mjs";
import { BARE, MAIN, median, pinLoad, report, start } from "./processes.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    big: { type: "boolean", default: false },
  },
});
const seconds = Number(values.seconds);
const headers = { token: "acme-token", "Content-Type": "application/json" };
const READ = { method: "GET", path: "/api/get-customer-thread-details?customerThreadId=9001", headers };
const WRITE = {
  method: "POST",
  path: "/api/send-message-to-customer-thread",
  headers,
  body: JSON.stringify({ customerThreadId: "9001", text: "Hello, how can I help?" }),
};

/** A round of load, with the CPU time of the server per call. */
async function measured(server, request) {
  const before = server.cpuMs();
  const seen = await load({ url: server.url, ...request, seconds });
  return { ...seen, cpuUs: ((server.cpuMs() - before) * 1000) / seen.calls };
}

/** The bars are ratios: of the rate, the CPU time and the slowest hundredth. `warm` seconds of load come before the first round. */
async function compare(name, ours, other, request, { rate, cpu, p99, memory, warm = 1 }) {
  const rounds = [];
  for (const { url } of [ours, other]) await load({ url, ...request, seconds: warm });
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const a = await measured(ours, request);
    const b = await measured(other, request);
    if (Object.keys(a.statuses).join() !== "200") throw new Error(`${name}: ${JSON.stringify(a.statuses)}`);
    rounds.push({ a, b });
  }
  const ratio = (of) => median(rounds.map(({ a, b }) => of(a) / of(b)));
  const both = (of, digits) =>
    ["a", "b"].map((who) => median(rounds.map((round) => of(round[who]))).toFixed(digits)).join(" / ");
  report(name, ratio((seen) => seen.perSecond).toFixed(3), rate);
  report(
    "  per second, ours and the other's",
    both((seen) => seen.perSecond, 0),
  );
  report("  CPU time per call", ratio((seen) => seen.cpuUs).toFixed(2), cpu);
  report(
    "  µs, ours and the other's",
    both((seen) => seen.cpuUs, 1),
  );
  report("  slowest hundredth", ratio((seen) => seen.p99).toFixed(2), p99);
  report(
    "  ms, ours and the other's",
    both((seen) => seen.p99, 2),
  );
  reportMemory("at the end", ours, other);
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  reportMemory("when it is over", ours, other, memory);
}

/** A simulator gives back what a load has left behind three seconds after it. */
const QUIET_MS = 5_000;

function reportMemory(when, ours, other, bar) {
  const [mine, others] = [ours.residentMb(), other.residentMb()];
  report(`  resident memory ${when}`, (mine / others).toFixed(2), bar);
  report("  MB, ours and the other's", `${mine.toFixed(0)} / ${others.toFixed(0)}`);
}

/** Until the garbage of reading a file of 50 MB has been collected, which takes a second of its own. */
const LOADED = 8;

/** A fixture whose webhooks are gone: what is measured is the call, not its delivery. */
const folder = mkdtempSync(join(tmpdir(), "bench-"));
const fixtureOf = (threads, messages) => {
  const file = join(folder, `${threads}.json`);
  writeFileSync(file, JSON.stringify(bigFixture(threads, messages)));
  return file;
};

pinLoad();
const small = await start(MAIN, ["serve", "--port", "0", "--fixtures", fixtureOf(10, 100)]);
const bare = await start(BARE);
await compare("reads: thread details / bare node", small, bare, READ, {
  rate: ">= 0.70",
  cpu: "<= 1.3",
  p99: "<= 2.5",
  memory: "<= 2.5",
});
await compare("writes: send message / bare node", small, bare, WRITE, {
  rate: ">= 0.52",
  cpu: "<= 1.7",
  p99: "<= 2.5",
});
await bare.stop();
if (values.big) {
  const big = await start(MAIN, ["serve", "--port", "0", "--fixtures", fixtureOf(40_000, 400_000)]);
  const bars = { rate: ">= 0.90", warm: LOADED };
  await compare("reads: 40,000 threads, 400,000 messages / 10, 100", big, small, READ, bars);
  await compare("writes: 40,000 threads, 400,000 messages / 10, 100", big, small, WRITE, bars);
  await big.stop();
}
await small.stop();
