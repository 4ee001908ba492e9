// @ts-check
// Programs that come from Debian: finds them, and installs what is missing where that is possible.

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether a file may be run. */
export function executable(/** @type {string} */ path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Path of the first of these programs that is on `PATH`; undefined for none.
 * @param {readonly string[]} names
 */
export function findProgram(...names) {
  for (const folder of (process.env.PATH ?? "").split(delimiter).filter(Boolean)) {
    for (const name of names) {
      const path = join(folder, name);
      if (executable(path)) return path;
    }
  }
  return undefined;
}

/** How to run a command as root here: directly, through passwordless sudo, or not at all. */
function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  const sudo = spawnSync("sudo", ["-n", "true"], { stdio: "ignore" });
  return sudo.status === 0 ? ["sudo", "-n"] : undefined;
}

/**
 * Installs Debian packages without what they merely recommend. Throws where that is not possible from here; `purpose` says
 * who needs them, `otherwise` what a person can do about it.
 * @param {readonly string[]} packages
 * @param {{ readonly purpose: string, readonly otherwise: string }} words
 */
export function installFromDebian(packages, { purpose, otherwise }) {
  const prefix = process.platform === "linux" && executable("/usr/bin/apt-get") ? rootPrefix() : undefined;
  if (prefix === undefined) {
    throw new Error(
      `${purpose} need ${packages.join(" and ")}, which can only be installed from here on Debian as root or with ` +
        `passwordless sudo. ${otherwise}`,
    );
  }
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", ...packages]]) {
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
