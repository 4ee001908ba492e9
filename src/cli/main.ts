#!/usr/bin/env node
import * as nodeModule from "node:module";
import { createInterface } from "node:readline";
import { reasonOf } from "../kernel/errors.js";
import { printableOutput } from "../kernel/printable.js";

// Since Node 22.8: caches compiled code for the next start.
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();

/** The exit code if the output could not be written. */
const UNWRITTEN = 2;

/** The exit code of a program ended by SIGPIPE, as shells report it: with `set -o pipefail`, truncated output is noticed. */
const CUT_OFF = 141;

// There is nowhere left to report it.
process.stderr.on("error", () => {});

void main();

/** Runs the command in the arguments, and sets the exit code. */
async function main(): Promise<void> {
  /** The exit code of a command whose output is lost. */
  let lost: number | undefined;
  let isNeeded = true;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (lost !== undefined) return;
    // A reader that stops early, such as `head`, has what it needs: there is nothing to report.
    lost = error.code === "EPIPE" ? CUT_OFF : UNWRITTEN;
    if (lost === UNWRITTEN) process.stderr.write(`cannot write to standard output: ${reasonOf(error)}\n`);
    if (!isNeeded) return;
    // A command that leaves something behind ends in order.
    if (process.listenerCount("SIGTERM") > 0) process.kill(process.pid, "SIGTERM");
    else process.exit(lost);
  });
  const { runCommand } = await import("./commands.js");
  const code = await runCommand(process.argv.slice(2), {
    out: (text) => process.stdout.write(printableOutput(text)),
    err: (text) => process.stderr.write(printableOutput(text)),
    env: process.env,
    isInteractive: process.stdout.isTTY === true,
    lines: () => createInterface({ input: process.stdin }),
    ignoreLostOutput: () => {
      isNeeded = false;
    },
  });
  process.exitCode = isNeeded ? (lost ?? code) : code;
}
