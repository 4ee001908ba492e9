/** The package in Jest, without flags: root and client, and the fixture. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { type Consumer, createConsumer, SLOW } from "./consumer.js";
import { MACHINE, NEWEST } from "./nodes.js";

const LIBRARY = `
  const { createSimulator } = require("messaging-sim");
  const { SimClient } = require("messaging-sim/client");

  test("serves, delivers, and loads what is rarely used", async () => {
    const sim = await createSimulator();
    try {
      const client = new SimClient({ url: sim.url });
      await client.customerSays("9001", "Hello");
      await client.idle();
      expect((await client.deliveries()).map(({ status }) => status)).toEqual(["delivered"]);
      const scenario = "thread: '9001'\\nsteps:\\n  - customer: Hi\\n";
      const ran = await fetch(sim.url + "/__sim/scenarios/run", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ scenario }),
      });
      expect(await ran.json()).toMatchObject({ ok: true });
      for (const path of ["/__sim/ui/", "/__sim/openapi.json"])
        expect([path, (await fetch(sim.url + path)).status]).toEqual([path, 200]);
    } finally {
      await sim.close();
    }
  });
`;

const FIXTURE = `
  const { createTest, test } = require("messaging-sim/jest");

  const realistic = createTest({ behaviour: "realistic", clock: "2026-01-01T09:00:00Z" });

  let arrived = 0;
  let open;
  const bothHere = new Promise((resolve) => (open = resolve));
  for (const name of ["one", "other"])
    test.concurrent("gives each a world of its own, at the same time: " + name, async ({ sandbox, sim }) => {
      arrived += 1;
      if (arrived === 2) open();
      await bothHere;
      await sandbox.customerSays("9001", name);
      await sandbox.idle();
      expect(await sandbox.deliveries()).toHaveLength(1);
      process.stdout.write("served by " + sim.url + "\\n");
    });

  realistic("takes options", async ({ sandbox }) => {
    await sandbox.customerSays("9001", "Hello");
    await sandbox.advance("25h");
    expect(await sandbox.data("threads").get("9001")).toMatchObject({ isMessagingWindowOpen: false });
  });

  test.each([["9001", "a"], ["9002", "b"]])("gives it after a row: %s", async (thread, text, { sandbox }) => {
    await sandbox.customerSays(thread, text);
    expect((await sandbox.transcript(thread)).at(-1)).toMatchObject({ text });
  });

  test.failing("lets a test fail", async ({ sandbox }) => {
    await sandbox.waitForReply("9001", {}, { timeoutMs: 1 });
  });

  test.skip("skips", () => expect(1).toBe(2));
  test.todo("remembers");
`;

/** Tells in how many worlds the tests before it have left something. */
const DISPOSED = `
  const { test } = require("messaging-sim/jest");
  let before;
  test("has a world", ({ sandbox }) => void (before = sandbox.id));
  test("whose world is gone afterwards", async ({ sandbox, sim }) => {
    const ids = (await sim.sandboxes()).map(({ id }) => id);
    expect(ids).toContain(sandbox.id);
    expect(ids).not.toContain(before);
  });
`;

const IMPORTED = `
  import { test } from "messaging-sim/jest";

  test("is imported", async ({ sandbox, sim }) => {
    await sandbox.customerSays("9001", "Hello");
    process.stdout.write("served by " + sim.url + "\\n");
  });
`;

const TYPES = `
  import { createTest, test } from "messaging-sim/jest";
  import setUp from "messaging-sim/jest/setup";
  import tearDown from "messaging-sim/jest/teardown";

  const own = createTest({ behaviour: "realistic" });
  test.concurrent.only("has a client and a sandbox", async ({ sim, sandbox }) => {
    const url: string = sim.url;
    own(url, async ({ sandbox }) => void sandbox.token("acme-token").trim(), 1000);
    // @ts-expect-error: no such method
    sandbox.nothing();
  });
  test.each([["a", 1]])("%s", (text, count, { sandbox }) => sandbox.customerSays(text.trim(), count.toFixed()));
  test.each([1, 2])("%s", (count, { sandbox }) => sandbox.customerSays("9001", count.toFixed()));
  // @ts-expect-error: takes options of tests
  createTest({ nothing: 1 });
  export const ends: readonly (() => Promise<void>)[] = [setUp, tearDown];
`;

