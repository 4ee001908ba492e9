import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { startBot } from "./bot.js";
import { gone, seen, useBrowser } from "./browser.js";

const open = useBrowser();

test("a conversation from the first question to the replayed webhook", async () => {
  const sim = await startSimulator();
  const bot = await startBot(sim);
  const page = await open(sim);
  const log = page.getByRole("log", { name: "Conversation" });
  const write = async (text: string) => {
    await page.getByRole("textbox", { name: "Write as the customer" }).fill(text);
    await page.getByRole("button", { name: "Send as customer" }).click();
    await seen(log.getByRole("article").filter({ hasText: text }));
  };

  await page
    .getByRole("navigation", { name: "Threads" })
    .getByRole("link", { name: /Alan Johnson/ })
    .click();
  await page.waitForURL(/thread=9001/);
  await write("Where is my parcel?");
  await seen(log.getByRole("article").filter({ hasText: "Your order is on its way." }));
  await seen(log.getByRole("button", { name: /^webhook 200 in [\d.]+ m?s/ }).first());
  await seen(log.getByRole("button", { name: /^your call 200 in [\d.]+ m?s/ }));

  const window = page.getByRole("switch", { name: "Messaging window open" });
  await window.click();
  await seen(page.getByText("Closed: only templates and internal text may be sent."));
  expect(await window.isChecked()).toBe(false);
  expect(await page.getByRole("button", { name: "Send as employee" }).isDisabled()).toBe(true);
  await seen(page.getByText("The messaging window is closed: only internal text may be written here."));

  await write("Are you there?");
  const refused = log.getByRole("button", { name: /^your call 400 in/ });
  await refused.click();
  await page.waitForURL(/tab=requests.*item=r\d/);
  const call = page.getByRole("row").filter({ hasText: "Outcome" });
  await seen(call.getByText("The messaging window is closed: send a template"));

  bot.status = 500;
  await write("Hello?");
  await log.getByRole("button", { name: /^webhook 500 in/ }).click();
  await page.waitForURL(/tab=deliveries.*item=d\d/);
  const failed = page.getByRole("row").filter({ hasText: "the database is down" });
  await seen(failed.getByText("Payload"));
  await seen(failed.getByText("Attempts"));
  await seen(failed.getByText("Receiver's answer"));
  await seen(failed.getByText('"messageBody": "Hello?"'));

  bot.status = 200;
  await failed.getByRole("button", { name: "Replay" }).click();
  const replayed = page.getByRole("row").filter({ hasText: "Payload" }).filter({ hasText: "delivered" });
  await seen(replayed.getByText('"messageBody": "Hello?"'));
  await gone(failed.getByText("Payload"));
});
