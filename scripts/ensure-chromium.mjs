// @ts-check
// Makes sure that a chromium for the browser tests is on this machine, and prints where.
// Used as a command by scripts/test.mjs; `findChromium` is what the browser tests themselves use.

import { ensure, executable, findProgram } from "./debian.mjs";

/**
 * Path of the chromium to use: `CHROMIUM_PATH` when set, else the first known name on `PATH`.
 * @returns {string | undefined} undefined when there is none; a `CHROMIUM_PATH` that cannot be run throws
 */
export function findChromium() {
  const wanted = process.env.CHROMIUM_PATH;
  if (!wanted)
    return findProgram(
      "chromium-headless-shell",
      "chromium",
      "chromium-browser",
      "google-chrome",
      "google-chrome-stable",
    );
  if (!executable(wanted)) throw new Error(`CHROMIUM_PATH is ${wanted}, which is not an executable file`);
  return wanted;
}

ensure(import.meta.url, {
  find: findChromium,
  version: ["--version"],
  from: "chromium-headless-shell",
  purpose: "The browser tests",
  otherwise: "Install it yourself, or set CHROMIUM_PATH to a Chrome or Chromium.",
});
