import { beforeAll, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { addPlaywright, createConsumer, PLAYWRIGHT, shared } from "./consumer.js";
import { serversOf } from "./runners.js";

const project = shared(() => createConsumer());

/** Two files, which two workers run. */
const spec = (name: string, load: string) => `
  ${load}
  const realistic = createTest({ behaviour: "realistic", clock: "2026-01-01T09:00:00Z" });
  const worlds = [];

  for (const name of ["one", "other"])
    test("has a world of its own: " + name, async ({ sandbox, sim, server }) => {
      const left = (await sim.sandboxes()).map(({ id }) => id);
      expect(worlds.filter((id) => left.includes(id))).toEqual([]);
      worlds.push(sandbox.id);
      await sandbox.customerSays("9001", name);
      await sandbox.idle();
      expect(await sandbox.deliveries()).toHaveLength(1);
      expect(server.url).toBe(sim.url);
      process.stdout.write("served by " + sim.url + "\\n");
    });

  realistic("takes options in ${name}", async ({ sandbox }) => {
    await sandbox.customerSays("9001", "Hello");
    await sandbox.advance("25h");
    expect((await sandbox.data("threads").get("9001")).isMessagingWindowOpen).toBe(false);
  });
`;
const FILES = {
  "module.spec.mjs": spec(
    "a module",
    `import { expect } from "@playwright/test";
    import { createTest, test } from "messaging-sim/playwright";`,
  ),
  "required.spec.cjs": spec(
    "CommonJS",
    `const { expect } = require("@playwright/test");
    const { createTest, test } = require("messaging-sim/playwright");`,
  ),
};
const ARGS = [...PLAYWRIGHT, "--workers=2", "--reporter=line"];

beforeAll(async () => {
  await addPlaywright(project());
  await project().write(FILES);
});

it("has a world for each test, and a server for each worker", async () => {
  const output = await project().node(...ARGS);
  expect(output).toMatch(/\b6 passed\b/);
  expect(output).not.toContain("coverage:");
  expect(serversOf(output)).toHaveLength(4);
  expect(new Set(serversOf(output)).size).toBe(2);
});

it("has the server that it is pointed at", async () => {
  const sim = await startSimulator();
  const output = await project().nodeWith({ MESSAGING_SIM_URL: sim.url }, ...ARGS);
  expect(serversOf(output)).toEqual(Array(4).fill(sim.url));
  expect((await sim.control("GET /sandboxes")).body).toHaveLength(1);
});

it("has one server for a run with a global set-up, which tells once what all tests have met", async () => {
  await project().write({
    "playwright.config.mjs": `export default { globalSetup: "messaging-sim/playwright/setup" };`,
  });
  const output = await project().nodeWith({ MESSAGING_SIM_COVERAGE: "1" }, ...ARGS);
  expect(output).toMatch(/\b6 passed\b/);
  expect(output.match(/coverage: 1 of/g)).toHaveLength(1);
  const [url = "", ...others] = new Set(serversOf(output));
  expect(others).toEqual([]);
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

const TYPES = `
  import { createTest, test } from "messaging-sim/playwright";
  const own = createTest({ behaviour: "realistic" });
  own.describe.configure({ mode: "parallel" });
  test("has a client, a sandbox and a page", async ({ sim, sandbox, page }) => {
    const url: string = sim.url;
    await page.goto(url + sandbox.token("acme-token").trim());
    // @ts-expect-error: no such method
    sandbox.nothing();
  });
  // @ts-expect-error: takes options of tests
  createTest({ nothing: 1 });
`;
const SET_UP = `
  import setUp from "messaging-sim/playwright/setup";
  export const end: Promise<() => Promise<void>> = setUp();
`;

it.each([
  ["types.mts", TYPES],
  ["types.cts", TYPES + SET_UP],
])("has types of its own, beside those of Playwright: %s", async (file, text) => {
  expect(await project().typeProblems(file, text, { lib: ["es2022", "dom"] })).toEqual([]);
});
