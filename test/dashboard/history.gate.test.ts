/** The list of what was done: back to any point, and from there to any later one. */
import { expect, test } from "vitest";
import { gone, seen, useBrowser } from "./browser.js";
import { inbound, read, START } from "./calls.js";
import { article, button, field, item } from "./page.js";
import { focused, openDialog, press, says } from "./user.js";

const { visit } = useBrowser();

test("one goes back to any point and on to any later one, and what was written there is there", async () => {
  const { sim, page } = await visit("?thread=9001", { start: { clock: START } });
  const hour = async () => ((await read(sim, "/clock")).now - Date.parse(START)) / 3_600_000;
  for (const by of ["1h", "2h", "3h"]) {
    await field(page, "Advance by").fill(by);
    await press(page, "Advance", `Clock advanced by ${by}.`);
    await inbound(sim, `After ${by}`);
    await seen(article(page, `After ${by}`));
  }
  const dialog = await openDialog(page, "History");
  const goTo = async (text: string, hours: number) => {
    await press(dialog, `Go to ${text}`);
    await says(item(dialog, text), "Current");
    await expect.poll(hour).toBe(hours);
  };
  await goTo("Clock advanced by 1h", 1);
  await gone(article(page, "After 2h"));
  await seen(article(page, "After 1h"));
  await inbound(sim, "Between");
  await goTo("Clock advanced by 3h", 6);
  await seen(article(page, "After 3h"));
  await gone(article(page, "Between"));
  await goTo("Clock advanced by 1h", 1);
  await seen(article(page, "Between"));

  // Something new replaces what comes later, which can be gone to all the same.
  await page.keyboard.press("Escape");
  await gone(dialog);
  await focused(button(page, "History"));
  await press(page, "Let run", "The clock is running.");
  await openDialog(page, "History");
  await press(dialog, "Go to Clock advanced by 3h");
  await seen(article(page, "After 3h"));
  await expect.poll(() => button(dialog, "Go to Clock advanced by 2h").count()).toBe(1);
});
