import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import type { Consumer } from "./consumer.js";

/** Tests of somebody who uses the fixture. `alone` runs one after the others, `atOnce` declares tests that run together. */
const BODY = `
  const realistic = createTest({ behaviour: "realistic", clock: "2026-01-01T09:00:00Z" });

  const worlds = [];
  let open;
  const bothHere = new Promise((resolve) => (open = resolve));
  atOnce((together) => {
    for (const name of ["one", "other"])
      together("has a world of its own, at the same time as others: " + name, async ({ sandbox, sim }) => {
        worlds.push(sim.url + " " + sandbox.id);
        if (worlds.length === 2) open();
        await bothHere;
        await sandbox.customerSays("9001", name);
        await sandbox.idle();
        assert.equal((await sandbox.deliveries()).length, 1);
        process.stdout.write("served by " + sim.url + "\\n");
      });
  });

  alone("finds the worlds of tests that are over gone", async ({ sandbox, sim }) => {
    const left = (await sim.sandboxes()).map(({ id }) => sim.url + " " + id);
    const own = sim.url + " " + sandbox.id;
    assert.equal(worlds.length, 2);
    assert.deepEqual([own, ...worlds].map((world) => left.includes(world)), [true, false, false]);
  });

  realistic("takes options", async ({ sandbox }) => {
    await sandbox.customerSays("9001", "Hello");
    await sandbox.advance("25h");
    assert.equal((await sandbox.data("threads").get("9001")).isMessagingWindowOpen, false);
  });
`;

const imported = (runner: string, more: string) => `
  import assert from "node:assert/strict";
  import { createTest, test } from "messaging-sim/${runner}";
  ${more}`;
const required = (runner: string, more: string) => `
  const assert = require("node:assert/strict");
  const { createTest, test } = require("messaging-sim/${runner}");
  ${more}`;

/** What its types let one write, and what not. */
const typesOf = (runner: string, more: string) => `
  import { createTest, test } from "messaging-sim/${runner}";
  const own = createTest({ behaviour: "realistic" });
  void test("has a client and a sandbox", async ({ sim, sandbox }) => {
    const url: string = sim.url;
    void own(url, async ({ sandbox }) => void sandbox.token("acme-token").trim());
    // @ts-expect-error: no such method
    sandbox.nothing();
  });
  // @ts-expect-error: takes options of tests
  createTest({ nothing: 1 });
  ${more}`;

const NODE_BODY = `
  const atOnce = (declare) => describe("worlds", { concurrency: true }, () => declare(test));
  const alone = test;
  ${BODY}
  test("keeps the context of the runner", { timeout: 20_000 }, async (t) => {
    await t.test("and its world in a test of its own", () => t.sandbox.customerSays("9001", "Hello"));
    assert.equal((await t.sandbox.transcript("9001")).at(-1).text, "Hello");
    t.diagnostic("told by " + t.name);
  });
  test.todo("lets a test fail", async ({ sandbox }) => {
    await sandbox.waitForReply("9001", {}, { within: 1 });
  });
  test.skip("skips", () => assert.fail());
`;

const JEST_BODY = `
  const atOnce = (declare) => declare(test.concurrent);
  const alone = test;
  ${BODY}
  test.each([["9001", "a"], ["9002", "b"]])("gives it after a row: %s", async (thread, text, { sandbox }) => {
    await sandbox.customerSays(thread, text);
    expect((await sandbox.transcript(thread)).at(-1)).toMatchObject({ text });
  });
  test.failing("lets a test fail", async ({ sandbox }) => {
    await sandbox.waitForReply("9001", {}, { within: 1 });
  });
  test.skip("skips", () => expect(1).toBe(2));
  test.todo("remembers");
`;

