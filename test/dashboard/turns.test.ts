import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { startBot } from "./bot.js";
import { gone, seen, useBrowser, violationsOf } from "./browser.js";

const open = useBrowser();
const SEND = "POST /api/send-message-to-customer-thread";
const START = "2026-01-01T09:00:00Z";

/** What a conversation shows from a message on: the text of each article, and of each thing that happened. */
async function storyFrom(log: Locator, text: string): Promise<string[]> {
  const items = await log.getByRole("article").or(log.getByRole("listitem")).allInnerTexts();
  const words = items.map((item) => item.replace(/\s+/g, " ").replace(/[\d.]+ m?s\b/g, "T"));
  return words.slice(words.findIndex((item) => item.includes(text)));
}

test("a conversation tells what happened where it happened, why, and who wrote", async () => {
  const sim = await startSimulator({ clock: START, behaviour: { "window.duration": "24h" } });
  const page = await open(sim, { search: "?thread=9001" });
  const log = page.getByRole("log", { name: "Conversation" });
  await seen(page.getByText("Live", { exact: true }));
  await page.getByRole("textbox", { name: "Write as the customer" }).fill("By hand");
  await page.getByRole("button", { name: "Send as customer" }).click();
  await seen(log.getByRole("article").filter({ hasText: "By hand" }));
  await sim.control("POST /wait", { for: "idle" });
  await sim.api("GET /api/get-customer-thread-details?customerThreadId=9001");
  await sim.api(SEND, { customerThreadId: "9001", text: "An answer" });
  await sim.control("POST /wait", { for: "idle" });
  await sim.control("POST /clock/advance", { by: "25h" });
  await sim.control("POST /threads/9001/window", { open: false });
  await sim.control("POST /faults", { on: "request", times: 1, then: "unavailable" });
  await sim.api(SEND, { customerThreadId: "9001", text: "Hit by a fault" });
  await sim.api(SEND, { customerThreadId: "9001", text: "Refused" });
  await sim.api("POST /api/update-thread-status", { customerThreadId: "9001", status: "replied" });
  await sim.control("POST /threads/9001/inbound", { text: "From elsewhere" });
  await sim.control("POST /scenarios/run", {
    scenario: { name: "One line", thread: "9001", steps: [{ customer: "From a scenario" }] },
  });
  await sim.control("POST /wait", { for: "idle" });
  await expect.poll(async () => (await storyFrom(log, "From a scenario")).length).toBe(2);
  await expect.poll(() => log.getByText("webhook on its way").count()).toBe(0);
  const told = [
    /By hand .* by hand event delivered/,
    /^webhook 200 in T$/,
    /^your call 200 in T thread details$/,
    /^your call 200 in T send message$/,
    /An answer .* through the API answered (at once|after T) event delivered/,
    /^webhook 200 in T$/,
    /^clock advanced by 25h · through the control API$/,
    /^window closed · time passed$/,
    /^window closed · through the control API$/,
    /^fault f1 armed: unavailable on each request, once · through the control API$/,
    /^your call 503 in T: .* fault f1 send message$/,
    /^your call 400 in T: The messaging window is closed: send a template send message$/,
    /^your call 200 in T update status$/,
    /^status waiting → replied · by call r5$/,
    /From elsewhere .* through the control API/,
    /^window opened · through the control API$/,
    /^webhook 200 in T$/,
    /From a scenario .* by a scenario/,
    /^webhook 200 in T$/,
  ];
  const live = await storyFrom(log, "By hand");
  expect(live).toEqual(told.map((line) => expect.stringMatching(line)));

  // What a page tells that comes later is the same, but for how long an answer took by a clock that stands.
  await page.reload();
  await seen(page.getByText("Live", { exact: true }));
  await expect.poll(async () => (await storyFrom(log, "By hand")).length).toBe(told.length);
  const lines = told.map((line) =>
    expect.stringMatching(new RegExp(line.source.replace("answered (at once|after T) ", ""))),
  );
  expect(await storyFrom(log, "By hand")).toEqual(lines);
  expect(await violationsOf(page)).toEqual([]);
});

