import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { filesFor } from "../support/folder.js";
import { startSimulator } from "../support/simulator.js";
import { overflowOf, seen, useBrowser } from "./browser.js";

const open = useBrowser();
const file = filesFor("dashboard-bundle");

test("a sandbox is saved as a bundle, and its past is readable where it is opened", async () => {
  const sim = await startSimulator();
  await sim.control("POST /threads/9001/inbound", { text: "Where is my order?" });
  await sim.api("POST /api/send-message-to-customer-thread", {
    customerThreadId: "9001",
    text: "On its way",
  });
  await sim.control("POST /scenarios/run", {
    scenario: { name: "Nobody says a word", thread: "9001", steps: [{ silent: "1ms" }] },
  });
  await sim.control("POST /wait", { for: "idle" });
  const page = await open(sim);
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as bundle" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(
    /^messaging-sim-default-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.json$/,
  );
  const text = await readFile(await download.path(), "utf8");
  expect(JSON.parse(text).journal.requests).toEqual((await sim.control("GET /requests")).body);
  await seen(page.getByText("messaging-sim serve --bundle opens it"));

  const other = await startSimulator({ bundle: file("case.json", text) });
  const there = await open(other, { search: "?thread=9001&tab=requests" });
  await seen(there.getByRole("article").filter({ hasText: "On its way" }).first());
  await seen(there.getByRole("tabpanel").getByText("/api/send-message-to-customer-thread").first());
  await there.getByRole("tab", { name: "Deliveries" }).click();
  await seen(there.getByRole("tabpanel").getByText("delivered").first());
  await there.getByRole("tab", { name: "Scenarios" }).click();
  const ran = there.getByRole("listitem").filter({ hasText: "The last run in this sandbox" });
  await seen(ran.getByText("Nobody says a word"));
  await seen(ran.getByText("passed").first());
  await seen(
    there
      .getByRole("button", { name: "Let the clock run" })
      .or(there.getByRole("button", { name: "Let run" })),
  );
});

test("the button fits a narrow page", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { viewport: { width: 390, height: 800 } });
  await seen(page.getByRole("button", { name: "Save as bundle" }));
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});