/** What is rarely used loads late, which the module system of Jest may not like. */
const JEST_LIBRARY = `
  const { createSimulator } = require("messaging-sim");
  const { SimClient } = require("messaging-sim/client");
  test("serves, delivers, and loads what is rarely used", async () => {
    const sim = await createSimulator();
    try {
      const scenario = "thread: '9001'\\nsteps: [{ customer: Hi }, { delivered: message }]";
      expect(await new SimClient({ url: sim.url }).run(scenario)).toMatchObject({ ok: true });
      for (const path of ["/__sim/ui/", "/__sim/openapi.json"])
        expect([path, (await fetch(sim.url + path)).status]).toEqual([path, 200]);
    } finally {
      await sim.close();
    }
  });
`;
/** With faked timers, from before or after the fixture is loaded: what is not the package's own stands still. */
const fakedInJest = (before: string, after: string) => `
  const { createServer } = require("node:http");
  ${before}
  const { test } = require("messaging-sim/jest");

  test("goes on while Jest fakes timers", async ({ sandbox }) => {
    ${after}
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
    await expect(sandbox.waitForReply("9001", {}, { within: 30 })).rejects.toThrow("within 30 ms");
    const getHooks = { request: "POST /graphql", body: { query: "get-hook-query" }, expect: 200 };
    const { ok } = await sandbox.run({ token: "acme-token", steps: [{ wait: "5ms" }, getHooks] });
    expect(ok).toBe(true);
    expect((await sandbox.clock()).now).toBeGreaterThan(1_000_000_000_000);
    expect(Date.now()).toBe(0);
    bot.close();
  });
`;
const FAKE = "jest.useFakeTimers({ now: 0 });";

const JEST_IMPORTED = `
  import { test } from "messaging-sim/jest";
  test("is imported", async ({ sandbox, sim }) => {
    await sandbox.customerSays("9001", "Hello");
    process.stdout.write("served by " + sim.url + "\\n");
  });
`;

/** Starts \`node --test\` for its arguments as \`--test-global-setup\` does, in every Node. */
const NODE_WHOLE_RUN = `
  import { execFile } from "node:child_process";
  import { promisify } from "node:util";
  import { globalSetup, globalTeardown } from "messaging-sim/node-test/setup";
  await globalSetup();
  const url = process.env.MESSAGING_SIM_URL;
  const run = promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", ...process.argv.slice(2)]);
  console.log((await run.catch((failed) => failed)).stdout);
  await globalTeardown();
  const ended = await fetch(url).catch(({ cause }) => cause.code);
  console.log("afterwards: " + ended, process.env.MESSAGING_SIM_URL);
`;

export interface Runner {
  readonly files: Readonly<Record<string, string>>;
  /** Arguments of Node that run the files which use the fixture. */
  readonly args: readonly string[];
  readonly passed: RegExp;
  /** How many tests say by which server they are served, and how many servers there are without a global set-up. */
  readonly served: number;
  readonly servers: number;
  /** One server for a whole run: files to write, or arguments for it, and what it says at its end. */
  readonly setup: {
    readonly files: Runner["files"];
    readonly args?: readonly string[];
    readonly says?: RegExp;
  };
  readonly types: Readonly<Record<string, string>>;
}

const ENDS = (names: string) => `export const ends: readonly (() => Promise<unknown>)[] = [${names}];`;
const NODE_FILES = ["module.test.mjs", "required.test.cjs"];
const JEST = "node_modules/jest/bin/jest.js";
const VITEST_CONFIG = `export default { test: { globalSetup: ["messaging-sim/vitest/setup"] } };`;
/** A machine that is busy with other things must not look like a test that hangs. */
const PATIENTLY = "--testTimeout=60000";

