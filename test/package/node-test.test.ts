/** The fixture in the runner of each Node. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { type Consumer, createConsumer, SLOW } from "./consumer.js";
import { hasGlobalSetup, NEWEST, OLDEST } from "./nodes.js";

const BODY = `
  const realistic = createTest({ behaviour: "realistic", clock: "2026-01-01T09:00:00Z" });

  let arrived = 0;
  let open;
  const bothHere = new Promise((resolve) => (open = resolve));
  const ids = [];
  describe("worlds", { concurrency: true }, () => {
    for (const name of ["one", "other"])
      test("are each test's own, at the same time: " + name, async ({ sandbox, sim }) => {
        ids.push(sandbox.id);
        arrived += 1;
        if (arrived === 2) open();
        await bothHere;
        await sandbox.customerSays("9001", name);
        await sandbox.idle();
        assert.equal((await sandbox.deliveries()).length, 1);
        console.log("served by " + sim.url);
      });
  });

  test("worlds of tests that are over are gone", async ({ sandbox, sim }) => {
    const left = (await sim.sandboxes()).map(({ id }) => id);
    assert.equal(ids.length, 2);
    assert.deepEqual([left.includes(sandbox.id), ...ids.map((id) => left.includes(id))], [true, false, false]);
  });

  realistic("takes options", { timeout: 20_000 }, async ({ sandbox }) => {
    await sandbox.customerSays("9001", "Hello");
    await sandbox.advance("25h");
    assert.equal((await sandbox.data("threads").get("9001")).isMessagingWindowOpen, false);
  });

  test("keeps the context of the runner", async (t) => {
    await t.test("and its world in a test of its own", () => t.sandbox.customerSays("9001", "Hello"));
    assert.equal((await t.sandbox.transcript("9001")).at(-1).text, "Hello");
    t.diagnostic("told by " + t.name);
  });

  test.todo("lets a test fail", async ({ sandbox }) => {
    await sandbox.waitForReply("9001", {}, { timeoutMs: 1 });
  });

  test.skip("skips", () => assert.fail());
`;

const MODULE = `
  import assert from "node:assert/strict";
  import { describe } from "node:test";
  import { createTest, test } from "messaging-sim/node-test";
  ${BODY}`;

const REQUIRED = `
  const assert = require("node:assert/strict");
  const { describe } = require("node:test");
  const { createTest, test } = require("messaging-sim/node-test");
  ${BODY}`;

/** What \`node --test --test-global-setup\` does, in every Node. */
const WHOLE_RUN = `
  import { execFile } from "node:child_process";
  import { promisify } from "node:util";
  import { globalSetup, globalTeardown } from "messaging-sim/node-test/setup";

  await globalSetup();
  const url = process.env.MESSAGING_SIM_URL;
  const run = promisify(execFile)(process.execPath, ["--test", ...process.argv.slice(2)]);
  console.log((await run.catch((failed) => failed)).stdout);
  await globalTeardown();
  const ended = await fetch(url).catch(({ cause }) => cause.code);
  console.log("set up " + url, "afterwards: " + ended, process.env.MESSAGING_SIM_URL);
`;

const TYPES = `
  import { createTest, test } from "messaging-sim/node-test";
  import { globalSetup, globalTeardown } from "messaging-sim/node-test/setup";

  const own = createTest({ behaviour: "realistic" });
  void test("has a client and a sandbox", { concurrency: true }, async ({ sim, sandbox, signal }) => {
    const url: string = sim.url;
    void own.only(url, async (t) => void t.sandbox.token(t.name).trim());
    // @ts-expect-error: no such method
    sandbox.nothing(signal.aborted);
  });
  // @ts-expect-error: takes options of tests
  createTest({ nothing: 1 });
  export const ends: readonly (() => Promise<void>)[] = [globalSetup, globalTeardown];
`;

const PASSED = /\bpass 12\n[\s\S]*\bfail 0\n[\s\S]*\bskipped 2\n[\s\S]*\btodo 2\n/;
const FILES = ["module.test.mjs", "required.test.cjs"];
const COVERED = { MESSAGING_SIM_COVERAGE: "1" };
const coverageIn = (output: string) => output.match(/coverage: 1 of/g)?.length;
const serversOf = (output: string) => [...output.matchAll(/served by (\S+)/g)].map(([, url]) => url);

let project: Consumer;
beforeAll(async () => {
  project = await createConsumer();
  await project.write({
    "module.test.mjs": MODULE,
    "required.test.cjs": REQUIRED,
    "run.mjs": WHOLE_RUN,
    "setup.mjs": `export { globalSetup, globalTeardown } from "messaging-sim/node-test/setup";`,
  });
}, SLOW);
afterAll(() => project[Symbol.asyncDispose]());

// On this very Node a page and a recipe have it.
describe.each([OLDEST, NEWEST])("on Node %s", (version) => {
  let onNode: Consumer;
  beforeAll(async () => {
    onNode = await project.on(version);
  }, SLOW);

  it("has a world for each test, and a server for each file", { timeout: SLOW }, async () => {
    const output = await onNode.node("--test", "--test-reporter=tap", ...FILES);
    expect(output).toMatch(PASSED);
    expect(output.match(/told by keeps the context of the runner/g)).toHaveLength(2);
    expect(new Set(serversOf(output)).size).toBe(2);
  });

  it("ends the server with the file, and tells what its tests have met", { timeout: SLOW }, async () => {
    const output = await onNode.nodeWith(COVERED, "required.test.cjs");
    const [url = "", ...others] = new Set(serversOf(output));
    expect(others).toEqual([]);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
    // Each of its two `test` has a server.
    expect(coverageIn(output)).toBe(2);
  });

  it("has the server that it is pointed at", { timeout: SLOW }, async () => {
    const sim = await startSimulator();
    const pointed = await onNode.nodeWith({ MESSAGING_SIM_URL: sim.url }, "--test", ...FILES);
    expect(serversOf(pointed)).toEqual([sim.url, sim.url, sim.url, sim.url]);
    expect((await sim.control("GET /sandboxes")).body).toHaveLength(1);
  });

  it("has one server for a run with a global setup, until its end, and tells what all have met", {
    timeout: SLOW,
  }, async () => {
    const output = await onNode.nodeWith(COVERED, "run.mjs", ...FILES);
    const [, url, ended] = /set up (\S+) afterwards: (.*)/.exec(output) ?? [];
    expect(serversOf(output)).toEqual([url, url, url, url]);
    expect(ended).toBe("ECONNREFUSED undefined");
    expect(coverageIn(output)).toBe(1);
  });

  if (hasGlobalSetup(version))
    it("has one server for a run with the option for it, until its end", { timeout: SLOW }, async () => {
      const output = await onNode.node("--test", "--test-global-setup=setup.mjs", ...FILES);
      const [url = "", ...others] = serversOf(output);
      expect(others).toEqual([url, url, url]);
      await expect(fetch(url)).rejects.toThrow("fetch failed");
    });
});

it.each(["types.mts", "types.cts"])("has types of its own: %s", { timeout: SLOW }, async (file) => {
  expect(await project.typeProblems(file, TYPES)).toEqual([]);
});
