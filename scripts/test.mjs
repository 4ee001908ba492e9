// @ts-check
// Runs the tests of one level: node scripts/test.mjs check|gate|all. vitest.config.mjs says which file belongs to which.
// Every step runs, even if an earlier one failed. The last line counts what passed and failed: a step is one, and each test is one.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { startVitest } from "vitest/node";
import { LEVELS, together } from "../vitest.config.mjs";
import { ensurePrograms } from "./programs.mjs";

const root = join(import.meta.dirname, "..");
const bin = (/** @type {string} */ name) => join(root, "node_modules", ".bin", name);
const node = process.execPath;

/** @typedef {{ title: string, passed: number, failed: number, seconds: number }} Result */
/** @typedef {readonly [title: string, command: string, ...args: string[]]} Step */

/** @typedef {Partial<Record<keyof typeof LEVELS, readonly Step[]>>} Steps */

/** What tests need. @type {Steps} */
const BEFORE_TESTS = { gate: [["Build", node, "scripts/build.mjs"]] };

/** What runs side by side with the tests, which leave processors idle now and then. @type {Steps} */
const BESIDE_TESTS = {
  check: [
    ["Lint and format", bin("biome"), "check", "--error-on-warnings"],
    ["Types", bin("tsc"), "-p", "."],
    ["Types of the dashboard", bin("tsc"), "-p", "dashboard"],
  ],
  gate: [["Package", node, "scripts/check-package.mjs"]],
};

/** Runs one step; its output comes in one piece when it ends. @param {Step} step @returns {Promise<Result>} */
function run([title, command, ...args]) {
  const started = performance.now();
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32" && command !== node,
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", (error) => (output += `${error.message}\n`));
    child.on("close", (code) => {
      const ok = code === 0;
      const seconds = (performance.now() - started) / 1000;
      console.log(
        `\n== ${title}: ${ok ? "passed" : "FAILED"} (${seconds.toFixed(1)} s)\n${output.trimEnd()}`,
      );
      resolve({ title, passed: ok ? 1 : 0, failed: ok ? 0 : 1, seconds });
    });
  });
}

/**
 * Runs vitest and counts its tests. A file that could not be loaded counts as one failed test, and so does a skipped test, unless it
 * needs a missing program, a run without tests, and an error outside of any.
 * @param {readonly (keyof typeof LEVELS)[]} levels
 * @param {readonly string[]} missing programs, as `needs()` names them
 * @returns {Promise<Result>}
 */
async function tests(levels, missing) {
  const started = performance.now();
  const options = { root, config: /** @type {const} */ (false), run: true, watch: false };
  const vitest = await startVitest("test", [], options, together(levels));
  const modules = vitest.state.getTestModules();
  let passed = 0;
  let failed = vitest.state.getUnhandledErrors().length;
  for (const module of modules) {
    const all = [...module.children.allTests()];
    const isFailed = (/** @type {import("vitest/node").TestCase} */ test) =>
      test.result().state !== "passed" && !missing.includes(/** @type {any} */ (test.meta()).needs);
    const bad = all.filter(isFailed).length;
    passed += all.filter((test) => test.result().state === "passed").length;
    failed += Math.max(bad, module.state() === "failed" ? 1 : 0);
  }
  if (passed === 0 && failed === 0) failed = 1;
  await vitest.close();
  console.log("\nSlowest files:");
  const timed = modules.map((module) => ({
    file: module.moduleId,
    seconds: module.diagnostic().duration / 1000,
  }));
  for (const [at, { file, seconds }] of timed.sort((a, b) => b.seconds - a.seconds).entries())
    if (at < 10 || seconds > 10) console.log(line(seconds, `${relative(root, file)}  ${reasonOf(file)}`));
  return { title: "Tests", passed, failed, seconds: (performance.now() - started) / 1000 };
}

/** Why a file may take over 10 s: it says so itself, in a comment `Slow: …`. @param {string} file */
const reasonOf = (file) => /\bSlow: (.+?)(?: \*\/)?$/m.exec(readFileSync(file, "utf8"))?.[1] ?? "";

const line = (/** @type {number} */ seconds, /** @type {string} */ text) =>
  `${seconds.toFixed(1).padStart(7)} s  ${text}`;

const level = process.argv[2] ?? "";
if (!Object.hasOwn(LEVELS, level))
  throw new Error(`${level} is not one of ${Object.keys(LEVELS).join(", ")}`);
const names = /** @type {(keyof typeof LEVELS)[]} */ (Object.keys(LEVELS));
const levels = names.slice(0, names.indexOf(/** @type {keyof typeof LEVELS} */ (level)) + 1);

/** @type {Result[]} */
const results = [];
/** @type {string[]} */
let notProven = [];
/** @type {string[]} */
let missing = [];
if (level === "gate" || level === "all") {
  const started = performance.now();
  const programs = ensurePrograms(level);
  ({ notProven, missing } = programs);
  const counts = programs.ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  results.push({ title: "Programs for the tests", ...counts, seconds: (performance.now() - started) / 1000 });
}
const all = (/** @type {Steps} */ steps) => levels.flatMap((each) => (steps[each] ?? []).map(run));
results.push(...(await Promise.all(all(BEFORE_TESTS))));
results.push(...(await Promise.all([...all(BESIDE_TESTS), tests(levels, missing)])));

console.log("\nSteps:");
for (const { title, failed, seconds } of results)
  console.log(line(seconds, `${title}${failed > 0 ? "  FAILED" : ""}`));
for (const what of notProven) console.log(`Not proven: ${what}`);
const sum = (/** @type {"passed" | "failed"} */ key) =>
  results.reduce((total, result) => total + result[key], 0);
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed`);
process.exitCode = sum("failed") > 0 ? 1 : 0;
