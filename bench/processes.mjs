/** Servers in processes of their own, pinned to one core, so that the load has the other. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const SERVER_CORE = "0";
export const LOAD_CORE = "1";

const file = (name) => fileURLToPath(new URL(name, import.meta.url));
export const MAIN = file("../dist/cli/main.js");
export const BARE = file("bare-server.mjs");
export const EMBEDDED = file("embedded.mjs");

/** Starts `node script args…` on the servers' core and waits for its line `ready at URL`. */
export async function start(script, args = [], { core = SERVER_CORE, nodeArgs = [] } = {}) {
  const began = performance.now();
  const child = spawn("taskset", ["-c", core, process.execPath, ...nodeArgs, script, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  const url = await new Promise((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      text += chunk;
      const found = /ready at (\S+)/.exec(text);
      if (found) resolve(found[1]);
    });
    child.once("exit", (code) => reject(new Error(`${script} ended with ${code}`)));
  });
  return {
    url,
    /** What it printed until then. */
    printed: text,
    pid: child.pid,
    readyMs: performance.now() - began,
    residentMb: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024,
    /** The CPU time of all its threads so far. */
    cpuMs: () =>
      readdirSync(`/proc/${child.pid}/task`)
        .map((thread) => readFileSync(`/proc/${child.pid}/task/${thread}/schedstat`, "utf8"))
        .reduce((sum, text) => sum + Number(text.split(" ")[0]) / 1e6, 0),
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.removeAllListeners("exit");
        child.once("exit", resolve);
        child.kill("SIGTERM");
      }),
  };
}

/** Puts this process, which makes the load, on its own core. */
export function pinLoad() {
  spawn("taskset", ["-cp", LOAD_CORE, String(process.pid)], { stdio: "ignore" });
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** One line of a report: what was measured, the figure, and the bar where there is one. */
export function report(name, value, bar) {
  console.log(`${name.padEnd(58)} ${String(value).padStart(10)}${bar === undefined ? "" : `   bar ${bar}`}`);
}
