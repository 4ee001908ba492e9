import { expect } from "@playwright/test";
import { test as base } from "messaging-sim/playwright";
import { startWidget } from "./widget.mjs";

const test = base.extend({
  widget: async ({ sandbox }, use) => {
    const widget = await startWidget({
      api: sandbox.url,
      token: sandbox.token("acme-token"),
      thread: "9001",
    });
    await sandbox.connect(widget.hook);
    await use(widget);
    widget.close();
  },
});

test("shows what the customer writes, and sends the reply", async ({ sandbox, widget, page }) => {
  await page.goto(widget.url);
  await sandbox.customerSays("9001", "Is my order ready?");
  await expect(page.getByRole("log")).toContainText("customer: Is my order ready?");
  await page.getByLabel("Reply").fill("It is on its way.");
  await page.getByRole("button").click();
  await sandbox.waitForReply("9001", { text: "It is on its way." });
  await expect(page.getByRole("log")).toContainText("us: It is on its way.");
});

test("says that the window is closed", async ({ sandbox, widget, page }) => {
  await sandbox.closeWindow("9001");
  await page.goto(widget.url);
  await page.getByLabel("Reply").fill("It is on its way.");
  await page.getByRole("button").click();
  await expect(page.getByRole("alert")).toHaveText("The messaging window is closed.");
});
