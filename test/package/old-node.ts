/** What the package says on a Node that is too old. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "..", "..");

/** The entries other than the command. */
export const ENTRIES = Object.values<string | { default: string }>(
  JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).exports,
).flatMap((entry) => (typeof entry === "string" ? [] : [entry.default.slice(1)]));

export const NEEDS = "messaging-sim needs Node 20.19 or newer, and this is Node";

/** Runs a Node in the project's folder. */
export const run = (program: string, ...words: string[]) =>
  new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(program, words, { cwd: ROOT }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
