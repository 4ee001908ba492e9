// @ts-check
// The programs that tests need and npm does not bring: finds them, installs what is missing where that is allowed, and says what
// is not proven without the rest. `node scripts/programs.mjs gate` does so for `npm test`, `all` for `npm run test:all`.

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const isWindows = process.platform === "win32";

/** What tests install for themselves and find again, once per user. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "messaging-sim");

/** Whether a file may be run. */
function executable(/** @type {string} */ path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Debian keeps servers where only root looks for programs. */
const SERVERS = isWindows ? [] : ["/usr/local/sbin", "/usr/sbin"];

/**
 * Path of the first of these programs that is on `PATH`; undefined for none.
 * @param {readonly string[]} names
 */
export function findProgram(...names) {
  for (const folder of [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), ...SERVERS]) {
    for (const name of names) {
      const path = join(folder, isWindows ? `${name}.exe` : name);
      if (executable(path)) return path;
    }
  }
  return undefined;
}

/** Path of a browser that playwright-core has downloaded, or of a Chrome where its installer puts it; undefined for none. */
function findInstalledChromium() {
  const { registry } = require("playwright-core/lib/coreBundle").registry;
  return ["chromium-headless-shell", "chrome"]
    .map(
      (name) =>
        /** @type {string | undefined} */ (registry.findExecutable(name)?.executablePath("javascript")),
    )
    .find((path) => path !== undefined && executable(path));
}

/**
 * Path of the chromium to use: `CHROMIUM_PATH` when set, else the first known name on `PATH`, else one that is installed elsewhere.
 * @returns {string | undefined} undefined when there is none; a `CHROMIUM_PATH` that cannot be run throws
 */
export function findChromium() {
  const wanted = process.env.CHROMIUM_PATH;
  if (wanted && !executable(wanted))
    throw new Error(`CHROMIUM_PATH is ${wanted}, which is not an executable file`);
  return (
    wanted ||
    findProgram(
      "chromium-headless-shell",
      "chromium",
      "chromium-browser",
      "google-chrome",
      "google-chrome-stable",
    ) ||
    findInstalledChromium()
  );
}

/** Path of the valkey-server or redis-server on `PATH`; undefined for none. */
export const findRedis = () => findProgram("valkey-server", "redis-server");

/** Path of the HAProxy on `PATH`; undefined for none. */
export const findHaproxy = () => findProgram("haproxy");

const PYTEST = ["-m", "pytest", "--version"];
const PYTHON_OF_TESTS = join(
  CACHE,
  "pytest",
  ...(isWindows ? ["Scripts", "python.exe"] : ["bin", "python3"]),
);
const findPython = () => findProgram("python3", "python");

/** Path of a Python that has pytest: the one on `PATH`, Debian's, or that of the tests; undefined for none. */
export function findPytest() {
  const found = [findPython(), "/usr/bin/python3", PYTHON_OF_TESTS];
  return found.find((path) => path !== undefined && spawnSync(path, PYTEST).status === 0);
}

const PIP = ["-m", "pip", "--version"];

/** Path of a Python that has pip; undefined for none. */
export function findPip() {
  const found = [findPython(), "/usr/bin/python3", PYTHON_OF_TESTS];
  return found.find((path) => path !== undefined && spawnSync(path, PIP).status === 0);
}

/** @throws Error with what playwright-core says */
function downloadChromium() {
  const cli = join(dirname(require.resolve("playwright-core/package.json")), "cli.js");
  run("Playwright", process.execPath, [cli, "install", "chromium-headless-shell"]);
}

