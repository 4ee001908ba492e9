import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createSimulator } from "../../src/simulator.js";
import { startSimulator, withCalls } from "../support/simulator.js";
import { gone, seen, useBrowser } from "./browser.js";

const open = useBrowser();

test("says that the server is away, and goes on when it is back", async () => {
  const first = await createSimulator();
  const port = Number(new URL(first.url).port);
  const page = await open(first, { search: "?thread=9001", tolerate: /net::ERR|Failed to load/ });
  await seen(page.getByText("Live", { exact: true }));
  await first.close();
  await seen(page.getByRole("alert").filter({ hasText: "does not answer" }));
  await seen(page.getByText("Reconnecting", { exact: true }));
  expect(await page.getByRole("button", { name: "Send as customer" }).isDisabled()).toBe(true);

  const second = withCalls(await createSimulator({ port }));
  try {
    await second.control("POST /threads/9001/inbound", { text: "After the restart" });
    await page
      .getByRole("button", { name: "Try now" })
      .click({ noWaitAfter: true, timeout: 1_000 })
      .catch(() => {});
    await seen(page.getByText("Live", { exact: true }));
    await gone(page.getByRole("alert"));
    await seen(page.getByRole("article").filter({ hasText: "After the restart" }));
    await second.control("POST /threads/9001/inbound", { text: "And live again" });
    await seen(page.getByRole("article").filter({ hasText: "And live again" }));
  } finally {
    await second.close();
  }
});

test("asks once for the control token and keeps it for the tab", async () => {
  const sim = await startSimulator({ controlToken: "let-me-in" });
  const page = await open(sim, { search: "?thread=9001", tolerate: /401/ });
  const dialog = page.getByRole("dialog", { name: "Control token" });
  await seen(dialog);
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press("Escape");
  await dialog.getByLabel("Control token").fill("wrong");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await seen(dialog.getByText("The server did not take this token."));
  await dialog.getByLabel("Control token").fill("let-me-in");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await seen(page.getByRole("log", { name: "Conversation" }));
  await gone(dialog);
  await page.reload();
  await seen(page.getByRole("log", { name: "Conversation" }));
  expect(await dialog.count()).toBe(0);
});

test("two sandboxes side by side show each their own world", async () => {
  const sim = await startSimulator();
  await sim.control("PUT /sandboxes/left");
  await sim.control("PUT /sandboxes/right");
  const left = await open(sim, { search: "?sandbox=left&thread=9001" });
  const right = await open(sim, { search: "?sandbox=right&thread=9001" });
  await left.getByRole("textbox", { name: "Write as the customer" }).fill("Only on the left");
  await left.getByRole("button", { name: "Send as customer" }).click();
  await right.getByRole("textbox", { name: "Write as the customer" }).fill("Only on the right");
  await right.getByRole("button", { name: "Send as customer" }).click();
  await seen(left.getByRole("article").filter({ hasText: "Only on the left" }));
  await seen(right.getByRole("article").filter({ hasText: "Only on the right" }));
  expect(await left.getByText("Only on the right").count()).toBe(0);
  expect(await right.getByText("Only on the left").count()).toBe(0);

  await right.getByRole("combobox", { name: "Sandbox" }).selectOption("left");
  await right.waitForURL(/sandbox=left/);
  await right.getByRole("link", { name: /Alan Johnson/ }).click();
  await seen(right.getByRole("article").filter({ hasText: "Only on the left" }));
});

test("markup in a message stays text", async () => {
  const sim = await startSimulator();
  const text = '<img src=x onerror="document.title=1"><b>bold</b> &amp; [link](javascript:alert(1))';
  await sim.control("POST /threads/9001/inbound", { text });
  const page = await open(sim, { search: "?thread=9001&tab=deliveries" });
  await seen(page.getByRole("article").getByText(text, { exact: true }));
  await page.getByRole("row").first().click();
  await seen(page.getByRole("row").getByText("Payload"));
  expect(await page.locator("#app img, #app b:text('bold')").count()).toBe(0);
  expect(await page.title()).toBe("messaging-sim");
});

test("follows what others do, without a reload", async () => {
  const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z" });
  const page = await open(sim, { search: "?thread=9001" });
  await seen(page.getByText("Live", { exact: true }));
  await sim.control("POST /threads/9003/inbound", { text: "From elsewhere" });
  await seen(page.getByRole("link", { name: /Priya Nair.*From elsewhere.*1 new/ }));
  await sim.api("POST /api/update-thread-status", { customerThreadId: "9001", status: "resolved" });
  await seen(page.getByRole("link", { name: /Alan Johnson.*resolved/ }));
  await sim.control("POST /clock/advance", { by: "90m" });
  await seen(page.getByRole("timer").filter({ hasText: "10:30:00" }));
  await sim.control("POST /faults", { on: "request", then: "unavailable" });
  await seen(page.getByRole("button", { name: "1 fault armed · fired 0" }));
  await fetch(`${sim.url}/api/get-customer-thread-details?customerThreadId=9001`);
  await seen(page.getByRole("button", { name: "1 fault armed · fired 1" }));
  await sim.control("POST /reset");
  await seen(page.getByRole("link", { name: /Alan Johnson.*waiting/ }));
  await seen(page.getByRole("timer").filter({ hasText: "09:00:00" }));
  await seen(page.getByText("Nobody has called yet"));
});

test("says that a sandbox is not there, and leads back", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?sandbox=nope", tolerate: /404/ });
  await seen(page.getByRole("alert").filter({ hasText: "There is no sandbox nope" }));
  await page.getByRole("button", { name: "Go to default" }).click();
  await seen(page.getByRole("link", { name: /Alan Johnson/ }));
  await gone(page.getByRole("alert"));
});

test("says what of the start was loaded anew, and shows the new world", async () => {
  const sim = await startSimulator({ fixtures: "fixtures/default.json" });
  const page = await open(sim, { search: "?thread=9001" });
  await seen(page.getByText("Live", { exact: true }));
  await seen(page.getByRole("link", { name: /Alan Johnson/ }));
  const fixtures = JSON.parse(readFileSync("fixtures/default.json", "utf8"));
  for (const customer of fixtures.customers)
    if (customer.displayName === "Alan Johnson") customer.displayName = "Alan Kay";
  await sim.reload({ fixtures, behaviour: "realistic" });
  await seen(page.getByRole("status").filter({ hasText: "Loaded anew: fixtures, behaviour" }));
  await seen(page.getByRole("link", { name: /Alan Kay/ }));
  await gone(page.getByRole("link", { name: /Alan Johnson/ }));
});
