/** What a browser brings along: several tabs of it, a clock and a mouse. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { gone, live, seen, visit } from "./browser.js";
import { inbound } from "./calls.js";
import { article, linkOf } from "./page.js";
import { press, write } from "./user.js";

const SEARCH = "?thread=9001&tab=requests";

/** Opens one more tab of the same browser. */
async function anotherTab(first: Page, address = first.url()): Promise<Page> {
  const tab = await first.context().newPage();
  tab.setDefaultTimeout(60_000);
  await tab.goto(address);
  return tab;
}

/** What a browser does when a tab goes behind another one, and comes back. */
const setHidden = (page: Page, hidden: boolean) =>
  page.evaluate(`Object.defineProperty(document, "hidden", { configurable: true, get: () => ${hidden} });
    document.dispatchEvent(new Event("visibilitychange"))`);

test("a tab that nobody sees has no stream, and catches up when it is seen again", async () => {
  const { sim, page } = await visit(SEARCH);
  const streams = () => sim.registry.default.streams.count;
  await setHidden(page, true);
  await expect.poll(streams).toBe(0);
  // The connections of a browser are free for the tab in front.
  const others: Page[] = [];
  for (let opened = 0; opened < 7; opened += 1) {
    const tab = await anotherTab(page);
    others.push(tab);
    await live(tab);
    if (opened < 6) await setHidden(tab, true);
  }
  await expect.poll(streams).toBe(1);
  const [, , , , , , last] = others as [Page, Page, Page, Page, Page, Page, Page];
  await write(last, "From the tab in front");
  await inbound(sim, "Elsewhere", "9003");
  await setHidden(page, false);
  await seen(article(page, "From the tab in front"));
  await seen(linkOf(page, /Priya Nair.*Elsewhere/));
  await live(page);
  expect(await page.getByRole("alert").count()).toBe(0);
  await inbound(sim, "Still told");
  await seen(article(page, "Still told"));
  expect(streams()).toBe(2);
});

test("a notice goes as soon as somebody is there, once there was time to read it", async () => {
  const { page } = await visit("?thread=9001");
  await page.clock.install();
  await live(page);
  await page.clock.pauseAt(Date.now() + 60_000);
  const notice = page.getByText("Clock advanced by 25h.");
  const move = (x: number) => page.mouse.move(x, 500);
  for (const act of [() => move(500), () => page.keyboard.press("Shift")]) {
    await press(page, "Advance");
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
