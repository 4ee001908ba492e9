#!/usr/bin/env node
import * as nodeModule from "node:module";

// Since Node 22.8: keeps what the engine made of each file for the next start.
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();

// A reader that goes away early, such as `head`, is no failure.
const reader = { isGone: false };
process.stdout.on("error", () => {
  reader.isGone = true;
});

const { nextTurn } = await import("../kernel/realtime.js");
const { runCommand } = await import("./commands.js");
process.exitCode = await runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  drained: async () => {
    // Whether a write went wrong is only known when the event loop had a turn.
    await nextTurn();
    if (!reader.isGone && process.stdout.writableNeedDrain) await drainOf(process.stdout);
    return !reader.isGone;
  },
});

/** Resolves once the stream takes more, or never will again. */
function drainOf(stream: NodeJS.WriteStream): Promise<void> {
  const events = ["drain", "close", "error"];
  return new Promise((resolve) => {
    const done = () => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}
