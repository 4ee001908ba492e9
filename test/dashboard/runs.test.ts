import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { seen, useBrowser, violationsOf } from "./browser.js";

const open = useBrowser();

test("a report outlives a reload and a change of sandbox", async () => {
  const sim = await startSimulator();
  await sim.control("PUT /sandboxes/beside");
  const page = await open(sim, { search: "?thread=9001&tab=scenarios" });
  await page.getByRole("button", { name: "Run message-event" }).click();
  const steps = page.getByRole("list", { name: /^Steps of/ });
  await seen(steps);
  await page.reload();
  await seen(steps);
  await page.getByRole("combobox", { name: "Sandbox" }).selectOption("beside");
  await page.waitForURL(/sandbox=beside/);
  await seen(steps);
  expect(await steps.getByRole("listitem").count()).toBeGreaterThan(1);
});

test("a run leaves the sandbox that is shown as it was, and its own can be looked at", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001&tab=scenarios" });
  await seen(page.getByText("default stays as it is"));
  const stateOf = async () =>
    Promise.all(
      ["/data/messages", "/faults", "/requests", "/deliveries", "/behaviour"].map(
        async (path) => (await sim.control(`GET ${path}`)).body,
      ),
    );
  const before = await stateOf();
  await page.getByRole("button", { name: "Run unreliable-api" }).click();
  await seen(page.getByRole("list", { name: /^Steps of/ }));
  expect(await stateOf()).toEqual(before);
  expect((await sim.control("GET /clock")).body.frozen).toBe(false);
  const ids = async () => (await sim.control("GET /sandboxes")).body.map(({ id }: { id: string }) => id);
  const [, own] = await ids();
  expect((await sim.control(`GET /sandboxes/${own}/requests`)).body.length).toBeGreaterThan(0);

  await page.getByRole("button", { name: "Run unreliable-api" }).click();
  await expect.poll(ids).not.toContain(own);
  await expect.poll(async () => (await ids()).length).toBe(2);
  const [, second] = await ids();
  await page.getByRole("button", { name: `sandbox ${second}` }).click();
  await page.waitForURL(new RegExp(`sandbox=${second}`));
  await page.getByRole("tab", { name: "Requests" }).click();
  await seen(page.getByRole("tabpanel").getByRole("row").first());
});

test("a run in this sandbox is a choice, which says what it resets; a second one meanwhile is refused", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001&tab=scenarios", tolerate: /409/ });
  await page.getByText("This sandbox", { exact: true }).click();
  await seen(page.getByText(/resets default first: messages, clock, faults, behaviour and logs are lost/));
  const steps = [{ delivered: "message", within: "60s" }];
  const running = sim.control("POST /scenarios/run", { scenario: { name: "Waits", steps } });
  await expect.poll(() => sim.registry.default.scenarios.count).toBe(1);
  await page.getByRole("button", { name: "Run message-event" }).click();
  await seen(page.getByRole("alert").filter({ hasText: "a scenario is running in the sandbox default" }));
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  expect((await running).body.ok).toBe(true);
  await page.getByRole("button", { name: "Run message-event" }).click();
  await seen(page.getByRole("list", { name: /^Steps of/ }));
  expect((await sim.control("GET /sandboxes")).body.length).toBe(1);
});

const WAITS = `name: waits
thread: "9001"
steps:
  - customer: Hello from a run
  - { delivered: message }
  - { delivered: transfer, within: 60s }
`;

/** Goes to a folder whose scenarios the server lists, for one test. */
function inFolder(scenarios: Readonly<Record<string, string>>): void {
  const before = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), "messaging-sim-runs-"));
  mkdirSync(join(folder, "scenarios"));
  for (const [name, text] of Object.entries(scenarios)) writeFileSync(join(folder, "scenarios", name), text);
  process.chdir(folder);
  onTestFinished(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });
}

test("steps show while a scenario runs, which can be cancelled and undone; its file can be read", async () => {
  inFolder({ "a-waits.yaml": WAITS });
  const sim = await startSimulator();
  const { scenarios } = sim.registry.default;
  const page = await open(sim, { search: "?thread=9001&tab=scenarios" });
  const card = page.getByRole("listitem").filter({ hasText: "a-waits" }).first();
  const steps = page.getByRole("list", { name: "Steps so far of a-waits" }).getByRole("listitem");
  const before = (await sim.control("GET /state")).body;
  await card.getByRole("button", { name: "Show the file of a-waits" }).click();
  await seen(card.getByText("- customer: Hello from a run"));
  await page.getByText("This sandbox", { exact: true }).click();
  await page.getByRole("button", { name: "Run a-waits" }).click();
  await seen(card.getByText("2 steps done"));
  expect(await steps.count()).toBe(2);
  await seen(steps.first().getByText("passed"));
  expect(scenarios.count).toBe(1);
  expect(await violationsOf(page, "#inspector")).toEqual([]);
  await page.getByRole("button", { name: "Cancel a-waits" }).click();
  await seen(card.getByRole("alert").filter({ hasText: "Cancelled." }));
  await expect.poll(() => scenarios.count).toBe(0);
  expect((await sim.control("GET /state")).body).not.toEqual(before);
  await page.getByRole("button", { name: "Undo" }).click();
  await seen(page.getByText("Undone: The run of a-waits in default was cancelled"));
  expect((await sim.control("GET /state")).body).toEqual(before);
});

test("all scenarios run one after the other, until somebody cancels", async () => {
  inFolder({ "message-event.yaml": WAITS });
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001&tab=scenarios" });
  await page.getByRole("button", { name: "Run all" }).click();
  const waits = page.getByRole("listitem").filter({ hasText: "message-event" }).first();
  await seen(waits.getByText("2 steps done"));
  const names = (await sim.control("GET /scenarios")).body.map(({ name }: { name: string }) => name);
  const ran = names.indexOf("message-event");
  await seen(page.getByText(`${ran} passed, 0 failed, of ${names.length} scenarios`));
  expect(await page.getByRole("button", { name: "Run transfer" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Cancel all" }).click();
  await seen(waits.getByText("Cancelled."));
  await seen(page.getByRole("button", { name: "Run all" }));
  expect(await page.getByRole("list", { name: /^Steps of/ }).count()).toBe(ran);
  // The sandboxes of those that ended can be looked at; that of the cancelled one is gone.
  await expect.poll(async () => (await sim.control("GET /sandboxes")).body.length).toBe(ran + 1);
});
