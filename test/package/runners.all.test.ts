/** The fixture in the runners of others, their versions and their Nodes, and the page that tells of it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Consumer, createConsumer, LATEST, ROOT } from "./consumer.js";
import { hasGlobalSetup, MACHINE, NEWEST, OLDEST } from "./nodes.js";
import { provesFixture, provesTypes, RUNNERS, type Runner, serversOf } from "./runners.js";

const BABEL = "@babel/plugin-transform-modules-commonjs@7.27.1";

describe.each<{ name: keyof typeof RUNNERS; others: readonly string[]; node: string; servers?: number }>([
  // Before 3.2 no fixture of vitest outlives a test.
  { name: "vitest", others: ["vitest@2.1.9"], node: MACHINE, servers: 2 },
  { name: "vitest", others: ["vitest@3.2.7"], node: MACHINE },
  { name: "vitest", others: LATEST, node: NEWEST },
  { name: "jest", others: ["jest@29.7.0", BABEL], node: MACHINE },
  { name: "jest", others: LATEST, node: NEWEST },
  { name: "node-test", others: [], node: OLDEST },
  { name: "node-test", others: [], node: NEWEST },
])("$name of $others on Node $node", ({ name, others, node, servers }) => {
  const runner: Runner = RUNNERS[name];
  let project: Consumer;
  beforeAll(async () => {
    project = await (await createConsumer(...others)).on(node);
  });
  afterAll(() => project[Symbol.asyncDispose]());

  provesFixture(runner, () => project, servers);
  // No Node reads types.
  if (node === MACHINE || name === "node-test") provesTypes(runner, () => project);

  if (name === "jest")
    it("imports it as a module", async () => {
      await project.write({ "imported.test.mjs": RUNNERS.jest.files["imported.test.js"] });
      const flags = ["--experimental-vm-modules", "--no-warnings", ...RUNNERS.jest.args];
      const output = await project.node(...flags, "--testMatch", "**/imported.test.mjs");
      expect(output).toMatch(/Tests: +1 passed, 1 total/);
    });

  if (name === "node-test") {
    it("ends the server with a file that runs by itself, and tells what its tests have met", async () => {
      const output = await project.nodeWith({ MESSAGING_SIM_COVERAGE: "coverage.md" }, "required.test.cjs");
      const [url = "", ...others] = new Set(serversOf(output));
      expect(others).toEqual([]);
      await expect(fetch(url)).rejects.toThrow("fetch failed");
      // Each of its two `test` has a server.
      expect(output.match(/coverage: 1 of/g)).toHaveLength(2);
      expect(output.match(/: coverage\.md covers this worker's tests only/g)).toHaveLength(2);
      expect(output).toContain("told by keeps the context of the runner");
    });

    if (hasGlobalSetup(node))
      it("has one server for a run with the option for it, until its end", async () => {
        await project.write({
          "setup.mjs": `export { globalSetup, globalTeardown } from "messaging-sim/node-test/setup";`,
        });
        const output = await project.node("--test-global-setup=setup.mjs", ...runner.args);
        const [url = "", ...others] = new Set(serversOf(output));
        expect(others).toEqual([]);
        await expect(fetch(url)).rejects.toThrow("fetch failed");
      });
  }
});

describe("the page about test runners", () => {
  let project: Consumer;
  beforeAll(async () => {
    project = await createConsumer(...LATEST);
    const page = await readFile(join(ROOT, "docs/guides/test-runners.md"), "utf8");
    const blocks = [...page.matchAll(/```js \[(\S+)\]\n(.*?)```/gs)];
    expect(blocks).toHaveLength(page.split("```js").length - 1);
    await project.write(Object.fromEntries(blocks.map(([, name = "", code = ""]) => [name, code])));
  });
  afterAll(() => project[Symbol.asyncDispose]());

  it.each([
    ["vitest", RUNNERS.vitest.args, /Tests +1 passed \(1\)/],
    ["Jest", RUNNERS.jest.args, /Tests: +2 passed, 2 total/],
    ["node:test", ["--test", "echo.node.mjs", "window.node.mjs"], /\bpass 3\n/],
    [
      "a set-up of its own",
      [
        "--input-type=module",
        "--eval",
        "import { globalSetup, globalTeardown } from './setup.mjs'; await globalSetup(); await globalTeardown();",
      ],
      /^$/,
    ],
  ])("works as printed in %s", async (_runner, args, passed) => {
    expect(await project.node(...args)).toMatch(passed);
  });
});
