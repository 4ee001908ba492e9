import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { overflowOf, seen, useBrowser, violationsOf } from "./browser.js";

const open = useBrowser();
const READ = "GET /api/get-customer-thread-details?customerThreadId=9001";

test("a tab shows what was met, and makes the next call meet what never was", async () => {
  const sim = await startSimulator();
  await sim.api(READ);
  const page = await open(sim, { search: "?tab=coverage" });
  const panel = page.getByRole("tabpanel");
  await seen(panel.getByText(/^1 of \d+/).first());
  const card = panel.getByRole("listitem").filter({ hasText: "getCustomerThreadDetails" }).first();
  await seen(card.getByRole("listitem").filter({ hasText: "200 success" }).getByText("1×"));
  const refusal = card.getByRole("listitem").filter({ hasText: "404 threads.notFound" });
  await seen(refusal.getByText("never"));
  await refusal.getByRole("button", { name: "Refuse the next getCustomerThreadDetails" }).click();
  await expect.poll(async () => (await sim.control("GET /faults")).body.length).toBe(1);
  expect((await sim.api(READ)).status).toBe(404);
  await seen(refusal.getByText("1×"));
  await seen(panel.getByText(/^2 of \d+/).first());
  await panel.getByRole("checkbox", { name: "Never met" }).check();
  expect(await card.getByText("404 threads.notFound").count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
});

test("the tab fits a narrow page", async () => {
  const sim = await startSimulator();
  await sim.api(READ);
  const page = await open(sim, { search: "?tab=coverage", viewport: { width: 390, height: 844 } });
  await seen(page.getByText("200 success").filter({ visible: true }));
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});
