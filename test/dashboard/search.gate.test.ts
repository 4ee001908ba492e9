/** Search over messages and logs, and the threads that need attention. */
import { expect, test } from "vitest";
import { startBot } from "./bot.js";
import { gone, seen, useBrowser } from "./browser.js";
import { idle, inbound, reply } from "./calls.js";
import { button, linkOf, links, panelOf, picker, search } from "./page.js";
import { openDialog, press, says } from "./user.js";

const { visit } = useBrowser();

test("words and operators find messages and calls, and what is found opens", async () => {
  const { sim, page } = await visit("?thread=9001&tab=requests");
  const bot = await startBot(sim);
  bot.status = 500;
  await inbound(sim, "Where is my zebra?", "9003");
  await reply(sim, "The zebra is late");
  await reply(sim, "The zebra is lost", "no-thread");
  await idle(sim);
  await says(page, "3 entries");
  await search(page, "Filter requests").fill("status:4xx operation:send");
  await says(panelOf(page), "1 entry");
  await picker(page, "Show").selectOption({ label: "needs attention" });
  await seen(linkOf(page, /Priya Nair/));
  await gone(linkOf(page, /Maria Lopez/));
  await expect.poll(() => links(page).count()).toBe(2);

  const dialog = await openDialog(page, "Search");
  const field = search(dialog, "Search messages and logs");
  await field.fill("zebra status:4xx");
  await says(dialog, "1 result, newest first");
  await field.fill("zebra thr");
  await press(dialog, "thread:9001");
  await seen(button(dialog, /^message Alan Johnson: The zebra is late/));
  await field.fill("where zebra after:10m");
  await press(dialog, /^message Priya Nair: Where is my zebra/);
  await gone(dialog);
  await page.waitForURL(/thread=9003/);
});
