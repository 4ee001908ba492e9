/** Generating a large fixture: time and peak memory. Usage: node bench/generate.mjs [--threads 100000] [--locale en] */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { MAIN, report } from "./processes.mjs";

const { values } = parseArgs({
  options: { threads: { type: "string", default: "100000" }, locale: { type: "string", default: "en" } },
});
const started = performance.now();
const child = spawn(
  process.execPath,
  [MAIN, "generate", "--threads", values.threads, "--locale", values.locale],
  {
    stdio: ["ignore", "pipe", "inherit"],
  },
);
let bytes = 0;
let peak = 0;
/** The kernel's own count of the highest resident size so far; it goes with the process, so it is read on the way. */
const look = () => {
  try {
    const [, kilobytes = "0"] =
      /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
    peak = Math.max(peak, Number(kilobytes) / 1024);
  } catch {}
};
child.stdout.on("data", (chunk) => {
  if (bytes >> 22 !== (bytes + chunk.length) >> 22) look();
  bytes += chunk.length;
});
await new Promise((resolve) => child.once("close", resolve));
report(`generate ${values.threads} threads, s`, ((performance.now() - started) / 1000).toFixed(1), "<= 20");
report("  peak resident, MB", peak.toFixed(0), "<= 1000");
report("  written, MB", (bytes / 1e6).toFixed(0));
