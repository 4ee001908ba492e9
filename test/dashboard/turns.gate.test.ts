// Slow: a browser, with answers that are due for seconds of real time.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { gone, live, says, seen, violationsOf, visit } from "./browser.js";
import { idle, inbound, poll, reply, SEND, START, startBot } from "./calls.js";
import { dueOf, logOf } from "./page.js";
import { chip, press, send, tells } from "./user.js";

/** What a conversation shows from a message on: the text of each article, and of each thing that happened. */
async function storyFrom(page: Page, text: string): Promise<string[]> {
  const log = logOf(page);
  const items = await log.getByRole("article").or(log.getByRole("listitem")).allInnerTexts();
  const words = items.map((item) => item.replace(/\s+/g, " ").replace(/[\d.]+ m?s\b/g, "T"));
  return words.slice(words.findIndex((item) => item.includes(text)));
}

test("a conversation tells what happened where it happened, why, and who wrote", async () => {
  const start = { clock: START, behaviour: { "window.duration": "24h" } };
  const { sim, page } = await visit("?thread=9001", { start });
  await send(page, "customer", "By hand");
  await idle(sim);
  await poll(sim, 40);
  await reply(sim, "An answer");
  await idle(sim);
  await sim.control("POST /clock/advance", { by: "25h" });
  await sim.control("POST /threads/9001/window", { open: false });
  await sim.control("POST /faults", { on: "request", times: 1, then: "unavailable" });
  await reply(sim, "Hit by a fault");
  await reply(sim, "Refused");
  await sim.api("POST /api/update-thread-status", { customerThreadId: "9001", status: "replied" });
  await inbound(sim, "From elsewhere");
  const scenario = { name: "One line", thread: "9001", steps: [{ customer: "From a scenario" }] };
  await sim.control("POST /scenarios/run", { scenario });
  await idle(sim);
  await expect.poll(async () => (await storyFrom(page, "From a scenario")).length).toBe(2);
  await expect.poll(() => logOf(page).getByText("built-in receiver in progress").count()).toBe(0);
  const told = [
    /By hand \d\d:\d\d:\d\d$/,
    /^built-in receiver 200 in T$/,
    /^Thread details → 200 in .*×40$/,
    /^Send message → 200 in T$/,
    /bot An answer .* answered (at once|after T)$/,
    /^built-in receiver 200 in T$/,
    /^clock advanced by 25h · through the control API$/,
    /^window closed · time passed$/,
    /^window closed · through the control API$/,
    /^fault f1 armed: unavailable on the next request · through the control API$/,
    /^Send message → 503: .* fault f1$/,
    /^Send message → 400: The messaging window is closed: send a template$/,
    /^Update status → 200 in T$/,
    /^status waiting → replied · by call r44$/,
    /From elsewhere/,
    /^window opened · through the control API$/,
    /^built-in receiver 200 in T$/,
    /From a scenario .* by a scenario/,
    /^built-in receiver 200 in T$/,
  ];
  expect(await storyFrom(page, "By hand")).toEqual(told.map((line) => expect.stringMatching(line)));

  // What a page tells that comes later is the same, but for how long an answer took by a clock that stands.
  await page.reload();
  await live(page);
  await expect.poll(async () => (await storyFrom(page, "By hand")).length).toBe(told.length);
  const later = told.map(({ source }) => source.replace(" answered (at once|after T)", ""));
  expect(await storyFrom(page, "By hand")).toEqual(later.map((line) => expect.stringMatching(line)));
  await press(logOf(page), /^Thread details .*×40$/);
  await page.waitForURL(/tab=requests.*item=r40/);
});

test("an answer that is due is counted live, with its cause", async () => {
  const { sim, page } = await visit();
  await page.clock.install();
  await page.goto(`${sim.url}/__sim/ui/?thread=9001`);
  await live(page);
  const due = dueOf(page);
  await inbound(sim, "Anybody?");
  await seen(due.filter({ hasText: /No reply for \d+ s/ }));
  await says(due, "Webhook crm still points to sink:demo, a built-in receiver.");
  await page.clock.fastForward(40_000);
  await seen(due.filter({ hasText: /No reply for 4\d s/ }));
  expect(await violationsOf(page, "main")).toEqual([]);
  await press(page, "Open d1");
  await page.waitForURL(/tab=deliveries.*item=d1/);

  await sim.control("PATCH /data/webhooks/1", { enabled: false });
  await sim.api(SEND, { customerThreadId: "9001", text: "Here" }, { token: "acme-tokn" });
  await says(due, /Your program's call was refused: 401 .*\. Unknown token `acme-tokn`; use `acme-token`\./);
  await reply(sim, "Here");
  await gone(due);
  await inbound(sim, "And now?");
  await page.clock.fastForward(5_000);
  await says(due, "No webhook is enabled: crm.");
  await sim.control("PATCH /data/threads/9001", { status: "resolved" });
  await gone(due);
});

test("attempts of a delivery stand in the turn of their message, and an answer begins no new one", async () => {
  const behaviour = { "delivery.attempts": 3, "delivery.backoff": ["1s"] };
  const { sim, page } = await visit("?thread=9001", { start: { behaviour } });
  const bot = await startBot(sim);
  await sim.control("DELETE /data/webhooks/1");
  await sim.control("PUT /clock", { frozen: true });
  bot.status = 500;
  await inbound(sim, "Still there?");
  await chip(page, /^webhook 500 in .*, will be retried$/);
  await says(
    dueOf(page),
    "Your program answered the webhook with 500: the database is down; it will be retried.",
  );
  await sim.control("POST /clock/advance", { by: "1s" });
  await chip(page, /^webhook, second attempt, 500 in/);
  bot.status = 200;
  await sim.control("POST /clock/advance", { by: "1h" });
  await chip(page, /^webhook, third attempt, 200 in/);
  await tells(page, "Your order is on its way.");
  await inbound(sim, "Thanks");
  const newest = logOf(page).locator(".opens").getByRole("article");
  await seen(newest.filter({ hasText: "Thanks" }));
  await gone(newest.filter({ hasText: "Your order" }));
});

test("a bot that answers in another sandbox, or another customer, is told of where the customer waits", async () => {
  const { sim, page } = await visit("?thread=9001");
  await sim.control("PUT /sandboxes/shop");
  const bot = await startBot(sim);
  bot.mute = true;
  await sim.control("POST /sandboxes/shop/connect", { url: bot.url });
  const due = dueOf(page);
  await inbound(sim, "Anybody?");
  await says(due, "The event was delivered (200), and no call has come since.");
  await reply(sim, "For you", "9002");
  await says(due, "Your program wrote to Maria Lopez (9002) instead");
  // The customer of the other sandbox has an answer.
  await reply(sim, "For you, too", "9001");
  await page.goto(page.url().replace("thread=9001", "sandbox=shop&thread=9001"));
  await live(page);
  const came = "Your program's call came to sandbox default with";
  for (const [token, why] of [
    ["acme-token", "Your program used `acme-token` of sandbox default."],
    ["shopp.acme-token", `${came} \`shopp.acme-token\`, which is unknown: 401`],
  ] as const) {
    await sim.control("POST /sandboxes/shop/threads/9001/inbound", { text: "And here?" });
    await says(due, "no call has come since");
    await sim.api(SEND, { customerThreadId: "9001", text: "Here" }, { token });
    await says(due, why, "The key for this conversation is `shop.acme-token`.");
  }
});
