// Changes the program in one small way after the other and asks the tests of the changed folder to notice
// (mutation testing with StrykerJS). Outside the gate: it takes minutes.
//
//   npm run mutation                     all folders
//   npm run mutation -- domain           one of them; only what changed since the last run is tried again
//   npm run mutation -- kernel/clock     one file, or the files of a glob, with the tests of its folder
//   npm run mutation -- domain --fresh   everything again

import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { Stryker } from "@stryker-mutator/core";

/** The share of mutants that the tests of a folder must notice, in percent. */
const BAR = 95;

/**
 * Each folder of `src` with the tests that speak for it. Those that call a simulator are slow, so they are only asked where nothing
 * else proves what they prove.
 */
const FOLDERS = {
  domain: {
    mutate: "src/service/domain",
    tests: [
      "domain/*",
      "conformance/*",
      "behaviour/{answers,edges,moments,policies,settled}",
      "control/{connect,refusals,state,threads,window-readers}",
      "delivery/policies",
      "api/operations/webhooks",
      "api/validation/decided",
    ],
  },
  behaviour: { mutate: "src/service/behaviour", tests: ["behaviour/!(settled)"] },
  validation: { mutate: "src/api/validation", tests: ["api/validation/*"] },
  kernel: { mutate: "src/kernel", tests: ["kernel/**/*"] },
};

const root = join(import.meta.dirname, "..");
process.chdir(root);

const isMissed = ({ status, testsCompleted }) =>
  status === "NoCoverage" ||
  // A change with which no test file could be loaded counts as survived for StrykerJS: no test failed.
  (status === "Survived" && testsCompleted !== 0);
const isTried = ({ status }) => ["Killed", "Timeout", "Survived", "NoCoverage"].includes(status);

async function mutate(name, fresh) {
  const [folder, ...path] = name.split("/");
  const file = path.join("/") || "**/*";
  const { mutate, tests } = FOLDERS[folder];
  const incrementalFile = `.stryker-tmp/${name.replaceAll("/", "-")}.json`;
  if (fresh) rmSync(incrementalFile, { force: true });
  // Read by the configuration below, in the processes that Stryker starts.
  process.env.MUTATION_TESTS = tests.map((files) => `${files}.test.ts`).join(" ");
  const results = await new Stryker({
    mutate: [`${mutate}/${file}.ts`],
    testRunner: "vitest",
    // Not `testFiles`: with it, changes of what a module does while it loads would never be in force.
    vitest: { configFile: "scripts/mutation.vitest.config.ts", dir: "test" },
    plugins: ["@stryker-mutator/vitest-runner", "./scripts/mutation-prose.mjs"],
    ignorers: ["prose"],
    coverageAnalysis: "perTest",
    // Stryker reads tsconfig.json with the compiler's API, which TypeScript 7 does not have; vitest needs no such help.
    tsconfigFile: "none",
    incremental: true,
    incrementalFile,
    ignorePatterns: ["dist", "dashboard", "bench", "examples"],
    reporters: ["dots"],
    allowConsoleColors: false,
    concurrency: Math.min(2, availableParallelism()),
    timeoutMS: 30_000,
    warnings: { slow: false },
    logLevel: "warn",
  }).runMutationTest();
  return report(name, results);
}

/** Prints what got through, line by line, and the score of each file; true when the folder reaches the bar. */
function report(name, results) {
  const tried = results
    .filter(isTried)
    .map((result) => ({ ...result, file: relative(root, result.fileName), at: result.location.start }))
    .sort((a, b) => a.file.localeCompare(b.file) || a.at.line - b.at.line || a.at.column - b.at.column);
  for (const { file, at, status, mutatorName, replacement } of tried.filter(isMissed)) {
    const change = `${mutatorName}: ${replacement?.replace(/\s+/g, " ").slice(0, 100)}`;
    console.log(`${file}:${at.line}:${at.column}  ${status}  ${change}`);
  }
  const score = (list) => (100 * list.filter((result) => !isMissed(result)).length) / list.length;
  const files = new Set(tried.map(({ file }) => file));
  for (const file of files) {
    const own = tried.filter((each) => each.file === file);
    console.log(`${score(own).toFixed(1).padStart(5)} %  ${file} (${own.length})`);
  }
  console.log(`${score(tried).toFixed(1).padStart(5)} %  ${name} (${tried.length})\n`);
  return score(tried) >= BAR;
}

const args = process.argv.slice(2);
const named = args.filter((arg) => arg !== "--fresh");
const unknown = named.filter((name) => !Object.hasOwn(FOLDERS, name.split("/")[0]));
if (unknown.length > 0) {
  console.error(`Unknown folder: ${unknown.join(", ")}. There are ${Object.keys(FOLDERS).join(", ")}.`);
  process.exit(2);
}
let passed = true;
for (const name of named.length > 0 ? named : Object.keys(FOLDERS)) {
  passed = (await mutate(name, args.includes("--fresh"))) && passed;
}
process.exitCode = passed ? 0 : 1;
