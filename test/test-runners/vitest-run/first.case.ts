import { expect } from "vitest";
import { test } from "../../../src/test-runners/vitest.js";

test("is served", async ({ sim, sandbox }) => {
  console.log(`served by ${sim.url} in ${sandbox.id}`);
  await sandbox.customerSays("9001", "Hello");
  expect((await sandbox.state()).threads.length).toBeGreaterThan(0);
});
