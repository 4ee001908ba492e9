/** Scenarios: 1,000 steps over virtual days, one step from process start to exit, and files side by side. Usage: node bench/scenarios.mjs */
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAIN, median, report } from "./processes.mjs";

const folder = mkdtempSync(join(tmpdir(), "bench-"));
const scenario = (name, text) => {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, text);
  return file;
};
const timed = (args, rounds = 5) => {
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${args.join(" ")}: ${status}\n${stdout}${stderr}`);
    times.push(performance.now() - began);
  }
  return median(times);
};

const head = 'token: acme-token\nthread: "9001"\nclock: 2026-01-01T09:00:00Z\n';
const long = scenario(
  "long",
  `name: A thousand steps\n${head}steps:\n  - repeat:\n      times: 250\n      steps:\n        - customer: Hello\n        - delivered: message\n        - advance: 7h\n        - request: GET /api/get-customer-thread-details?customerThreadId=9001\n          expect: 200\n`,
);
const short = scenario("short", `name: One step\n${head}steps:\n  - customer: Hello\n`);
const waiting = Array.from({ length: 100 }, (_, n) =>
  scenario(`waiting-${n}`, `name: Waiting ${n}\n${head}steps:\n  - wait: 100ms\n`),
);

const one = timed([MAIN, "run", short]);
const bare = timed(["--eval", "0"]);
report("one step, process start to exit, ms", one.toFixed(0), "< 1000");
report("  bare node start, ms", bare.toFixed(0));
report(
  "1,000 steps over virtual days, ms beyond one step",
  (timed([MAIN, "run", long], 3) - one).toFixed(0),
  "< 1000",
);
const single = timed([MAIN, "run", "--jobs", "1", ...waiting], 1);
const double = timed([MAIN, "run", "--jobs", "2", ...waiting], 1);
report("100 waiting files, --jobs 2 against --jobs 1", (single / double).toFixed(2), ">= 1.6");
