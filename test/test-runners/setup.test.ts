import { expect, it, vi } from "vitest";
import { setUpRun, tearDownRun } from "../../src/adapters/run-server.js";

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
