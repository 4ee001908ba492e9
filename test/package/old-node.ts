import { readFileSync } from "node:fs";
/** What the package says on a Node that is too old. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The entries other than the command. */
export const ENTRIES = Object.values<string | { default: string }>(
  JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).exports,
).flatMap((entry) => (typeof entry === "string" ? [] : [entry.default.slice(1)]));

export const NEEDS = "messaging-sim needs Node 20.19 or newer, and this is Node";
