/** Where the time of each turn went, and how the webhooks did. */
import { expect, test } from "vitest";
import { startBot } from "./bot.js";
import { seen, useBrowser, violationsOf } from "./browser.js";
import { idle, inbound } from "./calls.js";
import { article, item } from "./page.js";
import { openDialog, says } from "./user.js";

const { visit } = useBrowser();

/** Whether something is drawn on every canvas of the dialog. */
const DRAWN = `[...document.querySelectorAll("dialog canvas")].map((canvas) =>
  canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0))`;
/** How much wider the content of the dialog is than the dialog, px. */
const OVERFLOW = `(() => {
  const { scrollWidth, clientWidth } = document.querySelector("dialog[open]");
  return scrollWidth - clientWidth;
})()`;
/** The parts of the program that are loaded. */
const LOADED = `performance.getEntriesByType("resource").map(({ name }) => name).join(" ")`;

test("each turn has a bar from event to reply, and each webhook its success rate and p95 over time", async () => {
  const { sim, page } = await visit("?thread=9001");
  const bot = await startBot(sim);
  await inbound(sim, "Answered");
  await seen(article(page, "Your order is on its way."));
  bot.status = 500;
  await inbound(sim, "Failed");
  await idle(sim);
  expect(await page.evaluate(LOADED)).not.toContain("timing-dialog");
  const dialog = await openDialog(page, "Where time went");
  expect(await page.evaluate(LOADED)).toContain("timing-dialog");
  await says(item(dialog, "Answered"), /webhook attempts/, /reply \d/);
  await says(item(dialog, "Failed"), /webhook attempts \d/, "no reply");
  await says(item(dialog, /^hook_/), /3 attempts, 67 % succeeded, p95 \d/);
  await says(item(dialog, /^crm/), /3 attempts, 100 % succeeded/);
  await expect.poll(() => page.evaluate(DRAWN)).toEqual([true, true]);
  // What comes while it is open is counted.
  await inbound(sim, "Once more");
  await says(item(dialog, /^hook_/), /4 attempts, 50 % succeeded/);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(OVERFLOW)).toBe(0);
    expect(await violationsOf(page, "dialog[open]")).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  expect(await violationsOf(page, "dialog[open]", ["color-contrast"])).toEqual([]);
});
