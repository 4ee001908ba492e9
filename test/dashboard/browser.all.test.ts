/** What a browser brings along: several tabs of it, a clock and a mouse. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { gone, live, seen, visit, warns } from "./browser.js";
import { inbound, READ } from "./calls.js";
import { article, logOf, picker, rows } from "./page.js";
import { write } from "./user.js";

const SEARCH = "?thread=9001&tab=requests";

/** Opens one more tab of the same browser. */
async function anotherTab(first: Page, address = first.url()): Promise<Page> {
  const tab = await first.context().newPage();
  tab.setDefaultTimeout(20_000);
  await tab.goto(address);
  return tab;
}

test("eight tabs are live over one stream, and calls get through from each", async () => {
  const { sim, page: first } = await visit(SEARCH);
  const streams = () => sim.registry.default.streams.count;
  const others: Page[] = [];
  for (let opened = 0; opened < 7; opened += 1) others.push(await anotherTab(first));
  for (const tab of [first, ...others]) await live(tab);
  expect(streams()).toBe(1);
  for (const [at, tab] of [first, ...others].entries()) await write(tab, `From tab ${at}`);
  for (const tab of [first, ...others]) await seen(article(tab, "From tab 7"));

  // The tab that opened the stream may go.
  await first.close();
  await inbound(sim, "Still told");
  for (const tab of others) await seen(article(tab, "Still told"));
  expect(streams()).toBe(1);

  // A tab that comes later knows the run after a reset.
  await sim.control("POST /reset");
  const last = await anotherTab(first, `${sim.url}/__sim/ui/${SEARCH}`);
  await sim.api(READ);
  await rows(last).first().click();
  await last.waitForURL(new RegExp(`item=r1&run=${sim.registry.default.run.epoch}$`));
  await expect.poll(streams).toBe(1);
});

test("each sandbox has a stream, which ends with its last tab; a fifth leaves connections for calls, and says so", async () => {
  const { sim, page: first } = await visit(SEARCH);
  const tabs: Page[] = [];
  for (const id of ["s1", "s2", "s3", "s4"]) {
    await sim.control(`PUT /sandboxes/${id}`);
    const tab = await anotherTab(first, `${sim.url}/__sim/ui/?sandbox=${id}&thread=9001`);
    tabs.push(tab);
    // Who comes first has a stream.
    if (id !== "s4") await live(tab);
  }
  const [one, two, , fourth] = tabs as [Page, Page, Page, Page];
  const streamsOf = (id: string) => sim.registry.get(id)?.streams.count;
  expect(["default", "s1", "s2", "s3", "s4"].map(streamsOf)).toEqual([1, 1, 1, 1, 0]);
  await warns(fourth, "already follows 4 sandboxes");
  await one.close();
  await live(fourth);
  await seen(logOf(fourth));
  await picker(two, "Sandbox").selectOption("default");
  await expect.poll(() => streamsOf("s2")).toBe(0);
  expect(streamsOf("default")).toBe(1);
});

test("without shared workers a page has a stream of its own", async () => {
  const { sim, page } = await visit(SEARCH);
  await page.addInitScript("delete window.SharedWorker");
  await page.reload();
  await live(page);
  await inbound(sim, "Told");
  await seen(article(page, "Told"));
});

test("a notice goes as soon as somebody is there, once there was time to read it", async () => {
  const { sim, page } = await visit("?thread=9001");
  await page.clock.install();
  await live(page);
  await page.clock.pauseAt(Date.now() + 60_000);
  const notice = page.getByText("Reloaded: behaviour");
  const move = (x: number) => page.mouse.move(x, 500);
  const acts = { realistic: () => move(500), documented: () => page.keyboard.press("Shift") };
  for (const [behaviour, act] of Object.entries(acts)) {
    await sim.reload({ behaviour });
    await seen(notice);
    await page.clock.runFor(2_900);
    await move(400);
    await page.keyboard.press("Shift");
    await page.clock.runFor(200);
    expect(await notice.count()).toBe(1);
    await act();
    await page.clock.runFor(100);
    await gone(notice);
  }
});
