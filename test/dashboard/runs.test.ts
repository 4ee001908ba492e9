import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { seen, useBrowser } from "./browser.js";

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
