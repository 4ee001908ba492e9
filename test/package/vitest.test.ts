/** The fixture in every vitest since 2. */
import { describe, expect, it } from "vitest";
import { createConsumer, SLOW } from "./consumer.js";
import { MACHINE, NEWEST } from "./nodes.js";

const VITEST = `
  import { expect } from "vitest";
  import { createTest, test } from "messaging-sim/vitest";

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

  test("deletes the worlds of tests that are over", async ({ sandbox, sim }) => {
    expect((await sim.sandboxes()).map(({ id }) => id)).toEqual(["default", sandbox.id]);
  });
`;

const TYPES = `
  import { createTest, test } from "messaging-sim/vitest";

  const own = createTest({ behaviour: "realistic" });
  test("has a client and a sandbox", async ({ sim, sandbox }) => {
    const url: string = sim.url;
    own.sequential(url, async ({ sandbox }) => void sandbox.token("acme-token").trim());
    // @ts-expect-error: no such method
    sandbox.nothing();
  });
`;

const SETUP = `export default { test: { globalSetup: ["messaging-sim/vitest/setup"] } };`;

describe("the fixture of vitest", () => {
  it.each([
    // Before 3.2 no fixture outlives a test.
    { version: "2.1.9", node: MACHINE, servers: 2 },
    { version: "3.2.7", node: MACHINE, servers: 1 },
    // On this very Node a page and a recipe have it.
    { version: "4.1.12", node: NEWEST, servers: 1 },
  ])("works with $version on Node $node", { timeout: SLOW }, async ({ version, node, servers }) => {
    await using installed = await createConsumer(`vitest@${version}`);
    const project = await installed.on(node);
    const served = async () => {
      const output = await project.node("node_modules/vitest/vitest.mjs", "run");
      expect(output).toMatch(/Tests +4 passed \(4\)/);
      expect(output).toContain(`v${version}`);
      return new Set([...output.matchAll(/served by (\S+)/g)].map(([, url]) => url));
    };
    await project.write({ "sim.test.mjs": VITEST });
    expect((await served()).size).toBe(servers);
    await project.write({ "vitest.config.mjs": SETUP });
    expect((await served()).size).toBe(1);

    // No Node reads types.
    if (node === MACHINE) expect(await project.typeProblems("types.mts", TYPES)).toEqual([]);
  });
});
