import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { gone, seen, useBrowser } from "./browser.js";

const open = useBrowser();
const READ = "/api/get-customer-thread-details?customerThreadId=";

/** A simulator whose thread 9001 has so many messages, of one line and of several. */
async function startWith(count: number): Promise<Running> {
  const sim = await startSimulator();
  const { body: state } = await sim.control("GET /state");
  const [first] = state.messages;
  const messages = Array.from({ length: count }, (_, at) => ({
    ...first,
    id: String(1_000_001 + at),
    text: `Number ${at + 1}${at % 3 === 0 ? ", which says more than a line holds".repeat(9) : ""}`,
    timestamp: first.timestamp + at * 1_000,
  }));
  messages.push({
    ...first,
    id: "2000000",
    text: "The last one",
    timestamp: first.timestamp + count * 1_000,
  });
  expect((await sim.control("PUT /state", { ...state, messages })).status).toBe(200);
  return sim;
}

const isInSight = async (log: Locator, text: string): Promise<boolean> => {
  const place = await log.boundingBox();
  const article = log.getByRole("article").filter({ hasText: text });
  const box = (await article.count()) === 0 ? null : await article.last().boundingBox();
  return (
    place !== null && box !== null && box.y >= place.y - 1 && box.y + box.height <= place.y + place.height + 1
  );
};
const inSight = (log: Locator, text: string) => expect.poll(() => isInSight(log, text)).toBe(true);

test("Home and End lead to the first and the last of 3,000 messages", async () => {
  const sim = await startWith(3_000);
  const page = await open(sim, { search: "?thread=9001" });
  const log = page.getByRole("log", { name: "Conversation" });
  await inSight(log, "The last one");
  await log.focus();
  for (const _round of [1, 2]) {
    await page.keyboard.press("Home");
    await inSight(log, "Number 1,");
    await page.keyboard.press("End");
    await inSight(log, "The last one");
  }
});

test("of 10,200 messages the newest 10,000 are there, and the others when one asks for them", async () => {
  const sim = await startWith(10_200);
  const page = await open(sim, { search: "?thread=9001" });
  const log = page.getByRole("log", { name: "Conversation" });
  await inSight(log, "The last one");
  await sim.control("POST /threads/9001/inbound", { text: "One more" });
  await inSight(log, "One more");
  await log.focus();
  await page.keyboard.press("Home");
  await inSight(log, "Number 202");
  expect(await log.getByText("Number 201", { exact: false }).count()).toBe(0);
  await log.getByRole("button", { name: "Show earlier messages" }).click();
  // What was being read stays in sight.
  await inSight(log, "Number 202");
  await inSight(log, "Number 201");
  // The button is gone, and the focus with it unless it is handed on.
  await seen(log.and(page.locator(":focus")));
  await page.keyboard.press("Home");
  await inSight(log, "Number 1,");
  expect(await log.getByRole("button", { name: "Show earlier messages" }).count()).toBe(0);
});

test("what I send is seen, wherever I had scrolled to", async () => {
  const sim = await startWith(300);
  const page = await open(sim, { search: "?thread=9001" });
  const log = page.getByRole("log", { name: "Conversation" });
  await log.focus();
  await page.keyboard.press("Home");
  await inSight(log, "Number 1,");
  await page.getByRole("textbox", { name: "Write as the customer" }).fill("Sent from above");
  await page.keyboard.press("Enter");
  await inSight(log, "Sent from above");
});

test("new messages are told while I look at older ones, calls are not", async () => {
  const sim = await startWith(300);
  const page = await open(sim, { search: "?thread=9001&tab=requests" });
  const log = page.getByRole("log", { name: "Conversation" });
  const button = page.getByRole("button", { name: "New messages" });
  await log.focus();
  await page.keyboard.press("Home");
  await inSight(log, "Number 1,");
  await sim.api(`GET ${READ}9001`);
  await seen(page.getByText("1 entry"));
  expect(await button.count()).toBe(0);
  await sim.control("POST /threads/9001/inbound", { text: "From elsewhere" });
  await seen(button);
  expect(await isInSight(log, "Number 1,")).toBe(true);
  await button.click();
  await inSight(log, "From elsewhere");
  await gone(button);
});

test("what is not sent yet stays with its thread", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001" });
  const customer = page.getByRole("textbox", { name: "Write as the customer" });
  const employee = page.getByRole("textbox", { name: "Write as an employee" });
  await customer.fill("For Alan");
  await employee.fill("By Ana");
  await page.getByRole("link", { name: /Maria Lopez/ }).click();
  await page.waitForURL(/thread=9002/);
  await expect.poll(() => customer.inputValue()).toBe("");
  await customer.fill("For Maria");
  await page.getByRole("link", { name: /Alan Johnson/ }).click();
  await expect.poll(() => customer.inputValue()).toBe("For Alan");
  expect(await employee.inputValue()).toBe("By Ana");
  await customer.press("Enter");
  await seen(page.getByRole("article").filter({ hasText: "For Alan" }));
  await page.getByRole("link", { name: /Maria Lopez/ }).click();
  await expect.poll(() => customer.inputValue()).toBe("For Maria");
  await page.getByRole("link", { name: /Alan Johnson/ }).click();
  await expect.poll(() => customer.inputValue()).toBe("");
});

test("each tab has its own filter, in the address; token and answer are searched, too", async () => {
  const sim = await startSimulator();
  await sim.api(`GET ${READ}9001`);
  const refused = await sim.api(`GET ${READ}77777`);
  expect(refused.status).toBe(404);
  await sim.api(`GET ${READ}9001`, undefined, { token: "nobodys-token" });
  const page = await open(sim, { search: "?thread=9001&tab=requests" });
  const rows = page.getByRole("tabpanel").getByRole("row");
  const filter = page.getByRole("searchbox", { name: "Filter requests" });
  await expect.poll(() => rows.count()).toBe(3);
  await filter.fill("NOBODYS");
  await expect.poll(() => rows.count()).toBe(1);
  await filter.fill(JSON.stringify(refused.body).slice(1, -1));
  await expect.poll(() => rows.count()).toBe(1);
  await filter.fill("acme-token");
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole("checkbox", { name: "This thread" }).check();
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole("tab", { name: "Behaviour" }).click();
  const behaviour = page.getByRole("searchbox", { name: "Filter behaviour" });
  expect(await behaviour.inputValue()).toBe("");
  await behaviour.fill("window.duration");
  await page.getByRole("searchbox", { name: "Search threads" }).fill("alan");
  await page.getByRole("combobox", { name: "Show" }).selectOption("waiting");
  const links = page.getByRole("navigation", { name: "Threads" }).getByRole("link");
  await expect.poll(() => links.count()).toBe(1);
  await page.getByRole("tab", { name: "Requests" }).click();
  await expect.poll(() => filter.inputValue()).toBe("acme-token");

  // The address alone brings all of it back.
  await page.goto(page.url());
  await expect.poll(() => rows.count()).toBe(1);
  expect(await filter.inputValue()).toBe("acme-token");
  expect(await page.getByRole("checkbox", { name: "This thread" }).isChecked()).toBe(true);
  expect(await links.count()).toBe(1);
  await page.getByRole("tab", { name: "Behaviour" }).click();
  expect(await behaviour.inputValue()).toBe("window.duration");
});
