import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { AWAY, gone, placeOf, says, seen, visit } from "./browser.js";
import { inbound, poll, READ, read } from "./calls.js";
import { article, button, field, linkOf, links, logOf, rows, search } from "./page.js";
import { focused, keys, press, showTab, tells } from "./user.js";

/** Opens a thread of so many messages, of one line and of several, and a last one. */
async function openLong(count: number) {
  const { sim, page } = await visit("?thread=9001&tab=requests");
  const state = await read(sim, "/state");
  const [first] = state.messages;
  const tail = ", which says more than a line holds".repeat(9);
  const messages = Array.from({ length: count + 1 }, (_, at) => ({
    ...first,
    id: String(1_000_001 + at),
    text: at === count ? "The last one" : `Number ${at + 1}${at % 3 === 0 ? tail : ""}`,
    timestamp: first.timestamp + at * 1_000,
  }));
  expect((await sim.control("PUT /state", { ...state, messages })).status).toBe(200);
  await inSight(page, "The last one");
  await logOf(page).focus();
  return { sim, page, log: logOf(page) };
}

async function isInSight(page: Page, text: string): Promise<boolean> {
  const place = await placeOf(logOf(page));
  // A list that is still moving may take it out of the page at any time.
  const [own] = await article(page, text).evaluateAll((all) =>
    all.map((one) => one.getBoundingClientRect().toJSON()),
  );
  if (own === undefined) return false;
  return own.y >= place.y - 1 && own.bottom <= place.bottom + 1;
}
const inSight = (page: Page, text: string) => expect.poll(() => isInSight(page, text)).toBe(true);

test("of 10,200 messages the newest 10,000 are there, few in the page, and the others when one asks for them", async () => {
  const { sim, page, log } = await openLong(10_200);
  expect(await log.getByRole("article").count()).toBeLessThan(60);
  await inbound(sim, "One more");
  await inSight(page, "One more");
  await keys(page, "Home");
  await inSight(page, "Number 202");
  await keys(page, "End");
  await inSight(page, "One more");
  await keys(page, "Home");
  await inSight(page, "Number 202");
  expect(await log.getByText("Number 201", { exact: false }).count()).toBe(0);
  const devtools = await page.context().newCDPSession(page);
  // On a slow processor a far item is shown before those around it are measured.
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 6 });
  await press(log, "Show earlier messages");
  // What was being read stays in sight.
  await inSight(page, "Number 202");
  await seen(article(page, "Number 201"));
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  // The button is gone, and the focus with it unless it is handed on.
  await focused(log);
  await keys(page, "Home");
  await inSight(page, "Number 1,");
  expect(await button(log, "Show earlier messages").count()).toBe(0);
});

test("above, I stay where I am when others write, am told of messages but not of calls, and see what I send", async () => {
  const { sim, page, log } = await openLong(300);
  const newer = page.getByRole("button", { name: "New messages" });
  await keys(page, "Home");
  await inSight(page, "Number 1,");
  await sim.api(READ);
  await says(page, "1 entry");
  expect(await newer.count()).toBe(0);
  await inbound(sim, "From elsewhere");
  await seen(newer);
  await seen(linkOf(page, /Alan Johnson.*From elsewhere/));
  expect(await isInSight(page, "Number 1,")).toBe(true);
  await newer.click();
  await inSight(page, "From elsewhere");
  await gone(newer);
  await log.press("Home");
  await inSight(page, "Number 1,");
  await field(page, "Write as the customer").fill("Sent from above");
  await keys(page, "Enter");
  await inSight(page, "Sent from above");
});

/** The ways in which a person scrolls up. */
const WAYS_UP: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  "the wheel": (page) => page.mouse.wheel(0, -120),
  "Page Up": (page) => keys(page, "PageUp"),
  "the arrow keys": (page) => keys(page, "ArrowUp", "ArrowUp"),
  "a finger": async (page) => {
    const { x, y } = await placeOf(logOf(page));
    const devtools = await page.context().newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...ys: readonly number[]) =>
      devtools.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: ys.map((by) => ({ x: x + 50, y: y + by })),
      });
    await touch("touchStart", 50);
    for (const by of [80, 120, 160, 200]) await touch("touchMove", by);
    await touch("touchEnd");
  },
};

