// @ts-check
// The whole gate, step by step. Every step runs, whatever became of the ones before it, and the last line
// says how many passed: each step is one, and vitest is as many as it has tests.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const bin = (/** @type {string} */ name) => join(root, "node_modules", ".bin", name);
const node = process.execPath;

/**
 * @typedef {object} Step
 * @property {string} title
 * @property {readonly [command: string, ...args: string[]]} command
 * @property {string} [needs] the file without which the step does not apply
 */

/** @type {readonly Step[]} */
const STEPS = [
  { title: "Lint and format", command: [bin("biome"), "check", "--error-on-warnings"] },
  { title: "Types", command: [bin("tsc"), "-p", "."] },
  {
    title: "Types of the dashboard",
    command: [bin("tsc"), "-p", "dashboard"],
    needs: "dashboard/tsconfig.json",
  },
  { title: "Build", command: [node, "scripts/build.mjs"] },
  { title: "Package", command: [node, "scripts/check-package.mjs"] },
  { title: "Browser for the tests", command: [node, "scripts/ensure-chromium.mjs"] },
  { title: "pytest for the tests", command: [node, "scripts/ensure-pytest.mjs"] },
  { title: "Prometheus for the tests", command: [node, "scripts/ensure-prometheus.mjs"] },
  { title: "Redis for the tests", command: [node, "scripts/ensure-redis.mjs"] },
  { title: "HAProxy for the tests", command: [node, "scripts/ensure-haproxy.mjs"] },
];

/** @param {readonly [command: string, ...args: string[]]} step */
function run([command, ...args]) {
  const done = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32" && command !== node,
  });
  if (done.error) console.error(done.error.message);
  return done.status === 0;
}

const seconds = (/** @type {number} */ start) => `${((performance.now() - start) / 1000).toFixed(1)} s`;

/** @param {Step} step */
function step({ title, command }) {
  console.log(`\n== ${title}`);
  const start = performance.now();
  const ok = run(command);
  console.log(`-- ${title}: ${ok ? "passed" : "FAILED"} (${seconds(start)})`);
  return { title, passed: ok ? 1 : 0, failed: ok ? 0 : 1 };
}

/**
 * Runs vitest and counts its tests. A file that could not be loaded counts as one failed test, so does a
 * skipped test, and so does a run that fails without naming a test (an error outside of any).
 */
function tests() {
  const title = "Tests";
  console.log(`\n== ${title}`);
  const start = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "messaging-sim-tests-"));
  try {
    const file = join(folder, "report.json");
    const ok = run([
      bin("vitest"),
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${file}`,
    ]);
    const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
    const { passed, failed } = count(report);
    const failures = ok || failed > 0 ? failed : 1;
    console.log(`-- ${title}: ${failures === 0 ? "passed" : "FAILED"} (${seconds(start)})`);
    return { title, passed, failed: failures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {import("vitest/reporters").JsonTestResults | undefined} report as vitest writes it */
function count(report) {
  let passed = 0;
  let failed = 0;
  for (const file of report?.testResults ?? []) {
    const good = file.assertionResults.filter((result) => result.status === "passed").length;
    const bad = file.assertionResults.length - good;
    passed += good;
    failed += bad === 0 && file.status !== "passed" ? 1 : bad;
  }
  return { passed, failed: passed + failed === 0 ? 1 : failed };
}

const results = STEPS.filter(({ needs }) => needs === undefined || existsSync(join(root, needs))).map(step);
results.push(tests());

const sum = (/** @type {"passed" | "failed"} */ key) =>
  results.reduce((total, result) => total + result[key], 0);
const bad = results.filter((result) => result.failed > 0).map((result) => result.title);
console.log(bad.length > 0 ? `\nFailed: ${bad.join(", ")}\n` : "");
console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
process.exitCode = bad.length > 0 ? 1 : 0;
