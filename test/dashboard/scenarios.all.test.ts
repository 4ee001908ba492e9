import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { says, seen, violationsOf, visit, warns } from "./browser.js";
import { inbound, read, SEND } from "./calls.js";
import { article, field, item } from "./page.js";
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
  const folder = mkdtempSync(join(tmpdir(), "messaging-sim-runs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
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

test("what a scenario's own call wrote is saved as that call, and a message is replayed", async () => {
  const { sim, page } = await visit("?thread=9001");
  const act = async (text: string, name: string) => {
    await press(article(page, text), "Message actions");
    await press(page, name);
  };
  const body = { customerThreadId: "9001", text: "Sent by a step" };
  const steps = [{ request: SEND, token: "acme-token", body }];
  await sim.control("POST /scenarios/run", { scenario: { name: "x", steps } });
  await act("Sent by a step", "Save as test from here…");
  const written = field(page, "Scenario");
  await expect
    .poll(() => written.inputValue())
    .toContain(`  - request: ${SEND}\n    body: { customerThreadId:`);
  const scenario = await written.inputValue();
  expect((await sim.control("POST /scenarios/run", { scenario })).body).toMatchObject({ ok: true });
  await press(page.getByRole("dialog"), "Close");
  await inbound(sim, "One more thing");
  await act("One more thing", "Replay from here");
  await says(page, "Replayed 1 message");
  await seen(page.getByRole("article").filter({ hasText: "One more thing" }).nth(1));
});
