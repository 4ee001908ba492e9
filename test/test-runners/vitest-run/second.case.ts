import { expect } from "vitest";
import { test } from "../../../src/test-runners/vitest.js";

test("is served", async ({ sim, sandbox }) => {
  console.log(`served by ${sim.url} in ${sandbox.id}`);
  expect((await sandbox.state()).threads.length).toBeGreaterThan(0);
});
