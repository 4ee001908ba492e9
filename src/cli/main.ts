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

const output = { isGone: false, hasFailed: false, isNeeded: true };
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  output.isGone = true;
  // A reader that stops early, such as `head`, has what it needs: there is nothing to report.
  if (error.code === "EPIPE" || output.hasFailed) return;
  output.hasFailed = true;
  process.exitCode = UNWRITTEN;
  process.stderr.write(`cannot write to standard output: ${reasonOf(error)}\n`);
});
// There is nowhere left to report it.
process.stderr.on("error", () => {});

void main();

/** Runs the command in the arguments, and sets the exit code. */
async function main(): Promise<void> {
  const { nextTurn } = await import("../kernel/realtime.js");
  const { runCommand } = await import("./commands.js");
  const code = await runCommand(process.argv.slice(2), {
    out: (text) => process.stdout.write(printableOutput(text)),
    err: (text) => process.stderr.write(printableOutput(text)),
    env: process.env,
    isInteractive: process.stdout.isTTY === true,
    drained: async () => {
      // A failed write is only reported in a later turn of the event loop.
      await nextTurn();
      if (!output.isGone && process.stdout.writableNeedDrain) await whenDrained(process.stdout);
      return !output.isGone;
    },
    lines: () => createInterface({ input: process.stdin }),
    ignoreBrokenPipe: () => {
      output.isNeeded = false;
    },
  });
  // The last write may still fail.
  await nextTurn();
  const isCutOff = output.isGone && output.isNeeded && code === 0;
  process.exitCode = output.hasFailed ? UNWRITTEN : isCutOff ? CUT_OFF : code;
}

/** Resolves when the stream accepts more, or never will. */
function whenDrained(stream: NodeJS.WriteStream): Promise<void> {
  const events = ["drain", "close", "error"];
  return new Promise((resolve) => {
    const done = () => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}
