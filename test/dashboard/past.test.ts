import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createSimulator } from "../../src/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { gone, seen, useBrowser } from "./browser.js";

const open = useBrowser();
const SEND = "POST /api/send-message-to-customer-thread";

async function savedScenario(page: Page, text: string): Promise<string> {
  const article = page.getByRole("article").filter({ hasText: text }).last();
  await article.getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("button", { name: "Save as scenario…" }).click();
  return page.getByRole("textbox", { name: "Scenario" }).inputValue();
}

test("a saved scenario keeps who said what, also after the calls were cleared from the log", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001&tab=requests" });
  await seen(page.getByText("Live", { exact: true }));
  await sim.control("POST /threads/9001/inbound", { text: "Where is it?" });
  await sim.api(SEND, { customerThreadId: "9001", text: "A note by the bot", internal: true });
  await sim.api(SEND, { customerThreadId: "9001", text: "On its way" });
  await sim.control("POST /threads/9001/employee-message", { userId: "501", text: "Sorry for the wait" });
  await seen(page.getByText("2 entries"));
  await page.getByRole("button", { name: "Clear" }).click();
  await seen(page.getByText("Nobody has called yet"));
  const scenario = await savedScenario(page, "Where is it?");
  expect(scenario.slice(scenario.indexOf("steps:"))).toBe(
    [
      "steps:",
      '  - customer: "Where is it?"',
      '  - expect: {"request":{"path":"/api/send-message-to-customer-thread","body":{"customerThreadId":"9001","text":"A note by the bot","internal":true}}}',
      '  - reply: {"text":"On its way"}',
      '  - employee: {"user":"501","says":"Sorry for the wait"}',
      "",
    ].join("\n"),
  );
  expect((await sim.control("POST /scenarios/run", { scenario })).body.steps).toHaveLength(4);
});

test("what a scenario's own call wrote is saved as that call", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001" });
  await seen(page.getByText("Live", { exact: true }));
  const body = { customerThreadId: "9001", text: "Sent by a step" };
  const steps = [{ request: SEND, token: "acme-token", body }];
  const { body: report } = await sim.control("POST /scenarios/run", { scenario: { name: "x", steps } });
  expect(report.ok).toBe(true);
  const scenario = await savedScenario(page, "Sent by a step");
  expect(scenario).toContain(`  - request: ${SEND}\n    token: "acme-token"\n    body: {"customerThreadId"`);
  expect((await sim.control("POST /scenarios/run", { scenario })).body).toMatchObject({ ok: true });
});

test("an entry of an earlier run does not open one of this run, and the page says so", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001&tab=requests" });
  await sim.api(SEND, { customerThreadId: "9001", text: "Before" });
  await page.getByRole("tabpanel").getByRole("row").first().click();
  await page.waitForURL(/item=r1&run=\d+/);
  await seen(page.getByRole("row").getByText("Outcome"));
  await sim.control("POST /reset");
  await seen(page.getByText("r1 is of an earlier run: the sandbox was reset since."));
  await sim.api(SEND, { customerThreadId: "9001", text: "After" });
  await seen(page.getByRole("tabpanel").getByRole("row").first());
  await gone(page.getByRole("row").getByText("Outcome"));
  await page.getByRole("tabpanel").getByRole("row").first().click();
  await seen(page.getByRole("row").getByText("Outcome"));
  await gone(page.getByText("r1 is of an earlier run"));
  await page.goto(`${sim.url}/__sim/ui/?thread=9001&tab=requests&item=r77`);
  await seen(page.getByText("r77 is not in this log, or not any more."));
});

test("an error that the server's absence caused goes when the server is back", async () => {
  const first = await createSimulator();
  const port = Number(new URL(first.url).port);
  const page = await open(first, {
    search: "?thread=9001&tab=behaviour",
    tolerate: /net::ERR|Failed to load/,
  });
  await page.getByRole("searchbox", { name: "Filter behaviour" }).fill("window.duration");
  await page.getByRole("button", { name: "Edit window.duration" }).click();
  await first.close();
  await page.getByRole("button", { name: "Save window.duration" }).click();
  const second = page.getByRole("tabpanel").getByRole("alert").filter({ hasText: "does not answer" });
  await seen(second);
  const back = await createSimulator({ port });
  try {
    await seen(page.getByText("Live", { exact: true }));
    await gone(second);
    expect(await page.getByRole("alert").count()).toBe(0);
  } finally {
    await back.close();
  }
});

test.each([390, 1280])("a notice covers neither composer, at %i px", async (width) => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001", viewport: { width, height: 800 } });
  await page.getByRole("button", { name: "Save as bundle" }).click();
  const notice = page.getByText("messaging-sim serve --bundle opens it");
  await seen(notice);
  await page.getByRole("textbox", { name: "Write as the customer" }).scrollIntoViewIfNeeded();
  const box = await notice.boundingBox();
  const composer = await page.getByRole("textbox", { name: "Write as the customer" }).boundingBox();
  if (box === null || composer === null) throw new Error("not in the page");
  expect(box.y + box.height).toBeLessThan(composer.y);
});

test("a notice goes as soon as somebody is there, once there was time to read it", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001" });
  await page.clock.install();
  await seen(page.getByText("Live", { exact: true }));
  await page.clock.pauseAt(Date.now() + 60_000);
  const notice = page.getByText("messaging-sim serve --bundle opens it");
  const move = (x: number) => page.mouse.move(x, 500);
  for (const act of [() => move(500), () => page.keyboard.press("Shift")]) {
    await page.getByRole("button", { name: "Save as bundle" }).click();
    await seen(notice);
    await page.clock.runFor(2_900);
    await move(400);
    await page.keyboard.press("Shift");
    await page.clock.runFor(200);
    expect(await notice.count()).toBe(1);
    await act();
    await page.clock.runFor(100);
    await gone(notice);
  }
});
