// Slow: a browser, at every width.
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { beyond, gone, PHONE, placeOf, says, seen, violationsOf, visit } from "./browser.js";
import { idle, inbound, reply, startBot } from "./calls.js";
import { article, button, field, linkOf, logOf } from "./page.js";
import { fits, keys, press, tells } from "./user.js";

const NAMED = [
  ["navigation", "Threads"],
  ["log", "Conversation"],
  ["textbox", "Write as the customer", "Write as an employee", "Advance by"],
  ["button", "Send as customer", "Send as employee", "Advance", "Reset"],
  ["button", "Connect your bot", "New conversation"],
  ["checkbox", "Internal"],
  ["switch", "Messaging window open"],
  ["combobox", "Status", "Transfer to", "Sandbox"],
  ["tab", "Requests", "Deliveries", "Warnings", "Faults", "Behaviour", "Scenarios"],
] as const;

test("every name is there and nothing overflows from 390 to 1920 px, in light and dark", async () => {
  const { sim, page } = await visit("?thread=9001");
  await inbound(sim, "Anybody?");
  await reply(sim, "Refused", "9002");
  for (const width of [390, 768, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    for (const [role, ...names] of NAMED)
      for (const name of names) await seen(page.getByRole(role, { name, exact: true }));
    await fits(page, `${width}`);
    await press(page, "Tools");
    expect(await beyond(page, ":popover-open"), `${width}`).toBe(0);
    await keys(page, "Escape");
  }
  expect(await violationsOf(page)).toEqual([]);

  await seen(linkOf(page, /Alan Johnson.*WHATSAPP.*waiting/));
  await seen(linkOf(page, /Tomas Novak.*EMAIL.*resolved/));
  await says(article(page, "free wool socks"), "Chloé Renard", "22:23:20", "internal");
  await linkOf(page, /Maria Lopez/).click();
  await tells(page, "template order_ready");
});

test("on a phone the conversation is a screen of its own, with the composers at the thumb", async () => {
  const { sim, page } = await visit("", { viewport: PHONE });
  const isAtLeft = async (part: Locator) => Math.abs((await part.boundingBox())?.x ?? Number.NaN) <= 1;
  await expect.poll(() => isAtLeft(page.getByRole("navigation", { name: "Threads" }))).toBe(true);
  const bar = page.getByRole("navigation", { name: "Views" });
  const current = bar.getByRole("link").and(page.locator("[aria-current]"));
  await says(current, "Threads");
  await linkOf(page, /Alan Johnson/).click();
  const isInSight = async () => {
    const screen = page.getByRole("region", { name: "Thread 9001" });
    const send = await placeOf(page.getByRole("button", { name: "Send as employee" }));
    return (await isAtLeft(screen)) && send.bottom <= (await placeOf(bar)).y;
  };
  await expect.poll(isInSight).toBe(true);
  const share = async () => (await placeOf(logOf(page))).height / (page.viewportSize()?.height ?? 0);
  expect(await share()).toBeGreaterThanOrEqual(0.6);
  // A keyboard takes 336 px.
  await page.setViewportSize({ ...PHONE, height: PHONE.height - 336 });
  await field(page, "Write as the customer").focus();
  await expect.poll(share).toBeGreaterThanOrEqual(0.6);
  await page.setViewportSize(PHONE);
  await page.reload();
  await expect.poll(isInSight).toBe(true);

  await reply(sim, "Hello");
  await press(page, /^your call 200/);
  const inspector = page.getByRole("complementary", { name: "What happened" });
  await expect.poll(() => isAtLeft(inspector)).toBe(true);
  expect(await current.allTextContents()).toEqual(["What happened"]);
  await fits(page);
  expect(await violationsOf(page)).toEqual([]);
  await bar.getByRole("link", { name: "Conversation" }).click();
  await expect.poll(isInSight).toBe(true);
});

const pane = (page: Page, thread: string) => page.getByRole("region", { name: `Thread ${thread}` });
const icon = (page: Page) => page.locator("link[rel=icon]").getAttribute("href");

test("three conversations stand side by side, each live with fields of its own, and the address keeps them", async () => {
  const { sim, page } = await visit("?thread=9001", { viewport: { width: 1920, height: 900 } });
  await press(pane(page, "9001"), "Keep open beside");
  await linkOf(page, /Maria Lopez/).click();
  await press(pane(page, "9002"), "Keep open beside");
  await linkOf(page, /Priya Nair/).click();
  for (const thread of ["9001", "9002", "9003"]) {
    await inbound(sim, `To ${thread}`, thread);
    await says(pane(page, thread), `To ${thread}`);
  }
  const title = "Priya Nair, Maria Lopez, Alan Johnson · default · messaging-sim";
  await expect.poll(() => page.title()).toBe(title);
  await inbound(sim, "Elsewhere", "9004");
  await expect.poll(() => page.title()).toBe(`(1) ${title}`);
  await field(pane(page, "9002"), "Write as the customer").fill("Written in the second");
  await keys(page, "Enter");
  await says(pane(page, "9002").getByRole("article"), "Written in the second");
  expect(await pane(page, "9001").getByText("Written in the second").count()).toBe(0);

  for (const [width, panes] of [
    [1920, 3],
    [1280, 2],
    [1080, 2],
    [768, 1],
    [390, 1],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => page.getByRole("log", { name: "Conversation" }).count()).toBe(panes);
    await fits(page, `${width}`);
  }
  await page.setViewportSize({ width: 1920, height: 900 });
  await page.reload();
  await says(pane(page, "9002"), "Written in the second");
  await seen(pane(page, "9001"));
  await button(page, "Close thread 9002").click();
  await gone(pane(page, "9002"));
  await linkOf(page, /Alan Johnson/).click();
  await gone(pane(page, "9003"));
  await seen(pane(page, "9001"));
});

test("the icon of the page shows that an event has failed, until one of the thread arrives", async () => {
  const { sim, page } = await visit("?thread=9001");
  const bot = await startBot(sim);
  await sim.control("DELETE /data/webhooks/1");
  const before = await icon(page);
  bot.status = 500;
  await inbound(sim, "Anybody?", "9002");
  await idle(sim);
  await expect.poll(() => icon(page)).toMatch(/circle.*dc2626/);
  bot.status = 200;
  bot.mute = true;
  await inbound(sim, "Still there?", "9002");
  await expect.poll(() => icon(page)).toBe(before);
});
