// @ts-check
// Makes sure that a chromium for the browser tests is on this machine, and prints where.
// Used as a command by scripts/test.mjs; `findChromium` is what the browser tests themselves use.

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * Path of the chromium to use: `CHROMIUM_PATH` when set, else the first known name on `PATH`.
 * @returns {string | undefined} undefined when there is none; a `CHROMIUM_PATH` that cannot be run throws
 */
export function findChromium() {
  const wanted = process.env.CHROMIUM_PATH;
  if (wanted) {
    if (!executable(wanted)) throw new Error(`CHROMIUM_PATH is ${wanted}, which is not an executable file`);
    return wanted;
  }
  for (const folder of (process.env.PATH ?? "").split(delimiter).filter(Boolean)) {
    for (const name of NAMES) {
      const path = join(folder, name);
      if (executable(path)) return path;
    }
  }
  return undefined;
}

function executable(/** @type {string} */ path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** How to run a command as root here: directly, through passwordless sudo, or not at all. */
function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  const sudo = spawnSync("sudo", ["-n", "true"], { stdio: "ignore" });
  return sudo.status === 0 ? ["sudo", "-n"] : undefined;
}

function install() {
  const prefix = process.platform === "linux" && executable("/usr/bin/apt-get") ? rootPrefix() : undefined;
  if (prefix === undefined) {
    throw new Error(
      "The browser tests need chromium, and it can only be installed from here on Debian as root or with " +
        "passwordless sudo. Install it yourself, or set CHROMIUM_PATH to a Chrome or Chromium.",
    );
  }
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
    // DEBIAN_FRONTEND goes through `env`, because sudo drops the caller's environment.
    const [command = "env", ...words] = [
      ...prefix,
      "env",
      "DEBIAN_FRONTEND=noninteractive",
      "apt-get",
      "-q",
      ...args,
    ];
    console.log(`$ ${[command, ...words].join(" ")}`);
    const done = spawnSync(command, words, { stdio: ["ignore", "inherit", "inherit"] });
    if (done.status !== 0) throw new Error(`apt-get ${args[0]} failed; see above`);
  }
}

function main() {
  if (findChromium() === undefined) install();
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
