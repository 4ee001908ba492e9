/** A turn or a conversation, given to somebody who has no simulator: as a file, and as the text of an issue. */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { filesFor } from "../support/folder.js";
import { startBot } from "./bot.js";
import { seen, useBrowser, violationsOf } from "./browser.js";
import { idle, inbound } from "./calls.js";
import { article, button, dialogOf, field } from "./page.js";
import { openDialog, press, says } from "./user.js";

const { visit } = useBrowser();
const fileOf = filesFor("share");

test("a turn without a reply is shared with its cause, its payloads and the test that fails, and opens as a file", async () => {
  const { sim, page } = await visit("?thread=9001");
  const bot = await startBot(sim);
  await inbound(sim, "First question");
  await seen(article(page, "Your order is on its way."));
  bot.status = 500;
  await inbound(sim, "Second <b>question</b>");
  await idle(sim);
  await says(page, /^No reply for/);
  await button(article(page, "Second"), "Message actions").click();
  await button(article(page, "Second"), "Share this turn…").click();
  const dialog = dialogOf(page, "Share");
  const whole = field(dialog, "Text for an issue");
  await expect.poll(() => whole.inputValue()).toContain("### Test");
  const text = await whole.inputValue();
  for (const part of [
    "> Second <b>question</b>",
    "→ 500 in",
    '{"error":"the database is down"}',
    '"fromCustomer": true',
    "### No reply",
    '{"customer":"Second <b>question</b>"},\n      {"reply":{"within":"10s"}},',
  ])
    expect(text).toContain(part);
  expect(text).not.toContain("First question");
  await dialog.getByRole("radio", { name: "Conversation" }).check();
  expect(await whole.inputValue()).toContain("First question");

  await page.keyboard.press("Escape");
  await openDialog(page, "Share");
  expect(await whole.inputValue()).toContain("First question");
  const downloading = page.waitForEvent("download");
  await press(dialog, "Download HTML");
  const file = fileOf("shared.html", readFileSync(await (await downloading).path(), "utf8"));
  const shared = await page.context().newPage();
  const asked: string[] = [];
  shared.on("request", (request) => asked.push(request.url()));
  const url = pathToFileURL(file).href;
  await shared.goto(url);
  for (const text of ["First question", "Second <b>question</b>", "Your order is on its way."])
    await seen(shared.locator(".text", { hasText: text }));
  await shared
    .getByText(/^Payload of d/)
    .first()
    .click();
  await says(shared, /"fromCustomer": true/);
  expect(asked).toEqual([url]);
  for (const colorScheme of ["light", "dark"] as const) {
    await shared.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    expect(await violationsOf(shared)).toEqual([]);
  }
});
