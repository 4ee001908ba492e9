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
