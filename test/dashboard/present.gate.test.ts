/** A minute of a conversation that needs no bot, in a sandbox of its own. */
import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { gone, seen, useBrowser, violationsOf } from "./browser.js";
import { read } from "./calls.js";
import { article, button, field, logOf } from "./page.js";
import { chip, fits, focused, live, press, says } from "./user.js";

const { open, visit } = useBrowser();

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
    await button(bar, "Next").click();
    await says(bar, `${count} of 8`);
  };
  await next(1);
  await seen(article(page, "when will my order arrive?"));
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
  for (const width of [1080, 1280, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    await fits(page, `${width}`);
    expect(await violationsOf(page)).toEqual([]);
  }
  await button(bar, "Next").click();
  await seen(article(page, "Thank you, it is on its way to you."));
  await page.keyboard.press("Escape");
  await gone(bar);
  await page.waitForURL(/sandbox=default&thread=9002&tab=deliveries$/);
  await focused(button(page, "Tools"));
  expect(await page.evaluate(textSize)).toBe("16px");

  await expect
    .poll(async () => (await read(sim, "/sandboxes")).map(({ id }: { id: string }) => id))
    .toEqual(["default"]);
  for (const log of ["requests", "deliveries", "controls", "snapshots"])
    expect(await read(sim, `/${log}`)).toEqual([]);
});

test("it goes on by itself where motion is welcome, and can be paused", async () => {
  const { sim, page } = await visit("", { reducedMotion: "no-preference" });
  await page.clock.install();
  await page.reload();
  await live(page);
  await press(page, "Present", "1 of 8");
  await seen(article(page, "when will my order arrive?"));
  await seen(button(page, "Next").and(page.locator("[aria-disabled=false]")));
  await page.clock.fastForward(STEP_MS);
  await says(page, "2 of 8");
  await seen(article(page, "It arrives in the shop tomorrow."));
  await button(page, "Pause").click();
  await page.clock.fastForward(STEP_MS);
  await page.clock.fastForward(STEP_MS);
  await says(page, "2 of 8");
  await button(page, "End").click();
  await expect.poll(async () => (await read(sim, "/sandboxes")).length).toBe(1);
});

test("there is none before the control token is entered", async () => {
  const sim = await startSimulator({ controlToken: "secret" });
  const page = await open(sim, { tolerate: /401/ });
  await seen(page.getByRole("dialog", { name: /token/i }));
  expect(await page.locator("button", { hasText: "Present" }).getAttribute("aria-disabled")).toBe("true");
});
