#!/usr/bin/env node
import * as nodeModule from "node:module";
import { createInterface } from "node:readline";
import { reasonOf } from "../kernel/errors.js";
import { printableOutput } from "../kernel/printable.js";

// Since Node 22.8: keeps what the engine made of each file for the next start.
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();

/** The exit code of a program whose output nobody could write. */
const UNWRITTEN = 2;

/** The exit code of a program that SIGPIPE ended, as shells tell it: `set -o pipefail` sees that something was cut off. */
const CUT_OFF = 141;

const output = { isGone: false, hasFailed: false, isNeeded: true };
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  output.isGone = true;
  // A reader that goes away early, such as `head`, has what it wanted: there is nothing to say.
  if (error.code === "EPIPE" || output.hasFailed) return;
  output.hasFailed = true;
  process.exitCode = UNWRITTEN;
  process.stderr.write(`cannot write to standard output: ${reasonOf(error)}\n`);
});
// There is nowhere left to say it.
process.stderr.on("error", () => {});

void main();

/** Runs the command that the arguments name, and sets the exit code. */
async function main(): Promise<void> {
  const { nextTurn } = await import("../kernel/realtime.js");
  const { runCommand } = await import("./commands.js");
  const code = await runCommand(process.argv.slice(2), {
    out: (text) => process.stdout.write(printableOutput(text)),
    err: (text) => process.stderr.write(printableOutput(text)),
    env: process.env,
    isInteractive: process.stdout.isTTY === true,
    drained: async () => {
      // Whether a write went wrong is only known when the event loop had a turn.
      await nextTurn();
      if (!output.isGone && process.stdout.writableNeedDrain) await whenDrained(process.stdout);
      return !output.isGone;
    },
    lines: () => createInterface({ input: process.stdin }),
    ignoreBrokenPipe: () => {
      output.isNeeded = false;
    },
  });
  // The last write may not have failed yet.
  await nextTurn();
  const isCutOff = output.isGone && output.isNeeded && code === 0;
  process.exitCode = output.hasFailed ? UNWRITTEN : isCutOff ? CUT_OFF : code;
}

/** Resolves once the stream takes more, or never will again. */
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