/** With faked timers, also from before anything was loaded: what is not the package's own stands still. */
const FAKED = `
  const { createServer, request } = require("node:http");
  const { test } = require("messaging-sim/jest");

  test("goes on while Jest fakes timers", async ({ sandbox }) => {
    jest.useFakeTimers({ now: 0 });
    const bot = createServer((event, response) => {
      event.resume();
      response.end();
    });
    await new Promise((resolve) => bot.listen(0, "127.0.0.1", resolve));
    await sandbox.connect("http://127.0.0.1:" + bot.address().port);
    for (const text of ["one", "two", "three"]) {
      await sandbox.customerSays("9001", text);
      await sandbox.waitForDelivery({ eventType: "message", status: "delivered" });
    }
    await sandbox.advance("25h");
    await sandbox.idle();
    await expect(sandbox.waitForReply("9001", {}, { timeoutMs: 30 })).rejects.toThrow("waited 30 ms");
    const getHooks = { request: "POST /graphql", body: { query: "get-hook-query" }, expect: 200 };
    const { ok } = await sandbox.run({ token: "acme-token", steps: [{ wait: "5ms" }, getHooks] });
    expect(ok).toBe(true);
    expect((await sandbox.clock()).now).toBeGreaterThan(1_000_000_000_000);
    expect(Date.now()).toBe(0);
    bot.close();
  });
`;

const SETUP = `module.exports = {
  globalSetup: "messaging-sim/jest/setup",
  globalTeardown: "messaging-sim/jest/teardown",
};`;

const BABEL = JSON.stringify({ plugins: ["@babel/plugin-transform-modules-commonjs"] });

// What is newest runs on this very Node where a page or a recipe has it.
describe.each([
  { version: "29.7.0", node: MACHINE },
  { version: "30.5.2", node: NEWEST },
])("Jest $version on Node $node", ({ version, node }) => {
  let project: Consumer;
  beforeAll(async () => {
    const babel = "@babel/plugin-transform-modules-commonjs@7.27.1";
    project = await createConsumer(`jest@${version}`, babel);
    project = await project.on(node);
    await project.write({
      "library.test.js": LIBRARY,
      "fixture.test.js": FIXTURE,
      "disposed.test.js": DISPOSED,
      "imported.test.js": IMPORTED,
      "babel.config.json": BABEL,
    });
  }, SLOW);
  afterAll(() => project[Symbol.asyncDispose]());

  const PROGRAM = "node_modules/jest/bin/jest.js";
  const servers = (output: string) => [...output.matchAll(/served by (\S+)/g)].map(([, url]) => url);

  it("requires root and client, has a world for each test and a server for each file", {
    timeout: SLOW,
  }, async () => {
    const output = await project.node(PROGRAM);
    expect(output).toMatch(/Tests: +1 skipped, 1 todo, 10 passed, 12 total/);
    expect(output).not.toContain("did not exit");
    expect(new Set(servers(output)).size).toBe(2);
  });

  it("has one server for all files, or the one that it is pointed at", { timeout: SLOW }, async () => {
    await project.write({ "jest.config.js": SETUP });
    const files = ["fixture", "imported"];
    const output = await project.nodeWith({ MESSAGING_SIM_COVERAGE: "1" }, PROGRAM, ...files);
    expect(output).toMatch(/Test Suites: 2 passed, 2 total/);
    expect(servers(output)).toHaveLength(3);
    expect(new Set(servers(output)).size).toBe(1);
    expect(output.match(/coverage: 1 of/g)).toHaveLength(1);

    const sim = await startSimulator();
    const pointed = await project.nodeWith({ MESSAGING_SIM_URL: sim.url }, PROGRAM, ...files);
    expect(servers(pointed)).toEqual([sim.url, sim.url, sim.url]);
    expect((await sim.control("GET /sandboxes")).body).toHaveLength(1);
  });

  it.each([
    ["", ""],
    [" that are there from the start", '--fakeTimers={"enableGlobally":true}'],
  ])("goes on under fake timers%s", { timeout: SLOW }, async (_when, flag) => {
    await project.write({ "faked.case.js": FAKED });
    const flags = ["--testMatch", "**/faked.case.js", ...(flag === "" ? [] : [flag])];
    const output = await project.node(PROGRAM, ...flags);
    expect(output).toMatch(/Tests: +1 passed, 1 total/);
  });

  it("imports it as a module", { timeout: SLOW }, async () => {
    await project.write({ "imported.test.mjs": IMPORTED });
    const flags = ["--experimental-vm-modules", "--no-warnings", PROGRAM];
    const output = await project.node(...flags, "--testMatch", "**/imported.test.mjs");
    expect(output).toMatch(/Tests: +1 passed, 1 total/);
  });

  // No Node reads types.
  if (node === MACHINE)
    it("has types that need those of nobody else", { timeout: SLOW }, async () => {
      expect(await project.typeProblems("types.cts", TYPES)).toEqual([]);
      expect(await project.typeProblems("types.mts", TYPES.replace("= [setUp, tearDown]", "= []"))).toEqual(
        [],
      );
    });
});
