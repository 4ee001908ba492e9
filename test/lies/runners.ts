/** Runs conversations with bots through `run`, vitest and pytest, as somebody who uses the package does. */
import { execFile } from "node:child_process";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { findPytest } from "../../scripts/programs.mjs";
import { run as runCommand } from "../cli/terminal.js";
import { copy, WITH_FIXTURES } from "../examples/recipes.js";
import { type Consumer, createConsumer, ROOT } from "../package/consumer.js";
import { freePort } from "../support/free-port.js";
import type { Case } from "./lies.js";

const run = promisify(execFile);
const FOLDER = import.meta.dirname;

/** The first line of each failure; undefined for a round that passed. */
type Outcome = readonly (string | undefined)[];

/** What the outcomes of each bot once must be. */
export const expectedOf = (bots: readonly (Case & { readonly cause?: RegExp })[]) =>
  Object.fromEntries(
    bots.map(({ name, cause }) => [name, [cause === undefined ? undefined : expect.stringMatching(cause)]]),
  );

const pathOf = ({ program }: Case): string => join(FOLDER, `${program}.mjs`);

/** `messaging-sim run --hook … --exec …`: what the line below the title of each failed round says, and all that was printed. */
export async function byRun(
  bot: Case,
  more: readonly string[] = [],
): Promise<{ readonly outcome: Outcome; readonly output: string }> {
  const { conversation, rounds, within, silent } = bot;
  const port = String(await freePort());
  const file = join(FOLDER, "conversations", `${conversation}.yaml`);
  const params = [`within=${within}ms`, ...(conversation === "window" ? [] : [`silent=${silent}ms`])];
  const words = ["run", ...Array<string>(rounds).fill(file), "--hook", `http://127.0.0.1:${port}`];
  const options = params.flatMap((param) => ["--param", param]);
  const exec = ["--exec", `${process.execPath} ${pathOf(bot)}`];
  const env = { PORT: port, PATH: process.env.PATH ?? "" };
  const { code, out, err } = await runCommand([...words, ...options, ...exec, ...more], env);
  const output = out + err;
  const titles = [...out.matchAll(/^([✓✗]) .*\n( {2}Why: .*)?/gm)];
  const outcome = titles.map(([, mark, why]) => (mark === "✓" ? undefined : (why?.trim() ?? "no cause")));
  if (outcome.length !== rounds || (code === 0) !== outcome.every((line) => line === undefined))
    throw new Error(`run ended with ${code}:\n${output}`);
  return { outcome, output };
}

/** A project with the package, and these bots for its tests. */
async function projectWith(cases: readonly Case[]): Promise<Consumer> {
  const project = await createConsumer();
  const withPorts = await Promise.all(
    cases.map(async (bot) => ({ ...bot, program: pathOf(bot), port: await freePort() })),
  );
  await project.write({ "cases.json": JSON.stringify(withPorts) });
  return project;
}

/** The outcomes of tests, by their names. */
function grouped(results: readonly (readonly [name: string, failure: string | undefined])[]) {
  const outcomes = new Map<string, Outcome>();
  for (const [name, failure] of results)
    outcomes.set(name, [...(outcomes.get(name) ?? []), failure?.split("\n")[0]]);
  return outcomes;
}

/** Tests with the fixture of `messaging-sim/vitest`, all bots at once. @returns the outcomes by the bots' names */
export async function byVitest(cases: readonly Case[]): Promise<ReadonlyMap<string, Outcome>> {
  await using project = await projectWith(cases);
  await symlink(join(ROOT, "node_modules", "vitest"), join(project.folder, "node_modules", "vitest"));
  const tests = await readFile(join(FOLDER, "conversations.vitest.mjs"), "utf8");
  await project.write({ "conversations.test.mjs": tests });
  const options = ["--reporter=json", "--outputFile=report.json", `--maxConcurrency=${cases.length}`];
  const ended = await project.node("node_modules/vitest/vitest.mjs", "run", ...options).catch(String);
  const text = await readFile(join(project.folder, "report.json"), "utf8").catch(() => fail(ended));
  type File = { readonly assertionResults: { readonly title: string; readonly failureMessages: string[] }[] };
  const results = (JSON.parse(text).testResults as File[]).flatMap((file) => file.assertionResults);
  return grouped(results.map(({ title, failureMessages: [failure] }) => [title, failure] as const));
}

/** Tests with the fixtures for pytest, one after the other. @returns the outcomes by the bots' names */
export async function byPytest(cases: readonly Case[]): Promise<ReadonlyMap<string, Outcome>> {
  await using project = await projectWith(cases);
  copy("pytest", project.folder);
  await project.write({ "test_notify.py": await readFile(join(FOLDER, "test_conversations.py"), "utf8") });
  // It shows whole messages where it is asked twice for details.
  const words = ["-m", "pytest", "-vv", "-rA", "--tb=no"];
  const options = {
    cwd: project.folder,
    env: { ...project.environment, ...WITH_FIXTURES },
    maxBuffer: 16 * 1024 * 1024,
  };
  const { stdout } = await run(findPytest() ?? fail("no pytest"), words, options).catch((error) => error);
  // It numbers tests of the same name.
  const lines = String(stdout).matchAll(/^(?:PASSED|FAILED|ERROR) \S+\[(.*?)\d*\](?: - (.*))?$/gm);
  return grouped([...lines].map(([, name = "", failure]) => [name, failure] as const));
}

function fail(message: string): never {
  throw new Error(message);
}
