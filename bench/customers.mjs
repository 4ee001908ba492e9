/**
 * 10,000 customers alive and 2,000 messages a second, theirs and the bot's, by `messaging-sim load`: simulator and generator in
 * one process on one core, the bot on the other. The load's own latencies, which count from when a message was due, are compared
 * with those that the bot logs; a second time at half of the rate.
 * Usage: node bench/customers.mjs [--customers N] [--perSecond N] [--seconds N] [--delay MS]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { LOAD_CORE, MAIN, report, SERVER_CORE } from "./processes.mjs";

const RAMP_ROUNDS = 4;

const { values } = parseArgs({
  options: {
    customers: { type: "string", default: "10000" },
    perSecond: { type: "string", default: "1050" },
    seconds: { type: "string", default: "90" },
    delay: { type: "string", default: "200" },
  },
});
const seconds = Number(values.seconds);
const delay = Number(values.delay);
const bot = fileURLToPath(new URL("customers-bot.mjs", import.meta.url));
/** As the page about loads says it for Node 20 and 22. */
const NODE_OPTIONS = ["--max-semi-space-size=64"];

/** Plays so many customers who write so often together; reports what came of it. */
async function play(customers, perSecond) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const scenario = join(folder, "customers.yaml");
  const json = join(folder, "load.json");
  const times = join(folder, "bot.json");
  // So long each customer thinks that all of them together write as often as they should.
  const thinkMs = Math.max(1, Math.round((1000 * customers) / perSecond - delay));
  writeFileSync(
    scenario,
    `thread: "9001"
within: 10s
steps:
  - repeat:
      times: 10
      steps:
        - customer: "order \${thread} \${round}"
        - reply: "order \${thread} \${round}"
        - wait: ${thinkMs}ms
`,
  );
  // They come over whole rounds, so that they write evenly: those who begin together write together to the end.
  const rampMs = RAMP_ROUNDS * (thinkMs + delay);
  const child = spawn(
    "taskset",
    [
      ...["-c", SERVER_CORE, process.execPath, ...NODE_OPTIONS, MAIN, "load", scenario],
      ...["--customers", String(customers), "--for", `${seconds}s`, "--ramp", `${rampMs}ms`, "--out", json],
      ...["--exec", `exec taskset -c ${LOAD_CORE} ${process.execPath} ${bot} ${delay} ${times} ${thinkMs}`],
    ],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  let peakMb = 0;
  const memory = [];
  const cpu = [];
  const look = setInterval(() => {
    try {
      const [, kb = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
      const [user, system] = readFileSync(`/proc/${child.pid}/stat`, "utf8")
        .split(") ")[1]
        .split(" ")
        .slice(11, 13);
      // In hundredths of a second.
      cpu.push({ at: performance.now(), ms: 10 * (Number(user) + Number(system)) });
      memory.push(Number(kb) / 1024);
      peakMb = Math.max(peakMb, Number(kb) / 1024);
    } catch {
      // It has ended.
    }
  }, 1000);
  await new Promise((resolve) => child.once("exit", resolve));
  clearInterval(look);

  const seen = JSON.parse(readFileSync(json, "utf8"));
  const logged = JSON.parse(readFileSync(times, "utf8"));
  const steady = seen.timeline.filter(({ s }) => s * 1000 > rampMs + 2000 && s < seconds - 1);
  const rate =
    steady.reduce((sum, { messages }) => sum + messages, 0) /
    steady.reduce((sum, { length }) => sum + length, 0);
  const half = cpu.slice(Math.floor(cpu.length / 2));
  const busy = (half.at(-1).ms - half[0].ms) / (half.at(-1).at - half[0].at);
  const middle = memory.slice(Math.floor(memory.length / 2));
  report("messages a second of customers that were asked for", perSecond);
  report("customers at once", seen.conversations.peak, `>= ${customers}`);
  report("messages a second of customers, after the ramp", rate.toFixed(0));
  report(
    "messages a second, the bot's replies counted too",
    (2 * rate).toFixed(0),
    perSecond < 1000 ? undefined : ">= 2000",
  );
  report("share of a core that it took, second half", busy.toFixed(2), "<= 1");
  report("failed conversations", seen.conversations.failed, "0");
  report("resident at most, MB", peakMb.toFixed(0), "<= 1500");
  report(
    "resident, second half: least and most, MB",
    `${Math.min(...middle).toFixed(0)} ${Math.max(...middle).toFixed(0)}`,
  );
  report("event loop lag p50 p99, ms", `${seen.lag.generator.p50} ${seen.lag.generator.p99}`);
  report("due to taken by the simulator p50 p99, ms", `${seen.sending.p50} ${seen.sending.p99}`);
  for (const name of ["p50", "p99"]) {
    const ratio = seen.latency[name] / logged[name];
    report(
      `reply latency ${name}, ms, by load / by the bot`,
      `${seen.latency[name]} / ${logged[name]} = ${ratio.toFixed(3)}`,
      "0.95 to 1.05",
    );
  }
  rmSync(folder, { recursive: true });
}

await play(Number(values.customers), Number(values.perSecond));
await play(Number(values.customers) / 2, Number(values.perSecond) / 2);
