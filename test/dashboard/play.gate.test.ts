// Slow: a browser, and a conversation that is played step by step.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { filesFor } from "../support/folder.js";
import { gone, live, says, seen, violationsOf, visit } from "./browser.js";
import { idle, inbound, read, startBot } from "./calls.js";
import { article, button, dialogOf, field, item, logOf } from "./page.js";
import { chip, downloadOf, focused, keys, openDialog, press, tells } from "./user.js";

/** How long a step stands, ms. */
const STEP_MS = 7_000;
const textSize = "getComputedStyle(document.documentElement).fontSize";

test("it plays window, template, lost webhook and retry, and Escape puts the page back as it was", async () => {
  const { sim, page } = await visit("?thread=9002&tab=deliveries", { tolerate: /400/ });
  const bar = page.getByRole("region", { name: "Presentation" });
  await press(page, "Present", "A minute with messaging-sim");
  await seen(logOf(page));
  const next = async (count: number) => {
    await focused(button(bar, "Next"));
    await press(bar, "Next", `${count} of 8`);
  };
  await next(1);
  await tells(page, "when will my order arrive?");
  expect(await page.evaluate(textSize)).toBe("20px");
  await gone(page.getByRole("complementary"));
  expect(await field(page, "Write as an employee").isVisible()).toBe(false);
  await next(2);
  await seen(article(page, "It arrives in the shop tomorrow.").getByText("bot", { exact: true }));
  await next(3);
  await seen(page.getByRole("switch", { name: "Messaging window open", checked: false }));
  await next(4);
  await chip(page, /^your call 4\d\d/);
  await next(5);
  await seen(article(page, "Reply YES").getByText(/^template/));
  await next(6);
  await chip(page, /^webhook 503 .*will be retried/);
  await seen(page.getByRole("switch", { name: "Messaging window open", checked: true }));
  await next(7);
  await chip(page, /^webhook, second attempt, 200/);
  await press(bar, "Next");
  await tells(page, "Thank you, it is on its way to you.");
  await keys(page, "Escape");
  await gone(bar);
  await page.waitForURL(/sandbox=default&thread=9002&tab=deliveries$/);
  await focused(button(page, "Tools"));
  expect(await page.evaluate(textSize)).toBe("16px");

  await expect.poll(() => read(sim, "/sandboxes")).toMatchObject([{ id: "default" }]);
  for (const log of ["requests", "deliveries", "controls", "snapshots"])
    expect(await read(sim, `/${log}`)).toEqual([]);
});

test("it goes on by itself where motion is welcome, and can be paused", async () => {
  const { sim, page } = await visit("", { reducedMotion: "no-preference" });
  await page.clock.install();
  await page.reload();
  await live(page);
  await press(page, "Present", "1 of 8");
  await seen(button(page, "Next").and(page.locator("[aria-disabled=false]")));
  await page.clock.fastForward(STEP_MS);
  await says(page, "2 of 8");
  await tells(page, "It arrives in the shop tomorrow.");
  await press(page, "Pause");
  await page.clock.fastForward(2 * STEP_MS);
  await says(page, "2 of 8");
  await press(page, "End");
  await expect.poll(() => read(sim, "/sandboxes")).toHaveLength(1);
});

const fileOf = filesFor("share");

test("a turn without a reply is shared with its cause, its payloads and the test that fails, and opens as a file", async () => {
  const { sim, page } = await visit("?thread=9001");
  const bot = await startBot(sim);
  await inbound(sim, "First question");
  await tells(page, "Your order is on its way.");
  bot.status = 500;
  await inbound(sim, "Second <b>question</b>");
  await idle(sim);
  await says(page, /^No reply for/);
  await press(article(page, "Second"), "Message actions");
  await press(article(page, "Second"), "Share this turn…");
  const dialog = dialogOf(page, "Share");
  const whole = field(dialog, "Text for an issue");
  await expect.poll(() => whole.inputValue()).toContain("### Test");
  const text = await whole.inputValue();
  for (const part of [
    "> Second <b>question</b>",
    "→ 500 in",
    '{"error":"the database is down"}',
    '"fromCustomer": true',
    "### No reply",
    '{"customer":"Second <b>question</b>"},\n      {"reply":{"within":"10s"}},',
  ])
    expect(text).toContain(part);
  expect(text).not.toContain("First question");
  await dialog.getByRole("radio", { name: "Conversation" }).check();
  expect(await whole.inputValue()).toContain("First question");

  await keys(page, "Escape");
  await openDialog(page, "Share");
  expect(await whole.inputValue()).toContain("First question");
  const path = await (await downloadOf(dialog, "Download HTML")).path();
  const file = fileOf("shared.html", readFileSync(path, "utf8"));
  const shared = await page.context().newPage();
  const asked: string[] = [];
  shared.on("request", (request) => asked.push(request.url()));
  const url = pathToFileURL(file).href;
  await shared.goto(url);
  const texts = ["First question", "Second <b>question</b>", "Your order is on its way."];
  await seen(...texts.map((hasText) => shared.locator(".text", { hasText })));
  const payload = shared.getByText(/^Payload of d/).first();
  await payload.click();
  await says(shared, /"fromCustomer": true/);
  expect(asked).toEqual([url]);
  for (const colorScheme of ["light", "dark"] as const) {
    await shared.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    expect(await violationsOf(shared)).toEqual([]);
  }
});

/** Whether something is drawn on every canvas of the dialog. */
const DRAWN = `[...document.querySelectorAll("dialog canvas")].map((canvas) =>
  canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0))`;
test("each turn has a bar from event to reply, and each webhook its success rate and p95 over time", async () => {
  const { sim, page } = await visit("?thread=9001");
  const bot = await startBot(sim);
  await inbound(sim, "Answered");
  await tells(page, "Your order is on its way.");
  bot.status = 500;
  await inbound(sim, "Failed");
  await idle(sim);
  const dialog = await openDialog(page, "Where time went");
  await says(item(dialog, "Answered"), /webhook attempts/, /reply \d/);
  await says(item(dialog, "Failed"), /webhook attempts \d/, "no reply");
  await says(item(dialog, /^hook_/), /3 attempts, 67 % succeeded, p95 \d/);
  await says(item(dialog, /^crm/), /3 attempts, 100 % succeeded/);
  await expect.poll(() => page.evaluate(DRAWN)).toEqual([true, true]);
  // What comes while it is open is counted.
  await inbound(sim, "Once more");
  await says(item(dialog, /^hook_/), /4 attempts, 50 % succeeded/);
});
