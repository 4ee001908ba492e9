/** The package in the test runners of others: Jest without flags, and every vitest since 2. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createConsumer, ROOT, SLOW } from "./consumer.js";

const JEST = `
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

const VITEST = `
  import { expect } from "vitest";
  import { createTest, test } from "messaging-sim/vitest";

  const realistic = createTest({ behaviour: "realistic", clock: "2026-01-01T09:00:00Z" });

  let arrived = 0;
  let open;
  const bothHere = new Promise((resolve) => (open = resolve));
  for (const name of ["one", "other"])
    test("gives each a world of its own, at the same time: " + name, async ({ sandbox, sim }) => {
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

  test.sequential("deletes the worlds of tests that are over", async ({ sandbox, sim }) => {
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

/** Their own declarations are checked too, and those of vitest with them: what is wrong there is not ours. */
const TSCONFIG = JSON.stringify({
  compilerOptions: {
    module: "nodenext",
    target: "es2022",
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  },
  files: ["types.mts"],
});

const SETUP = `export default { test: { globalSetup: ["messaging-sim/vitest/setup"] } };`;

it("Jest requires root and client", { timeout: SLOW }, async () => {
  await using project = await createConsumer("jest@30.5.2");
  await project.write({ "sim.test.js": JEST });
  expect(await project.node("node_modules/jest/bin/jest.js")).toMatch(/Tests: +1 passed, 1 total/);
});

describe("the fixture of vitest", () => {
  it.each([
    // Before 3.2 no fixture outlives a test.
    { version: "2.1.9", servers: 2 },
    { version: "3.2.7", servers: 1 },
    { version: "4.1.12", servers: 1 },
  ])("works with $version", { timeout: SLOW }, async ({ version, servers }) => {
    await using project = await createConsumer(`vitest@${version}`);
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

    await project.write({ "tsconfig.json": TSCONFIG, "types.mts": TYPES });
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const printed = await project.node(compiler, "-p", ".").catch(({ stdout }: { stdout: string }) => stdout);
    expect(printed.split("\n").filter((line) => /^(types\.mts|.*messaging-sim\/)/.test(line))).toEqual([]);
  });
});