test.each(Object.keys(WAYS_UP))("%s leads away from the end, what takes room does not", async (way) => {
  const { sim, page, log } = await openLong(100);
  const newer = button(page, "New messages");
  await log.hover();
  for (const height of [560, 700, 600, 800]) {
    await page.setViewportSize({ width: 1280, height });
    await inbound(sim, `At ${height}`);
    await inSight(page, `At ${height}`);
  }
  expect(await newer.count()).toBe(0);
  await WAYS_UP[way]?.(page);
  await expect.poll(() => isInSight(page, "At 800")).toBe(false);
  await inbound(sim, "Below");
  await seen(newer);
  expect(await isInSight(page, "Below")).toBe(false);
  await log.hover();
  // Chromium ignores the wheel while the list still moves from a finger.
  const rollDown = () => page.mouse.wheel(0, 5_000).then(() => isInSight(page, "Below"));
  await expect.poll(rollDown).toBe(true);
  await gone(newer);
  await inbound(sim, "And on");
  await inSight(page, "And on");
});

test("2,100 calls leave the page as small as 100 did, with the newest 2,000 in the log", async () => {
  const { sim, page } = await visit("?thread=9001");
  await inbound(sim, "Is anybody there?");
  const nodes = () => page.locator("*").count();
  await poll(sim, 100);
  await says(page, "100 entries");
  await inSight(page, "Is anybody there?");
  const before = await nodes();
  expect(await page.getByText("more than").count()).toBe(0);
  await poll(sim, 2_000);
  await says(page, "more than 2,000 entries");
  await seen(rows(page).first());
  await seen(button(logOf(page), /^Thread details → 200 .*more than ×2,000$/));
  const calls = logOf(page).getByRole("button", { name: /^Thread details/ });
  expect(await calls.count()).toBe(1);
  expect(await nodes()).toBeLessThanOrEqual(before + 20);
  expect(before).toBeLessThan(1_500);
});

test("the first view needs at most 60 kB of the program; each tab loads its part, and says where that fails", async () => {
  const { page } = await visit("?thread=9001", { tolerate: AWAY });
  const sizes = (await page.evaluate(`performance.getEntries()
    .filter(({ name, entryType }) => entryType === "navigation" || name.includes("/assets/"))
    .map((one) => one.encodedBodySize)`)) as number[];
  expect(sizes.length).toBeGreaterThan(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60_000);
  await says(page, "No API calls yet");
  await page.route(/faults-panel/, (route) => route.abort());
  await showTab(page, "Faults");
  await says(page, "Could not load the faults. Reload the page.");
  await showTab(page, "Behaviour");
  await seen(button(page, "Edit window.duration"));
});

test("a search finds a message among 5,200, and leads to it", async () => {
  const { page } = await openLong(5_200);
  await search(page, "Search threads").fill("number 4, which");
  await linkOf(page, /Alan Johnson.*Number 4, which/).click();
  await inSight(page, "Number 4, which");
});

test("the open thread stays in sight where a message moves it to the top, unless one has scrolled away from it", async () => {
  const { sim, page } = await visit("?thread=9001");
  const state = await read(sim, "/state");
  const more = Array.from({ length: 60 }, (_, at) => ({ ...state.threads[0], id: String(20_000 + at) }));
  expect((await sim.control("PUT /state", { ...state, threads: [...state.threads, ...more] })).status).toBe(
    200,
  );
  const list = page.locator(".threads .windowed");
  const offset = () =>
    page.evaluate("document.querySelector('.threads .windowed').scrollTop") as Promise<number>;
  await linkOf(page, /Alan Johnson/)
    .first()
    .waitFor();
  await list.hover();
  await page.mouse.wheel(0, 10_000);
  await links(page).last().click();
  await page.waitForURL(/thread=20/);
  const id = new URL(page.url()).searchParams.get("thread") ?? "";
  const current = page.locator("a.thread[aria-current]");
  await inbound(sim, "To the top", id);
  await says(current, "To the top");
  await expect.poll(offset).toBe(0);
  await list.hover();
  await page.mouse.wheel(0, 10_000);
  await gone(current);
  const away = await offset();
  await inbound(sim, "Again", id);
  await tells(page, "Again");
  expect(await offset()).toBe(away);
});
