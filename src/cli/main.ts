#!/usr/bin/env node
import * as nodeModule from "node:module";

// Since Node 22.8: keeps what the engine made of each file for the next start.
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();

// A reader that goes away early, such as `head`, is no failure.
process.stdout.on("error", () => {});

const { runCommand } = await import("./commands.js");
process.exitCode = await runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
});