/** Into a folder of their own, as most systems want packages of Python. @throws Error with what Python or pip says */
function installPytest() {
  const python = findPython();
  if (python === undefined) throw new Error("there is no Python");
  run("Python", python, ["-m", "venv", "--clear", dirname(dirname(PYTHON_OF_TESTS))]);
  run("pip", PYTHON_OF_TESTS, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pytest"]);
}

/**
 * @param {string} who
 * @param {string} command
 * @param {readonly string[]} words
 */
function run(who, command, words) {
  console.log(`$ ${[command, ...words].join(" ")}`);
  const { status, error, stdout, stderr } = spawnSync(command, words, { encoding: "utf8" });
  if (status === 0) return;
  const lines = `${stderr ?? ""}\n${stdout ?? ""}`.split("\n").map((line) => line.trim());
  const reason = lines.find((line) => /^error\b/i.test(line)) ?? lines.find(Boolean) ?? error?.message;
  throw new Error(`${who} failed: ${reason ?? `exit code ${status}`}`);
}

/**
 * @typedef {object} Program
 * @property {string} title
 * @property {"gate" | "all"} level from which command on it is needed: `npm test`, or `npm run test:all`
 * @property {boolean} [isRequired] whether tests fail without it; those of the others are not run
 * @property {string} proves what is not proven without it
 * @property {() => string | undefined} find
 * @property {readonly string[]} version what makes it print its version
 * @property {string} debian its package
 * @property {Readonly<Record<string, string>>} ways how a person gets it, by systems
 * @property {() => void} [install] how to get it without root; throws
 */

const WSL = "there is none; run the tests in WSL";

/** @satisfies {Readonly<Record<string, Program>>} */
const PROGRAMS = {
  chromium: {
    title: "Chrome or Chromium",
    level: "gate",
    isRequired: true,
    proves: "the dashboard, and pages of reports",
    find: findChromium,
    // Chrome for Windows opens a window instead.
    version: isWindows ? [] : ["--version"],
    debian: "chromium-headless-shell",
    ways: {
      Debian: "sudo apt install chromium-headless-shell",
      Fedora: "sudo dnf install chromium",
      macOS: "brew install --cask google-chrome",
      Windows: "winget install Google.Chrome",
      anywhere: "npx playwright-core install chromium-headless-shell, or CHROMIUM_PATH=PATH_OF_A_CHROME",
    },
    install: downloadChromium,
  },
  redis: {
    title: "Valkey or Redis",
    level: "gate",
    proves: "a store that several processes share",
    find: findRedis,
    version: ["--version"],
    debian: "redis-server",
    ways: {
      Debian: "sudo apt install redis-server",
      Fedora: "sudo dnf install valkey",
      macOS: "brew install valkey",
      Windows: WSL,
    },
  },
  haproxy: {
    title: "HAProxy",
    level: "all",
    proves: "several processes behind a proxy",
    find: findHaproxy,
    version: ["-v"],
    debian: "haproxy",
    ways: {
      Debian: "sudo apt install haproxy",
      Fedora: "sudo dnf install haproxy",
      macOS: "brew install haproxy",
      Windows: WSL,
    },
  },
  pytest: {
    title: "pytest",
    level: "all",
    proves: "the fixtures for pytest, and the examples in Python",
    find: findPytest,
    version: PYTEST,
    debian: "python3-pytest",
    ways: {
      Debian: "sudo apt install python3-pytest",
      Fedora: "sudo dnf install python3-pytest",
      macOS: "brew install python (pytest is then installed for the tests alone)",
      Windows: "winget install Python.Python.3.13 (pytest is then installed for the tests alone)",
    },
    install: installPytest,
  },
  pip: {
    title: "pip",
    level: "all",
    proves: "the package of the fixtures for pytest",
    find: findPip,
    version: PIP,
    debian: "python3-pip",
    ways: {
      Debian: "sudo apt install python3-pip",
      Fedora: "sudo dnf install python3-pip",
      macOS: "brew install python",
      Windows: "winget install Python.Python.3.13",
    },
  },
};

/** How to run a command as root here: directly, through passwordless sudo, or not at all. */
function rootPrefix() {
  if (findProgram("apt-get") === undefined) return undefined;
  if (process.getuid?.() === 0) return [];
  const sudo = spawnSync("sudo", ["-n", "true"], { stdio: "ignore" });
  return sudo.status === 0 ? ["sudo", "-n"] : undefined;
}

/**
 * Installs Debian packages without what they merely recommend, where that is allowed. A package that the system does not know, as
 * Ubuntu knows no chromium-headless-shell, does not keep it from the others.
 * @param {readonly string[]} packages
 * @returns {boolean} whether it has installed something
 */
export function installFromDebian(packages) {
  const prefix = rootPrefix();
  if (prefix === undefined) return false;
  const aptGet = (/** @type {readonly string[]} */ ...args) => {
    // DEBIAN_FRONTEND goes through `env`, because sudo drops the caller's environment.
    const words = [...prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", ...args];
    console.log(`$ ${words.join(" ")}`);
    const [command = "", ...rest] = words;
    return spawnSync(command, rest, { stdio: ["ignore", "inherit", "inherit"] }).status === 0;
  };
  aptGet("update");
  const known = packages.filter((name) => spawnSync("apt-cache", ["show", name]).status === 0);
  return known.length > 0 && aptGet("install", "-y", "--no-install-recommends", ...known);
}

/**
 * For tests that need programs, as the options of a suite or a test: `describe("a server", needs("redis"), () => …)`. Where one is
 * missing they are not run, and their `meta.needs` is its key.
 * @param {readonly (keyof typeof PROGRAMS)[]} keys
 * @returns {{ skip: boolean, meta: object }}
 */
export function needs(...keys) {
  const missing = keys.find((key) => PROGRAMS[key].find() === undefined);
  return { skip: missing !== undefined, meta: { needs: missing } };
}

/**
 * Finds the programs of a command, installs what is missing where that is allowed, and prints what it has found. One block says
 * what is missing still, how to get it and what is not proven without it.
 *
 * @param {"gate" | "all"} level
 * @returns {{ ok: boolean, notProven: string[], missing: string[] }} `ok`: tests can run; `notProven`: what the tests will leave
 * open, in words; `missing`: the keys that skipped tests may have as their `meta.needs`
 */
export function ensurePrograms(level) {
  /** @type {[string, Program][]} */
  const wanted = Object.entries(PROGRAMS).filter(([, program]) => level === "all" || program.level === level);
  const without = () => wanted.filter(([, { find }]) => find() === undefined);
  try {
    const packages = without().map(([, { debian }]) => debian);
    if (packages.length > 0) installFromDebian(packages);
    const failures = new Map(without().map(([key, { install }]) => [key, failureOf(install)]));
    const missing = without();
    const found = wanted.filter(([key]) => missing.every(([other]) => key !== other));
    const areRunning = found.map(([, program]) => showVersion(program));
    if (missing.length > 0)
      console.error(blockOf(missing.map(([key, program]) => ({ ...program, failure: failures.get(key) }))));
    return {
      ok: areRunning.every(Boolean) && !missing.some(([, { isRequired }]) => isRequired),
      notProven: missing.map(([, { title, proves }]) => `${proves} (no ${title})`),
      missing: missing.map(([key]) => key),
    };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { ok: false, notProven: [], missing: [] };
  }
}

/** @param {Program} program one that was found @returns {boolean} whether it runs */
function showVersion({ find, version }) {
  const path = find() ?? "";
  if (version.length === 0) return console.log(path) === undefined;
  const { status, stdout, stderr } = spawnSync(path, version, { encoding: "utf8" });
  const [line = "version unknown"] = `${stdout || stderr || ""}`.trim().split("\n");
  if (status === 0) console.log(`${path}: ${line}`);
  else console.error(`${path} does not run: ${line}`);
  return status === 0;
}

/** @param {(() => void) | undefined} install @returns {string | undefined} why a program could not be installed */
function failureOf(install) {
  try {
    install?.();
    return undefined;
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
}

/** @param {readonly (Program & { readonly failure: string | undefined })[]} missing */
function blockOf(missing) {
  const parts = missing.map(({ title, isRequired, proves, ways, failure }) => {
    const lines = Object.entries({ ...ways, ...(failure && { "(tried)": failure }) });
    return [
      `  ${title}. ${isRequired ? "The tests FAIL without it" : "Its tests are not run"}. Not proven: ${proves}.`,
      ...lines.map(([system, way]) => `    ${system.padEnd(8)}  ${way}`),
    ].join("\n");
  });
  return `\nMissing, and could not be installed from here:\n\n${parts.join("\n\n")}\n`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [level] = process.argv.slice(2);
  if (level === "gate" || level === "all") process.exitCode = ensurePrograms(level).ok ? 0 : 1;
  else {
    console.error("usage: node scripts/programs.mjs gate|all");
    process.exitCode = 2;
  }
}
