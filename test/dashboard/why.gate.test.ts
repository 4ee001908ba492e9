/** The card that says why there is no reply: in sight, in time, and silent where nothing is wrong. */
import { json } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { serverOf } from "../support/server.js";
import type { Running } from "../support/simulator.js";
import { gone, live, placeOf, says, seen, visit } from "./browser.js";
import { idle, inbound, reply, startBot } from "./calls.js";
import { article, dueOf, field, linkOf, logOf } from "./page.js";
import { press, tells, write } from "./user.js";

/** The card is whole and above the composers, and the newest message is in sight above it. */
async function expectInSight(page: Page, newest: string): Promise<void> {
  const card = await placeOf(dueOf(page));
  const composer = await placeOf(field(page, "Write as the customer"));
  expect(card.bottom).toBeLessThanOrEqual(composer.y);
  expect(card.y).toBeGreaterThanOrEqual((await placeOf(logOf(page))).bottom);
  await expect
    .poll(async () => (await placeOf(article(page, newest))).bottom)
    .toBeLessThanOrEqual((await placeOf(logOf(page))).bottom);
}

test.each([
  [1440, 900],
  [768, 1024],
  [390, 844],
])("the reason is in sight at %i x %i, sent with the mouse or with Enter", async (width, height) => {
  const { sim, page } = await visit("?thread=9001", { viewport: { width, height } });
  const bot = await startBot(sim);
  bot.mute = true;
  for (const count of Array.from({ length: 12 }, (_, at) => at)) await inbound(sim, `Line ${count}`);
  await tells(page, "Line 11");
  await field(page, "Write as the customer").fill("By mouse");
  await page.getByRole("button", { name: "Send as customer" }).click();
  await says(dueOf(page), "The event was delivered (200), and no call has come since.");
  await expectInSight(page, "By mouse");
  await reply(sim, "Here");
  await gone(dueOf(page));
  bot.status = 500;
  await write(page, "By key");
  await says(dueOf(page), "Your program answered the webhook with 500: the database is down.");
  await expectInSight(page, "By key");
  await logOf(page).hover();
  await page.mouse.wheel(0, -5_000);
  await says(logOf(page), "I ordered a pair of walking boots on Monday");
  await seen(dueOf(page));
});

test("what has failed is told at once, silence after two seconds", async () => {
  const { sim, page } = await visit();
  await page.clock.install();
  await page.goto(`${sim.url}/__sim/ui/?thread=9001`);
  await live(page);
  const bot = await startBot(sim);
  await page.clock.pauseAt(Date.now() + 1_000);
  /** Lets the page live on until a condition holds, for so long of its time at most. */
  const within = async (ms: number, holds: () => Promise<boolean>) => {
    for (let passed = 0; passed < ms; passed += 50) {
      if (await holds()) return true;
      await page.clock.runFor(50);
    }
    return holds();
  };
  const tellsOf = async (text: string) => (await dueOf(page).filter({ hasText: text }).count()) > 0;
  bot.mute = true;
  await field(page, "Write as the customer").fill("Hello?");
  await page.keyboard.press("Enter");
  await within(1_000, async () => (await article(page, "Hello?").count()) > 0);
  await idle(sim);
  expect(await within(800, () => tellsOf("No reply"))).toBe(false);
  expect(await within(2_500, () => tellsOf("no call has come since"))).toBe(true);
  await reply(sim, "Here");
  expect(await within(1_000, async () => !(await tellsOf("No reply")))).toBe(true);
  bot.status = 500;
  await field(page, "Write as the customer").fill("Hello again?");
  await page.keyboard.press("Enter");
  expect(await within(900, () => tellsOf("No reply yet. Your program answered the webhook with 500"))).toBe(
    true,
  );
});

test("a thread resolved before the message has its reason, one resolved after it has none", async () => {
  const { sim, page } = await visit("?thread=9004");
  const bot = await startBot(sim);
  bot.status = 500;
  await write(page, "It broke again");
  await says(dueOf(page), "Your program answered the webhook with 500");
  await seen(linkOf(page, /It broke again.*event failed/));
  await sim.control("PATCH /data/threads/9004", { status: "waiting" });
  await sim.control("PATCH /data/threads/9004", { status: "resolved" });
  await gone(dueOf(page));
  bot.status = 200;
  bot.mute = true;
  await write(page, "And again");
  await says(dueOf(page), "no call has come since");
  await seen(linkOf(page, /And again.*no reply/));
});

/** Connects a program that writes through the API at each event. */
async function connect(
  sim: Running,
  answer: (say: (text: string) => Promise<unknown>, data: Event) => unknown,
) {
  const url = await serverOf(async (request, response) => {
    const { data } = (await json(request)) as { data: Event };
    response.end();
    await answer((text) => reply(sim, text).catch(() => {}), data);
  });
  await sim.control("POST /connect", { url });
}
interface Event {
  readonly fromCustomer: boolean;
  readonly messageBody: string;
}

test("a program that replies to its own messages is told so, a menu of messages is none of that", async () => {
  const { sim, page } = await visit("?thread=9001");
  await connect(sim, async (say, { fromCustomer }) => {
    if (fromCustomer) for (let line = 1; line <= 5; line += 1) await say(`Choice ${line}`);
  });
  await write(page, "Menu");
  await tells(page, "Choice 5");
  await idle(sim);
  expect(await dueOf(page).count()).toBe(0);

  let left = 40;
  await connect(sim, async (say) => {
    left -= 1;
    if (left > 0) await say(`You said ${left}`);
  });
  // The replies push the message out of sight.
  await field(page, "Write as the customer").fill("Hello");
  await press(page, "Send as customer");
  await says(
    dueOf(page),
    /Your program has written \d+ messages in a row, .*: it replies to its own messages\./,
  );
  await expect.poll(() => dueOf(page).innerText()).toContain("Ignore events whose fromCustomer is false.");
  await press(page, /^Open d\d+$/);
  await page.waitForURL(/tab=deliveries/);
  // Replies that follow would be told, too.
  await expect.poll(() => left).toBe(0);
  await idle(sim);
  await write(page, "Stop");
  await gone(dueOf(page).filter({ hasText: "its own messages" }));
});