test("attempts are counted, and a turn begins with each question", async () => {
  const sim = await startSimulator({ behaviour: { "delivery.attempts": 3, "delivery.backoff": ["1s"] } });
  const bot = await startBot(sim);
  await sim.control("DELETE /data/webhooks/1");
  const page = await open(sim, { search: "?thread=9001" });
  const log = page.getByRole("log", { name: "Conversation" });
  await seen(page.getByText("Live", { exact: true }));
  await sim.control("PUT /clock", { frozen: true });
  bot.status = 500;
  await sim.control("POST /threads/9001/inbound", { text: "Anybody?" });
  await seen(log.getByRole("button", { name: /^webhook 500 in .*, tried again later$/ }));
  await sim.control("POST /clock/advance", { by: "1s" });
  await seen(log.getByRole("button", { name: /^webhook, second attempt, 500 in/ }));
  bot.status = 200;
  await sim.control("POST /clock/advance", { by: "1h" });
  await seen(log.getByRole("button", { name: /^webhook, third attempt, 200 in/ }));
  await seen(log.getByRole("article").filter({ hasText: "Your order is on its way." }));
  await sim.control("POST /threads/9001/inbound", { text: "Thanks" });
  await seen(log.locator(".opens").getByRole("article").filter({ hasText: "Thanks" }));
  await gone(log.locator(".opens").getByRole("article").filter({ hasText: "Your order" }));
});

test("an answer that is due is counted live, with its cause, and notified of on wish", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { permissions: [] });
  await page.addInitScript(`
    window.asked = 0;
    window.notified = [];
    window.Notification = class {
      static async requestPermission() { window.asked += 1; return "granted"; }
      constructor(title, { body }) { window.notified.push(title + "; " + body); }
    };
  `);
  await page.clock.install();
  await page.goto(`${sim.url}/__sim/ui/?thread=9001`);
  await seen(page.getByText("Live", { exact: true }));
  const due = page.getByRole("timer", { name: "Answer due" });
  await sim.control("POST /threads/9001/inbound", { text: "Anybody?" });
  await seen(due.filter({ hasText: /No answer for \d+ s/ }));
  await seen(due.getByText("the event went to the built-in receiver sink:demo only: no bot is connected"));
  await page.clock.fastForward(40_000);
  await seen(due.filter({ hasText: /No answer for 4\d s/ }));
  expect(await page.evaluate("[asked, notified]")).toEqual([0, []]);
  await page.getByRole("button", { name: "Notify me when an answer is late" }).click();
  const told = ["Alan Johnson: No answer for 4"];
  await expect.poll(() => page.evaluate("notified.map((text) => text.slice(0, 29))")).toEqual(told);
  expect(await page.evaluate("asked")).toBe(1);
  expect(await violationsOf(page)).toEqual([]);
  await due.getByRole("button", { name: "d1" }).click();
  await page.waitForURL(/tab=deliveries.*item=d1/);

  await sim.control("PATCH /data/webhooks/1", { enabled: false });
  await sim.api(SEND, { customerThreadId: "9001", text: "Here" });
  await gone(due);
  await sim.control("POST /threads/9001/inbound", { text: "And now?" });
  await page.clock.fastForward(5_000);
  await seen(due.getByText("no webhook is enabled: crm is disabled"));
  await sim.control("PATCH /data/threads/9001", { status: "resolved" });
  await gone(due);
  expect(await page.evaluate("notified.length")).toBe(1);
});

test("a bot that answers its own messages is told of", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001" });
  await seen(page.getByText("Live", { exact: true }));
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  for (let at = 1; at <= 5; at += 1)
    await sim.api("POST /api/send-message-to-customer-thread", {
      customerThreadId: "9001",
      text: `Echo ${at}`,
    });
  await seen(page.getByText("5 messages without one of the customer"));
  await sim.control("POST /threads/9001/inbound", { text: "Stop" });
  await gone(page.getByText("5 messages without one of the customer"));
});
