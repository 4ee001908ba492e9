import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createSimulator } from "../../src/simulator.js";
import { startSimulator, withCalls } from "../support/simulator.js";
import { seen, useBrowser } from "./browser.js";

const open = useBrowser();
const SEARCH = "?thread=9001&tab=requests";
const LIVE = { exact: true } as const;

/** Opens more tabs of the same browser at the same address. */
async function moreTabs(first: Page, count: number): Promise<Page[]> {
  const tabs = [first];
  for (let opened = 0; opened < count; opened += 1) {
    const tab = await first.context().newPage();
    tab.setDefaultTimeout(20_000);
    await tab.goto(first.url());
    tabs.push(tab);
  }
  for (const tab of tabs) await seen(tab.getByText("Live", LIVE));
  return tabs;
}

test("eight tabs are live over one stream, and calls get through from each", async () => {
  const sim = await startSimulator();
  const streams = () => sim.registry.default.streams.count;
  const tabs = await moreTabs(await open(sim, { search: SEARCH }), 7);
  expect(streams()).toBe(1);
  for (const [at, tab] of tabs.entries()) {
    await tab.getByRole("textbox", { name: "Write as the customer" }).fill(`From tab ${at}`);
    await tab.keyboard.press("Enter");
  }
  for (const tab of tabs) await seen(tab.getByRole("article").filter({ hasText: "From tab 7" }));

  // The tab that opened the stream may go.
  const [first, ...others] = tabs;
  await first?.close();
  await sim.control("POST /threads/9001/inbound", { text: "Still told" });
  for (const tab of others) await seen(tab.getByRole("article").filter({ hasText: "Still told" }));
  expect(streams()).toBe(1);

  // A tab that comes later knows the run after a reset.
  await sim.control("POST /reset");
  const last = await first?.context().newPage();
  await last?.goto(`${sim.url}/__sim/ui/${SEARCH}`);
  await sim.api("GET /api/get-customer-thread-details?customerThreadId=9001");
  await last?.getByRole("tabpanel").getByRole("row").first().click();
  await last?.waitForURL(new RegExp(`item=r1&run=${sim.registry.default.run.epoch}$`));
  await expect.poll(streams).toBe(1);
});

test("tabs with two sandboxes have a stream each sandbox, which ends with its last tab", async () => {
  const sim = await startSimulator();
  await sim.control("PUT /sandboxes/beside");
  const beside = sim.registry.get("beside");
  const [first] = await moreTabs(await open(sim, { search: SEARCH }), 1);
  const other = await first?.context().newPage();
  await other?.goto(`${sim.url}/__sim/ui/?sandbox=beside`);
  await seen((other as Page).getByText("Live", LIVE));
  expect([sim.registry.default.streams.count, beside?.streams.count]).toEqual([1, 1]);
  await other?.getByRole("combobox", { name: "Sandbox" }).selectOption("default");
  await expect.poll(() => beside?.streams.count).toBe(0);
  expect(sim.registry.default.streams.count).toBe(1);
});

test("a fifth sandbox leaves connections for calls, and the page says what to do", async () => {
  const sim = await startSimulator();
  const first = await open(sim, { search: SEARCH });
  const tabs = [first];
  for (const id of ["s1", "s2", "s3", "s4"]) {
    await sim.control(`PUT /sandboxes/${id}`);
    const tab = await first.context().newPage();
    await tab.goto(`${sim.url}/__sim/ui/?sandbox=${id}&thread=9001`);
    tabs.push(tab);
    // Who comes first has a stream.
    if (id !== "s4") await seen(tab.getByText("Live", LIVE));
  }
  const refused = tabs.at(-1) as Page;
  await seen(refused.getByRole("alert").filter({ hasText: "follows 4 other sandboxes" }));
  await tabs[1]?.close();
  await seen(refused.getByText("Live", LIVE));
  await seen(refused.getByRole("log", { name: "Conversation" }));
});

test("all tabs say that the server is away, and come back with it", async () => {
  const sim = await createSimulator();
  const port = Number(new URL(sim.url).port);
  const tolerate = /net::ERR|Failed to load/;
  const tabs = await moreTabs(await open(sim, { search: SEARCH, tolerate }), 2);
  await sim.close();
  for (const tab of tabs) await seen(tab.getByRole("alert").filter({ hasText: "does not answer" }));
  const again = withCalls(await createSimulator({ port }));
  try {
    for (const tab of tabs) await seen(tab.getByText("Live", LIVE));
    await again.control("POST /threads/9001/inbound", { text: "Live again" });
    for (const tab of tabs) await seen(tab.getByRole("article").filter({ hasText: "Live again" }));
    expect(again.registry.default.streams.count).toBe(1);
  } finally {
    await again.close();
  }
});

test("without shared workers a page has a stream of its own", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: SEARCH });
  await page.addInitScript("delete window.SharedWorker");
  await page.reload();
  await seen(page.getByText("Live", LIVE));
  await sim.control("POST /threads/9001/inbound", { text: "Told" });
  await seen(page.getByRole("article").filter({ hasText: "Told" }));
});
