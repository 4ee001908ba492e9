// @ts-check
// Makes sure that a chromium for the browser tests is on this machine, and prints where.
// Used as a command by scripts/test.mjs; `findChromium` is what the browser tests themselves use.

import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { executable, findProgram, installFromDebian } from "./debian.mjs";

/**
 * Path of the chromium to use: `CHROMIUM_PATH` when set, else the first known name on `PATH`.
 * @returns {string | undefined} undefined when there is none; a `CHROMIUM_PATH` that cannot be run throws
 */
export function findChromium() {
  const wanted = process.env.CHROMIUM_PATH;
  if (!wanted) return findProgram("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
  if (!executable(wanted)) throw new Error(`CHROMIUM_PATH is ${wanted}, which is not an executable file`);
  return wanted;
}

function main() {
  if (findChromium() === undefined)
    installFromDebian(["chromium"], {
      purpose: "The browser tests",
      otherwise: "Install it yourself, or set CHROMIUM_PATH to a Chrome or Chromium.",
    });
  const path = findChromium();
  if (path === undefined) throw new Error("chromium was installed, but no known name is on PATH");
  const version = spawnSync(path, ["--version"], { encoding: "utf8" });
  console.log(`${path}: ${version.stdout?.trim() || "version unknown"}`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
