import { expect, test } from "vitest";
import { gone, says, seen, visit } from "./browser.js";
import { read, startBot } from "./calls.js";
import { article, box, button, dueOf, item, linkOf, logOf, picker, rows } from "./page.js";
import { chip, press, send, tells, write } from "./user.js";

test("a conversation from the first question to the replayed webhook, a new status and another business", async () => {
  const { sim, page } = await visit();
  const bot = await startBot(sim);
  await linkOf(page, /Alan Johnson/).click();
  await page.waitForURL(/thread=9001/);
  await send(page, "customer", "Where is my parcel?");
  await tells(page, "Your order is on its way.");
  await chip(page, /^webhook 200 in [\d.]+ m?s/);
  await chip(page, /^Send message → 200 in [\d.]+ m?s/);
  await send(page, "employee", "By hand");

  const window = page.getByRole("switch", { name: "Messaging window open" });
  await window.click();
  await says(page, "Closed.");
  expect(await window.isChecked()).toBe(false);
  expect(await button(page, "Send as employee").isDisabled()).toBe(true);
  await says(page, "Window closed: ");
  await box(page, "Internal").check();
  await send(page, "employee", "A note");
  await seen(article(page, "A note").getByText("internal", { exact: true }));

  await write(page, "Are you there?");
  await says(
    dueOf(page),
    "Your program's call was refused: 400 The messaging window is closed: send a template.",
  );
  await press(logOf(page), /^Send message → 400: /);
  await page.waitForURL(/tab=requests.*item=r\d/);
  await says(rows(page).filter({ hasText: "Outcome" }), "The messaging window is closed: send a template");

  bot.status = 500;
  await write(page, "Hello?");
  await press(logOf(page), /^webhook 500 in/);
  await page.waitForURL(/tab=deliveries.*item=d\d/);
  const failed = rows(page).filter({ hasText: "the database is down" });
  await says(failed, "Payload", "Attempts", "Receiver's answer", '"messageBody": "Hello?"');
  bot.status = 200;
  await press(failed, "Replay");
  await says(rows(page).filter({ hasText: "delivered" }), '"messageBody": "Hello?"');
  await gone(failed.getByText("Payload"));

  await picker(page, "Status").selectOption("resolved");
  await seen(linkOf(page, /Alan Johnson.*resolved/));
  await picker(page, "Transfer to").selectOption({ label: "Acme Lyon" });
  await says(page, "thread 9001 · WHATSAPP · Acme Lyon");
  expect(await read(sim, "/data/threads/9001")).toMatchObject({ status: "resolved", businessId: "1002" });
  await seen(item(page.getByRole("log"), "status"));
});

test("files go with messages of the customer, and internal notes through a closed window", async () => {
  const { sim, page } = await visit("?thread=9001");
  const file = { name: "invoice.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4 x") };
  const newest = async (thread = "9001") => (await read(sim, `/data/messages?threadId=${thread}`)).at(-1);
  const attach = async () => {
    const choosing = page.waitForEvent("filechooser");
    await press(page, "Attach a file as the customer");
    await (await choosing).setFiles(file);
    await seen(button(page, "Remove invoice.pdf"));
  };
  await attach();
  await press(page, "Remove invoice.pdf");
  await attach();
  await press(page, "Send as customer");
  await tells(page, "invoice.pdf");
  const attachment = { name: "invoice.pdf", contentType: "application/pdf", contentLength: 10 };
  expect(await newest()).toMatchObject({ fromCustomer: true, text: "", attachment });

  await linkOf(page, /Maria Lopez/).click();
  await says(page, "Window closed: internal only.");
  await box(page, "Internal").check();
  await send(page, "employee", "Call her back");
  expect(await newest("9002")).toMatchObject({ invisible: true, text: "Call her back", fromCustomer: false });
});
