/** Up to three conversations side by side, and what the tab of the browser tells of them. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { startBot } from "./bot.js";
import { gone, seen, useBrowser, violationsOf } from "./browser.js";
import { idle, inbound } from "./calls.js";
import { button, field, linkOf } from "./page.js";
import { fits, press } from "./user.js";

const { visit } = useBrowser();

const pane = (page: Page, thread: string) => page.getByRole("region", { name: `Thread ${thread}` });
const icon = (page: Page) => page.locator("link[rel=icon]").getAttribute("href");

async function keepOpen(page: Page, thread: string): Promise<void> {
  await press(pane(page, thread), "Keep open beside");
}

test("three conversations stand side by side, each live with fields of its own, and the address keeps them", async () => {
  const { sim, page } = await visit("?thread=9001", { viewport: { width: 1920, height: 900 } });
  await keepOpen(page, "9001");
  await linkOf(page, /Maria Lopez/).click();
  await keepOpen(page, "9002");
  await linkOf(page, /Priya Nair/).click();
  for (const thread of ["9001", "9002", "9003"]) {
    await inbound(sim, `To ${thread}`, thread);
    await seen(
      pane(page, thread)
        .getByRole("article")
        .filter({ hasText: `To ${thread}` }),
    );
  }
  await expect
    .poll(() => page.title())
    .toBe("Priya Nair, Maria Lopez, Alan Johnson · default · messaging-sim");
  await inbound(sim, "Elsewhere", "9004");
  await expect.poll(() => page.title()).toMatch(/^\(1\) Priya Nair, /);
  await field(pane(page, "9002"), "Write as the customer").fill("Written in the second");
  await page.keyboard.press("Enter");
  await seen(pane(page, "9002").getByRole("article").filter({ hasText: "Written in the second" }));
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
    expect(await violationsOf(page), `${width}`).toEqual([]);
  }
  await page.setViewportSize({ width: 1920, height: 900 });
  await page.reload();
  await seen(pane(page, "9002").getByRole("article").filter({ hasText: "Written in the second" }));
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
