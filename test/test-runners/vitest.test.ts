/** What install.gate.test.ts does not show in the built package. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fixturesOf, type SharedFixtures } from "../../src/adapters/fixture.js";
import { setUpRun, tearDownRun } from "../../src/adapters/run-server.js";
import { createTest, test } from "../../src/adapters/vitest.js";
import { SimClient } from "../../src/client/index.js";

const guarded = createTest({ simulator: { controlToken: "secret" } });

const extended = test.extend("token", ({ sandbox }) => sandbox.token("acme-token"));
extended.for(["a", "b"])("has its fixtures when it is extended: %s", async (_name, { token, sandbox }) => {
  expect(token).toBe(`${sandbox.id}.acme-token`);
});

describe("tests of a file run one after the other", () => {
  let running = 0;
  beforeEach(() => void (running += 1));
  afterEach(() => void (running -= 1));

  for (const name of ["one", "two", "three"])
    test(`with snapshots and counted assertions as in vitest: ${name}`, async ({ sandbox }) => {
      expect.assertions(3);
      await sandbox.customerSays("9001", name);
      expect(running).toBe(1);
      expect(name !== "").toMatchInlineSnapshot(`true`);
      const delivery = await sandbox.waitForDelivery("message");
      expect(delivery.body).toMatchObject({ data: { messageBody: name } });
    });
});

guarded("starts a simulator of its own", async ({ sandbox, server }) => {
  expect(server.controlToken).toBe("secret");
  expect((await fetch(`${server.url}/__sim/state`)).status).toBe(401);
  await sandbox.reset();
});

for (const fixtures of ["fixtures/empty.json", "empty"])
  createTest({ fixtures })(`starts from the fixture ${fixtures}`, async ({ sandbox }) => {
    expect(await sandbox.data("threads").list()).toEqual([]);
    expect(await sandbox.data("tokens").list()).toHaveLength(1);
  });

it("names a fixture file that is not JSON", async () => {
  const sim = new SimClient("http://127.0.0.1:1");
  const { sandbox } = fixturesOf({ fixtures: "README.md" });
  const made = sandbox({ sim } as SharedFixtures, async () => {});
  await expect(made).rejects.toThrow("fixtures: README.md is not JSON");
});

it("a simulator for a run stops with it, even if each project of the run sets it up", async () => {
  vi.stubEnv("MESSAGING_SIM_URL", "");
  await setUpRun();
  const health = `${process.env.MESSAGING_SIM_URL}/__sim/health`;
  expect((await fetch(health)).status).toBe(200);
  await setUpRun();
  await tearDownRun();
  await tearDownRun();
  expect(process.env.MESSAGING_SIM_URL).toBeUndefined();
  await expect(fetch(health)).rejects.toThrow("fetch failed");
});

it("an address in the environment that is none is named", async () => {
  vi.stubEnv("MESSAGING_SIM_URL", "4999");
  await expect(setUpRun()).rejects.toThrow(
    'MESSAGING_SIM_URL must be an address such as http://127.0.0.1:4020, but is "4999"',
  );
  vi.unstubAllEnvs();
});
