import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { bleedingIn, overflowOf, seen, useBrowser, violationsOf } from "./browser.js";

const open = useBrowser();

const boxOf = async (locator: Locator) => {
  const box = await locator.boundingBox();
  if (box === null) throw new Error("not there");
  return { ...box, bottom: box.y + box.height };
};
const tops = async (page: Page) => {
  const tabs = await page.getByRole("tab").all();
  return new Set(await Promise.all(tabs.map(async (tab) => (await boxOf(tab)).y)));
};

test("at 1280 x 800 the conversation has 60 % of the height, its end in sight", async () => {
  const sim = await startSimulator();
  await sim.control("POST /threads/9001/inbound", { text: "Anybody?" });
  const page = await open(sim, { search: "?thread=9001" });
  await seen(page.getByText("Live", { exact: true }));
  const log = page.getByRole("log", { name: "Conversation" });
  await seen(page.getByText("Open until it is closed by hand."));
  await expect.poll(async () => (await boxOf(log)).height).toBeGreaterThanOrEqual(480);
  const due = page.getByRole("timer", { name: "Answer due" });
  await seen(due.filter({ hasText: "No answer" }));
  await expect.poll(async () => (await boxOf(due)).bottom - (await boxOf(log)).bottom).toBeLessThanOrEqual(0);

  await sim.control("POST /sandboxes", { id: "a-sandbox-with-quite-a-long-name" });
  await sim.control("POST /faults", { on: "request", then: "unavailable" });
  await seen(page.getByRole("button", { name: "1 fault armed · fired 0" }));
  await seen(page.getByRole("option", { name: "a-sandbox-with" }).locator("xpath=.."));
  for (const width of [1080, 1280, 1440, 1480, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(async () => (await boxOf(page.getByRole("banner"))).height).toBeLessThan(60);
    expect((await tops(page)).size, `${width}`).toBe(1);
    expect(await bleedingIn(page), `${width}`).toEqual([]);
    expect(await page.getByText(/fault armed · fired 0/).count(), `${width}`).toBe(1);
  }
});

test("on a phone the conversation is a screen of its own, with the composers at the thumb", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { viewport: { width: 390, height: 844 } });
  await page.getByRole("link", { name: /Alan Johnson/ }).click();
  const bar = page.getByRole("navigation", { name: "Parts of the page" });
  const conversation = page.getByRole("region", { name: "Thread 9001" });
  const send = page.getByRole("button", { name: "Send as employee" });
  const isInSight = async () => {
    const [screen, button, below] = await Promise.all([conversation, send, bar].map(boxOf));
    return Math.abs(screen?.y ?? 99) <= 1 && (button?.bottom ?? 999) <= (below?.y ?? 0);
  };
  await expect.poll(isInSight).toBe(true);
  expect((await boxOf(page.getByRole("log"))).height).toBeGreaterThan(400);
  await page.reload();
  await expect.poll(isInSight).toBe(true);

  await sim.api("POST /api/send-message-to-customer-thread", { customerThreadId: "9001", text: "Hello" });
  await page.getByRole("button", { name: /^your call 200/ }).click();
  const inspector = page.getByRole("complementary", { name: "What happened" });
  await expect.poll(async () => Math.abs((await boxOf(inspector)).y)).toBeLessThanOrEqual(1);
  expect((await tops(page)).size).toBe(1);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await violationsOf(page)).toEqual([]);
  await bar.getByRole("link", { name: "Conversation" }).click();
  await expect.poll(isInSight).toBe(true);
});

test("text twice as large stays readable", async () => {
  const sim = await startSimulator();
  await sim.api("POST /api/send-message-to-customer-thread", { customerThreadId: "9002", text: "Refused" });
  const page = await open(sim, { search: "?thread=9002" });
  await seen(page.getByText("Live", { exact: true }));
  await page.evaluate(`document.documentElement.style.fontSize = "32px"`);
  for (const width of [390, 768, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await sim.control("POST /threads/9002/inbound", { text: `At ${width}` });
    await seen(page.getByRole("article").filter({ hasText: `At ${width}` }));
    expect(await overflowOf(page), `${width}`).toBeLessThanOrEqual(0);
    expect(await violationsOf(page), `${width}`).toEqual([]);
  }
});
