import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newFolder } from "../persistence/support.js";
import { says, violationsOf, visit, warns } from "./browser.js";
import { inbound, read } from "./calls.js";
import { item } from "./page.js";
import { press, refused } from "./user.js";

const SHOWN = "?thread=9001&tab=scenarios";

test("a run in this sandbox is a choice, which says what it resets; a second one meanwhile is refused", async () => {
  const { sim, page } = await visit(SHOWN, { tolerate: /409/ });
  await page.getByText("This sandbox", { exact: true }).click();
  await says(page, /resets default first: messages, clock, faults, behaviour and logs are lost/);
  const steps = [{ delivered: "message", within: "60s" }];
  const running = sim.control("POST /scenarios/run", { scenario: { name: "Waits", steps } });
  await expect.poll(() => sim.registry.default.scenarios.count).toBe(1);
  await refused(page, "Run message-event", "another scenario is running in the sandbox default");
  await expect.poll(() => sim.registry.default.openWaits).toBe(1);
  await inbound(sim, "Hello");
  expect((await running).body.ok).toBe(true);
});

const WAITS = `name: waits
thread: "9001"
steps:
  - customer: Hello from a run
  - { delivered: message }
  - { delivered: transfer, within: 60s }
`;

/** Goes to a folder whose scenarios the server lists, for one test. */
function inFolder(scenario: string): void {
  const before = process.cwd();
  const folder = newFolder();
  mkdirSync(join(folder, "scenarios"));
  writeFileSync(join(folder, "scenarios", scenario), WAITS);
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
}

test("steps show while a scenario runs, which can be cancelled and undone", async () => {
  inFolder("a-waits.yaml");
  const { sim, page } = await visit(SHOWN);
  const { scenarios } = sim.registry.default;
  const card = item(page, "a-waits");
  const steps = page.getByRole("list", { name: "Steps so far of a-waits" }).getByRole("listitem");
  const before = await read(sim, "/state");
  await page.getByText("This sandbox", { exact: true }).click();
  await press(page, "Run a-waits");
  await says(card, "2 steps done");
  expect(await steps.count()).toBe(2);
  await says(steps.first(), "passed");
  expect(scenarios.count).toBe(1);
  expect(await violationsOf(page, "#inspector")).toEqual([]);
  await press(page, "Cancel a-waits");
  await warns(card, "Cancelled.");
  await expect.poll(() => scenarios.count).toBe(0);
  expect(await read(sim, "/state")).not.toEqual(before);
  await press(page, "Undo", "Undone: Run of a-waits in default cancelled");
  expect(await read(sim, "/state")).toEqual(before);
});
