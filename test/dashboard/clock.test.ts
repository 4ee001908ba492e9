import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { bleedingIn, gone, overflowOf, seen, useBrowser } from "./browser.js";

const open = useBrowser();
const AT = Date.parse("2026-01-01T09:00:00Z");
const HOUR = 3_600_000;

test("the clock goes on by presets, to what falls due next, and to a date; each is undone", async () => {
  const sim = await startSimulator({
    clock: AT,
    set: { "window.duration": "24h", "delivery.attempts": 2, "delivery.backoff": ["10m"] },
  });
  const nowOf = async () => (await sim.control("GET /clock")).body.now - AT;
  const page = await open(sim, { search: "?thread=9001", tolerate: /400/ });
  const dialog = page.getByRole("dialog", { name: "Clock" });
  await page.getByRole("button", { name: "More of the clock" }).click();
  await seen(dialog.getByText(/^Nothing: no window/));
  await dialog.getByRole("button", { name: "+25 h" }).click();
  await seen(dialog.getByText("The clock moved on by 25h."));
  expect(await nowOf()).toBe(25 * HOUR);
  await dialog.getByRole("button", { name: "Undo" }).click();
  await expect.poll(nowOf).toBe(0);
  await gone(dialog.getByText("The clock moved on by 25h."));

  await sim.control("PATCH /data/webhooks/1", { url: "http://127.0.0.1:9/hook" });
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  const due = dialog.getByRole("list", { name: "What falls due" }).getByRole("listitem");
  await seen(due.first().getByText("Delivery d1 to crm is tried again"));
  await seen(due.first().getByText("2026-01-01T09:10:00.000Z, in 10 min"));
  await seen(due.nth(1).getByText("The messaging window of Alan Johnson (9001) closes"));
  await due
    .first()
    .getByRole("button", { name: /^Advance to: Delivery d1/ })
    .click();
  await seen(dialog.getByText("The clock moved on by 10 min: Delivery d1 to crm is tried again."));
  expect(await nowOf()).toBe(HOUR / 6);
  expect((await sim.control("GET /deliveries")).body[0].attempts.length).toBe(2);
  await due
    .first()
    .getByRole("button", { name: /^Advance to: The messaging window/ })
    .click();
  await seen(dialog.getByText(/^Nothing: no window/));
  expect(await nowOf()).toBe(24 * HOUR);
  expect((await sim.control("GET /data/threads/9001")).body.isMessagingWindowOpen).toBe(false);

  await dialog.getByLabel("Date and time, UTC").fill("2026-03-01T12:30:00");
  await dialog.getByRole("button", { name: "Set clock" }).click();
  await seen(dialog.getByText("The clock is set to 2026-03-01T12:30:00.000Z."));
  expect(await nowOf()).toBe(Date.parse("2026-03-01T12:30:00Z") - AT);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await bleedingIn(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await gone(dialog);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(nowOf).toBe(24 * HOUR);
});
