// @ts-check
// Programs that come from Debian: finds them, and installs what is missing where that is possible.

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";

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

/**
 * What a script does that is the command itself: finds a program, installs it where it is missing, and prints where it is and
 * which version. What goes wrong is a line and exit code 1. A script that others import does nothing.
 * @param {string} script `import.meta.url`
 * @param {object} program
 * @param {() => string | undefined} program.find
 * @param {readonly string[]} program.version what makes it print its version
 * @param {string} program.from the Debian package
 * @param {string} program.purpose
 * @param {string} program.otherwise
 */
export function ensure(script, { find, version, from, purpose, otherwise }) {
  if (!process.argv[1] || script !== pathToFileURL(process.argv[1]).href) return;
  try {
    if (find() === undefined) installFromDebian([from], { purpose, otherwise });
    const path = find();
    if (path === undefined) throw new Error(`${from} was installed, but cannot be found`);
    const { stdout } = spawnSync(path, version, { encoding: "utf8" });
    console.log(`${path}: ${stdout?.trim() || "version unknown"}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
