import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { seen, useBrowser } from "./browser.js";

const open = useBrowser();
const READ = "/api/get-customer-thread-details?customerThreadId=9001";

/** Calls the API as a polling bot does. */
async function poll({ url }: Running, count: number): Promise<void> {
  const call = async () => {
    const answer = await fetch(`${url}${READ}`, { headers: { token: "acme-token" } });
    await answer.arrayBuffer();
  };
  for (let done = 0; done < count; done += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - done) }, call));
}

const nodesOf = (page: Page): Promise<number> => page.locator("*").count();

test("40 polls are one chip, and the message before them stays in sight", async () => {
  const sim = await startSimulator();
  await sim.control("POST /threads/9001/inbound", { text: "Is anybody there?" });
  const page = await open(sim, { search: "?thread=9001" });
  const log = page.getByRole("log", { name: "Conversation" });
  await seen(log.getByRole("article").filter({ hasText: "Is anybody there?" }));
  await poll(sim, 40);
  const polls = log.getByRole("button", { name: /^your call 200 in .*thread details.*×40$/ });
  await seen(polls);
  expect(await log.getByRole("button", { name: /^your call/ }).count()).toBe(1);
  const message = log.getByRole("article").filter({ hasText: "Is anybody there?" });
  const [place, box] = [await log.boundingBox(), await message.boundingBox()];
  expect(box?.y ?? 0).toBeGreaterThanOrEqual((place?.y ?? 0) - 1);
  await polls.click();
  await page.waitForURL(/tab=requests.*item=r40/);
  expect(await polls.getAttribute("aria-pressed")).toBe("true");
});

test("polls that end otherwise are a chip of their own", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001" });
  const log = page.getByRole("log", { name: "Conversation" });
  await poll(sim, 3);
  await sim.control("POST /faults", { on: "request", then: "unavailable", times: 2 });
  await poll(sim, 2);
  await seen(log.getByRole("button", { name: /^your call 200 .*×3$/ }));
  await seen(log.getByRole("button", { name: /^your call 503 .*×2$/ }));
});

test("3,000 calls leave the page as small as 100 did, with the newest 2,000 in the log", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001" });
  await seen(page.getByText("Live", { exact: true }));
  await poll(sim, 100);
  await seen(page.getByText("100 entries"));
  const before = await nodesOf(page);
  await poll(sim, 2_900);
  await seen(page.getByText("2,000 entries"));
  await seen(page.getByRole("tabpanel").getByRole("row").first());
  await seen(page.getByRole("log").getByRole("button", { name: /^your call 200 .*×2,000$/ }));
  expect(await nodesOf(page)).toBeLessThanOrEqual(before + 20);
  expect(before).toBeLessThan(1_500);
});

test("lists that others fill show their first entries and a button for more", async () => {
  const sim = await startSimulator();
  for (let count = 0; count < 150; count += 1)
    await sim.control("POST /faults", { on: "request", match: { path: "/nowhere" }, then: "slow" });
  const page = await open(sim, { search: "?thread=9001&tab=faults" });
  const cards = page.getByRole("list", { name: "Armed faults" }).getByRole("button", { name: /^Disarm f/ });
  await seen(cards.first());
  expect(await cards.count()).toBe(100);
  await page.getByRole("button", { name: "Show 50 more of 50" }).click();
  await expect.poll(() => cards.count()).toBe(150);
});

test("a long payload is cut until one asks for all of it, and copied whole", async () => {
  const sim = await startSimulator();
  const text = "long ".repeat(8_000);
  await sim.control("POST /threads/9001/inbound", { text });
  const page = await open(sim, { search: "?thread=9001&tab=deliveries&item=d1" });
  const payload = page.getByRole("figure").filter({ hasText: "Payload" });
  await seen(payload);
  expect((await payload.locator("pre").innerText()).length).toBe(20_000);
  await payload.getByRole("button", { name: /^Show all/ }).click();
  await expect.poll(async () => (await payload.locator("pre").innerText()).length).toBeGreaterThan(40_000);
});
