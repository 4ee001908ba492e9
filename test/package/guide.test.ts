/** The page about test runners, as somebody copies it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Consumer, createConsumer, ROOT, SLOW } from "./consumer.js";

/** The blocks of a page that name their file. */
async function filesOf(page: string): Promise<Record<string, string>> {
  const text = await readFile(join(ROOT, page), "utf8");
  const blocks = [...text.matchAll(/```js \[(\S+)\]\n(.*?)```/gs)];
  expect(blocks).toHaveLength(text.split("```js").length - 1);
  return Object.fromEntries(blocks.map(([, name = "", code = ""]) => [name, code]));
}

let project: Consumer;
beforeAll(async () => {
  project = await createConsumer("vitest@4.1.12", "jest@30.5.2");
  await project.write(await filesOf("docs/guides/test-runners.md"));
}, SLOW);
afterAll(() => project[Symbol.asyncDispose]());

it.each([
  ["vitest", ["node_modules/vitest/vitest.mjs", "run"], /Tests +1 passed \(1\)/],
  ["Jest", ["node_modules/jest/bin/jest.js"], /Tests: +2 passed, 2 total/],
  ["node:test", ["--test", "echo.node.mjs", "window.node.mjs"], /\bpass 3\n/],
])("works as printed in %s", { timeout: SLOW }, async (_runner, args, passed) => {
  expect(await project.node(...args)).toMatch(passed);
});

it("shares what it sets up as printed", { timeout: SLOW }, async () => {
  const use =
    "import { globalSetup, globalTeardown } from './setup.mjs'; await globalSetup(); await globalTeardown();";
  expect(await project.node("--input-type=module", "--eval", use)).toBe("");
});
