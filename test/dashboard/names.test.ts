import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { overflowOf, seen, useBrowser, violationsOf } from "./browser.js";
import { SIZES, TABS } from "./views.js";

const open = useBrowser();

const NAMED = [
  ["navigation", "Threads"],
  ["log", "Conversation"],
  ["textbox", "Write as the customer"],
  ["button", "Send as customer"],
  ["textbox", "Write as an employee"],
  ["button", "Send as employee"],
  ["checkbox", "Internal"],
  ["switch", "Messaging window open"],
  ["combobox", "Status"],
  ["combobox", "Transfer to"],
  ["tab", "Requests"],
  ["tab", "Deliveries"],
  ["tab", "Warnings"],
  ["tab", "Faults"],
  ["tab", "Behaviour"],
  ["tab", "Scenarios"],
  ["combobox", "Sandbox"],
  ["textbox", "Advance by"],
  ["button", "Advance"],
  ["button", "Reset"],
] as const;

const allNamed = (page: Page) =>
  Promise.all(NAMED.map(([role, name]) => seen(page.getByRole(role, { name, exact: true }))));

test.each([390, 1280, 1920])("every named role is there, and nothing overflows, at %i px", async (width) => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001", viewport: { width, height: 900 } });
  await allNamed(page);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});

test("a link names customer, channel and status; an article author, text, time and marks", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001" });
  const threads = page.getByRole("navigation", { name: "Threads" });
  await seen(threads.getByRole("link", { name: /Alan Johnson.*WHATSAPP.*waiting/ }));
  await seen(threads.getByRole("link", { name: /Tomas Novak.*EMAIL.*resolved/ }));
  const article = page.getByRole("article").filter({ hasText: "free wool socks" });
  await seen(article.getByText("Chloé Renard"));
  await seen(article.getByText("22:23:20"));
  await seen(article.getByText("internal", { exact: true }));
  await page.getByRole("link", { name: /Maria Lopez/ }).click();
  await seen(page.getByRole("article").filter({ hasText: "template order_ready" }));
});

test.each(["light", "dark"] as const)("axe finds nothing on any tab at any size, %s", async (colorScheme) => {
  const sim = await startSimulator();
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  await sim.api("POST /api/update-thread-status", { customerThreadId: 9001, status: "replied" });
  await sim.api("POST /api/send-message-to-customer-thread", { customerThreadId: "9002", text: "Refused" });
  await sim.control("POST /faults", { on: "delivery", then: "unavailable", times: 1 });
  const page = await open(sim, { search: "?thread=9001", colorScheme });
  await allNamed(page);
  for (const name of TABS) {
    await page.getByRole("tab", { name, exact: true }).click();
    const row = page.getByRole("tabpanel").getByRole("row").first();
    if (["Requests", "Deliveries", "Warnings"].includes(name)) {
      await row.click();
      await seen(row.getByText("Id", { exact: true }));
    }
    // The table is long, and its entries are alike.
    if (name === "Behaviour") await page.getByRole("searchbox", { name: "Filter behaviour" }).fill("window");
    // A tab changes nothing outside of the inspector, and a theme nothing but colours, whatever the size.
    const rules = colorScheme === "dark" ? ["color-contrast"] : undefined;
    const sizes = colorScheme === "dark" ? ([[1280, 16]] as const) : SIZES;
    for (const [width, text] of sizes) {
      // With large text the rest of the page is looked at in a test of its own.
      const part = name === "Requests" && text === 16 ? undefined : "#inspector";
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate(`document.documentElement.style.fontSize = "${text}px"`);
      expect.soft(await violationsOf(page, part, rules), `${name} ${width} ${text}`).toEqual([]);
      expect.soft(await overflowOf(page), `${name} ${width} ${text}`).toBeLessThanOrEqual(0);
    }
  }
});

test("axe finds nothing where nothing is open, and on a phone", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { viewport: { width: 390, height: 844 } });
  await seen(page.getByText("Choose a thread"));
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole("link", { name: /Alan Johnson/ }).click();
  await seen(page.getByRole("log", { name: "Conversation" }));
  expect(await violationsOf(page)).toEqual([]);
});

test("everything can be done by keyboard", async () => {
  const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z" });
  const page = await open(sim);
  await seen(page.getByRole("navigation", { name: "Threads" }));
  /** Presses Tab until the focus is on what is looked for. */
  const tabTo = async (role: Parameters<Page["getByRole"]>[0], name: string | RegExp) => {
    const wanted = page.getByRole(role, { name, exact: true }).first();
    await seen(wanted);
    for (let presses = 0; presses < 120; presses += 1) {
      if ((await wanted.and(page.locator(":focus")).count()) > 0) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not lead to ${role} ${name}`);
  };

  await tabTo("textbox", "Advance by");
  await page.keyboard.type("2h");
  await page.keyboard.press("Enter");
  await seen(page.getByRole("timer").filter({ hasText: "11:00:00" }));

  await tabTo("link", /Alan Johnson/);
  await page.keyboard.press("Enter");
  await tabTo("switch", "Messaging window open");
  await page.keyboard.press("Space");
  await seen(page.getByText("Closed: only templates and internal text may be sent."));
  await tabTo("textbox", "Write as the customer");
  await page.keyboard.type("By keyboard");
  await page.keyboard.press("Enter");
  await seen(page.getByRole("article").filter({ hasText: "By keyboard" }));
  await tabTo("checkbox", "Internal");
  await page.keyboard.press("Space");
  await tabTo("textbox", "Write as an employee");
  await page.keyboard.type("A note");
  await page.keyboard.press("Enter");
  await seen(page.getByRole("article").filter({ hasText: "A note" }).getByText("internal", { exact: true }));

  await tabTo("tab", "Requests");
  await page.keyboard.press("ArrowRight");
  await page.waitForURL(/tab=deliveries/);
  expect(await page.getByRole("tab", { name: "Deliveries" }).getAttribute("aria-selected")).toBe("true");
  await tabTo("button", /^d2 message to crm delivered$/);
  await page.keyboard.press("Enter");
  await seen(page.getByRole("row").getByText("Receiver's answer"));
  await page.getByRole("tab", { name: "Deliveries" }).focus();
  await page.keyboard.press("End");
  await page.waitForURL(/tab=coverage/);
});
