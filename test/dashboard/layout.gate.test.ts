// Slow: a browser, at every width.
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { beyond, PHONE, placeOf, says, seen, violationsOf, visit } from "./browser.js";
import { inbound, reply } from "./calls.js";
import { article, field, linkOf, logOf } from "./page.js";
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
  await press(page, /^Send message → 200/);
  const inspector = page.getByRole("complementary", { name: "Log" });
  await expect.poll(() => isAtLeft(inspector)).toBe(true);
  await expect.poll(() => current.allTextContents()).toEqual(["Log"]);
  await fits(page);
  expect(await violationsOf(page)).toEqual([]);
  await bar.getByRole("link", { name: "Conversation" }).click();
  await expect.poll(isInSight).toBe(true);
});