export const RUNNERS = {
  vitest: {
    files: {
      "sim.test.mjs": imported(
        "vitest",
        `const atOnce = (declare) => declare(test.concurrent);\nconst alone = test;\n${BODY}`,
      ),
    },
    args: ["node_modules/vitest/vitest.mjs", "run", PATIENTLY],
    passed: /Tests +4 passed \(4\)/,
    served: 2,
    servers: 1,
    setup: { files: { "vitest.config.mjs": VITEST_CONFIG } },
    types: { "types.mts": typesOf("vitest", `own.sequential("one", async () => {});`) },
  },
  jest: {
    files: {
      "library.test.js": JEST_LIBRARY,
      "fixture.test.js": required("jest", JEST_BODY),
      "faked.test.js": fakedInJest("", FAKE),
      "faked-first.test.js": fakedInJest(FAKE, ""),
      "imported.test.js": JEST_IMPORTED,
      "babel.config.json": JSON.stringify({ plugins: ["@babel/plugin-transform-modules-commonjs"] }),
    },
    args: [JEST, PATIENTLY],
    passed: /Tests: +1 skipped, 1 todo, 11 passed, 13 total/,
    served: 3,
    servers: 2,
    setup: {
      files: {
        "jest.config.js": `module.exports = {
          globalSetup: "messaging-sim/jest/setup",
          globalTeardown: "messaging-sim/jest/teardown",
        };`,
      },
    },
    types: {
      "types.cts": typesOf(
        "jest",
        `import setUp from "messaging-sim/jest/setup";
        import tearDown from "messaging-sim/jest/teardown";
        ${ENDS("setUp, tearDown")}`,
      ),
      "types.mts": typesOf(
        "jest",
        `test.concurrent.only("one", async () => {}, 1000);
        test.each([["a", 1]])("%s", (text, count, { sandbox }) => sandbox.customerSays(text.trim(), count.toFixed()));
        test.each([1, 2])("%s", (count, { sandbox }) => sandbox.customerSays("9001", count.toFixed()));`,
      ),
    },
  },
  "node-test": {
    files: {
      "module.test.mjs": imported("node-test", `import { describe } from "node:test";\n${NODE_BODY}`),
      "required.test.cjs": required("node-test", `const { describe } = require("node:test");\n${NODE_BODY}`),
      "run.mjs": NODE_WHOLE_RUN,
    },
    args: ["--test", "--test-reporter=tap", ...NODE_FILES],
    passed: /\bpass 12\n[\s\S]*\bfail 0\n[\s\S]*\bskipped 2\n[\s\S]*\btodo 2\n/,
    served: 4,
    servers: 2,
    setup: { files: {}, args: ["run.mjs", ...NODE_FILES], says: /afterwards: ECONNREFUSED undefined/ },
    types: {
      "types.mts": typesOf(
        "node-test",
        `import { globalSetup, globalTeardown } from "messaging-sim/node-test/setup";
        void test("one", { concurrency: true }, async (t) => void [t.sandbox, t.name, t.signal.aborted]);
        ${ENDS("globalSetup, globalTeardown")}`,
      ),
      "types.cts": typesOf("node-test", "void own.only;"),
    },
  },
} satisfies Record<string, Runner>;

/** The addresses of the servers that a run has printed. */
export const serversOf = (output: string): string[] =>
  [...output.matchAll(/served by (\S+)/g)].map(([, url = ""]) => url);

/** Declares what the fixture of a runner promises; `consumer`: a project in which the runner is. */
export function provesFixture(runner: Runner, consumer: () => Consumer, servers = runner.servers): void {
  it("has a world for each test, and a server for each file", async () => {
    await consumer().write(runner.files);
    const output = await consumer().node(...runner.args);
    expect(output).toMatch(runner.passed);
    expect(output).not.toMatch(/did not exit|coverage:/);
    expect(serversOf(output)).toHaveLength(runner.served);
    expect(new Set(serversOf(output)).size).toBe(servers);
  });

  it("has one server for a run with a global set-up, which tells once what all tests have met", async () => {
    const { files, args = runner.args, says = /./ } = runner.setup;
    await consumer().write(files);
    const output = await consumer().nodeWith({ MESSAGING_SIM_COVERAGE: "1" }, ...args);
    for (const part of [runner.passed, says, "✓ message (customer)"]) expect(output).toMatch(part);
    expect(serversOf(output)).toHaveLength(runner.served);
    const [url = "", ...others] = new Set(serversOf(output));
    expect(others).toEqual([]);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
    expect(output.match(/coverage: 1 of/g)).toHaveLength(1);
  });

  it("has the server that it is pointed at", async () => {
    const sim = await startSimulator();
    const output = await consumer().nodeWith({ MESSAGING_SIM_URL: sim.url }, ...runner.args);
    expect(serversOf(output)).toEqual(Array(runner.served).fill(sim.url));
    expect((await sim.control("GET /sandboxes")).body).toHaveLength(1);
  });
}

/** Declares that its types need those of nobody else, as a module and as CommonJS. */
export const provesTypes = ({ types }: Runner, consumer: () => Consumer): void =>
  it.each(Object.entries(types))("has types of its own: %s", async (file, text) => {
    expect(await consumer().typeProblems(file, text)).toEqual([]);
  });
