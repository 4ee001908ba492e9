#!/usr/bin/env node
// @ts-check
// The command as a reader of one page has it. `serve` goes on in a terminal of its own: it comes back when it is
// ready, at the page's port, and ends the one before unless it names a port itself. All others run as they are, at that simulator.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [MAIN = "", FOLDER = "", PORT = ""] = ["READER_MAIN", "READER_FOLDER", "READER_PORT"].map(
  (name) => process.env[name],
);
const RUNNING = join(FOLDER, ".serve.pid");
const words = process.argv.slice(2);
const [name = "serve"] = words;

const isHere = (/** @type {number} */ pid) => {
  const status = `/proc/${pid}/stat`;
  try {
    process.kill(pid, 0);
    // One that has ended is there until the system's first process asks for it, which may take seconds.
    return !existsSync(status) || !readFileSync(status, "utf8").includes(") Z ");
  } catch {
    return false;
  }
};
const turn = () => new Promise((resolve) => setTimeout(resolve, 20));

if (name !== "serve" || words.includes("--help")) {
  const env = { MESSAGING_SIM_URL: `http://127.0.0.1:${PORT}`, MESSAGING_SIM_PORT: PORT, ...process.env };
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: "inherit", env });
  process.once("SIGTERM", () => child.kill());
  const [code] = await once(child, "exit");
  process.exitCode = code ?? 1;
} else {
  const isBeside = words.includes("--port");
  if (existsSync(RUNNING) && !isBeside) {
    const pid = Number(readFileSync(RUNNING, "utf8"));
    rmSync(RUNNING);
    if (isHere(pid)) process.kill(pid, "SIGTERM");
    while (isHere(pid)) await turn();
  }
  const output = join(FOLDER, ".serve.log");
  const file = openSync(output, "w");
  const env = { MESSAGING_SIM_PORT: PORT, ...process.env };
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", file, file], env });
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const printed = () => readFileSync(output, "utf8");
  while (!isOver() && !/messaging-sim ready at .*\n/.test(printed())) await turn();
  if (!isOver() && !isBeside) writeFileSync(RUNNING, String(child.pid));
  process.stdout.write(printed());
  child.unref();
  process.exitCode = isOver() ? (child.exitCode ?? 1) : 0;
}
