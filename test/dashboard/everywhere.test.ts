import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { gone, seen, useBrowser } from "./browser.js";

const open = useBrowser();
const READ = "GET /api/get-customer-thread-details?customerThreadId=9001";

test("logs that are cleared through the API are empty on the page, and fill again", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001&tab=requests" });
  await sim.api("POST /api/update-thread-status", { customerThreadId: 9001, status: "replied" });
  await seen(page.getByText("1 entry"));
  await sim.control("DELETE /requests");
  await seen(page.getByText("Nobody has called yet"));
  await sim.api(READ);
  await seen(page.getByText("1 entry"));
  await page.getByRole("tab", { name: "Warnings" }).click();
  await seen(page.getByRole("tabpanel").getByRole("row").first());
  await sim.control("DELETE /warnings");
  await seen(page.getByText("No warnings", { exact: true }));
});

test("a changed behaviour value is there at once", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?tab=behaviour" });
  await page.getByRole("checkbox", { name: "Changed" }).check();
  await seen(page.getByText("Nothing fits the filter."));
  await sim.control("PATCH /behaviour", { "window.duration": "7h" });
  await seen(page.getByRole("button", { name: "Default of window.duration" }));
  await sim.control("POST /reset");
  await gone(page.getByRole("button", { name: "Default of window.duration" }));
});

test("sandboxes that come and go are in the list and out of it", async () => {
  const sim = await startSimulator();
  const page = await open(sim);
  await seen(page.getByText("Live", { exact: true }));
  const option = page.getByRole("combobox", { name: "Sandbox" }).getByRole("option", { name: "fresh" });
  await sim.control("PUT /sandboxes/fresh");
  await expect.poll(() => option.count()).toBe(1);
  await sim.control("DELETE /sandboxes/fresh");
  await expect.poll(() => option.count()).toBe(0);
});

test("a fault that has fired as often as it may is armed no more", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001&tab=faults" });
  await sim.control("POST /faults", { on: "request", then: "unavailable", times: 2 });
  await seen(page.getByRole("button", { name: "1 fault armed · fired 0" }));
  expect((await sim.api(READ)).status).toBe(503);
  await seen(page.getByRole("button", { name: "1 fault armed · fired 1" }));
  expect((await sim.api(READ)).status).toBe(503);
  await gone(page.getByRole("button", { name: /fault armed/ }));
  await seen(page.getByText("Nothing is armed any more"));
  await seen(page.getByRole("listitem").filter({ hasText: "unavailable" }).getByText("used up"));
  await sim.control("DELETE /faults");
  await gone(page.getByText("used up"));
});

test("a scenario that ran elsewhere shows its report, and coverage follows under load", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?tab=scenarios" });
  await seen(page.getByRole("button", { name: "Run message-event" }));
  const scenario = { name: "Ran elsewhere", thread: "9001", steps: [{ customer: "Hello" }] };
  await sim.control("POST /scenarios/run", { scenario });
  await seen(page.getByRole("listitem").filter({ hasText: "Ran elsewhere" }).first());
  await page.getByRole("tab", { name: "Coverage" }).click();
  await seen(
    page
      .getByRole("tabpanel")
      .getByText(/^\d+ of \d+/)
      .first(),
  );
  const met = page.getByRole("listitem").filter({ hasText: "getCustomerThreadDetails" }).getByText(/^\d+×/);
  // Calls go on until the page, which is told of each, has counted one.
  await expect
    .poll(async () => {
      await sim.api(READ);
      return met.count();
    })
    .toBe(1);
});
