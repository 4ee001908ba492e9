import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { bleedingIn, gone, overflowOf, seen, useBrowser, violationsOf } from "./browser.js";

const open = useBrowser();
const AT = "2026-01-01T09:00:00Z";

/** How a sandbox stands: what Undo brings back. */
async function standingOf({ control }: Running, sandbox = "default") {
  const of = async (path: string) => (await control(`GET /sandboxes/${sandbox}${path}`)).body;
  const faults: Record<string, unknown>[] = await of("/faults");
  return {
    state: await of("/state"),
    clock: await of("/clock"),
    behaviour: await of("/behaviour"),
    faults: faults.map(({ id, seen: _, fired, times, ...rule }) => ({
      ...rule,
      left: Number(times) - Number(fired),
    })),
  };
}

const undo = (page: Page) => page.getByRole("button", { name: "Undo", exact: true });
const undone = async (page: Page, what: string) => {
  await undo(page).click();
  await seen(page.getByText(`Undone: ${what}`));
};

test("Reset, Advance, Freeze, disarming and a run here are undone, one after the other", async () => {
  const sim = await startSimulator({ clock: AT });
  await sim.control("POST /threads/9001/inbound", { text: "Keep me" });
  await sim.control("PATCH /behaviour", { "window.duration": "7h" });
  await sim.control("POST /faults", { on: "request", then: "unavailable", times: 3 });
  await sim.api("GET /api/get-customer-thread-details?customerThreadId=9001");
  const page = await open(sim, { search: "?thread=9001&tab=faults" });
  await seen(page.getByText("Live", { exact: true }));
  expect(await undo(page).count()).toBe(0);
  const before = await standingOf(sim);
  expect(before.faults).toMatchObject([{ left: 2 }]);

  await page.getByRole("button", { name: "Reset" }).click();
  await seen(page.getByText(/Sandbox default is back at its start\. Logs, .* stay lost\./));
  expect((await standingOf(sim)).state).not.toEqual(before.state);
  expect((await standingOf(sim)).faults).toEqual([]);
  await page.getByRole("textbox", { name: "Advance by" }).fill("25h");
  await page.getByRole("button", { name: "Advance", exact: true }).click();
  await seen(page.getByText("The clock moved on by 25h."));
  await page.getByRole("button", { name: "Let run" }).click();
  await seen(page.getByText("The clock runs."));
  expect((await sim.control("GET /clock")).body.frozen).toBe(false);
  await undone(page, "The clock runs");
  expect((await sim.control("GET /clock")).body).toEqual({
    now: Date.parse(AT) + 25 * 3_600_000,
    frozen: true,
  });
  await seen(page.getByText("The clock moved on by 25h."));
  await undone(page, "The clock moved on by 25h");
  expect((await sim.control("GET /clock")).body.now).toBe(Date.parse(AT));
  await undone(page, "Sandbox default is back at its start");
  await gone(undo(page));
  expect(await standingOf(sim)).toEqual(before);
  await seen(page.getByRole("article").filter({ hasText: "Keep me" }));

  // What was undone is done again, the last one first, until something else is done.
  await page.getByRole("button", { name: "Redo" }).click();
  await seen(page.getByText(/^Sandbox default is back at its start\./));
  await gone(page.getByRole("article").filter({ hasText: "Keep me" }));
  await page.keyboard.press("Control+Shift+Z");
  await seen(page.getByText("The clock moved on by 25h."));
  expect((await sim.control("GET /clock")).body.now).toBe(Date.parse(AT) + 25 * 3_600_000);
  await page.keyboard.press("Shift+U");
  await seen(page.getByText("The clock runs."));
  await gone(page.getByRole("button", { name: "Redo" }));
  expect((await sim.control("GET /clock")).body.frozen).toBe(false);
  for (const left of [
    "The clock moved on by 25h.",
    "Sandbox default is back at its start.",
    "Nothing is left",
  ]) {
    await page.keyboard.press("Control+Z");
    await seen(page.locator(".undo-bar").getByText(left));
  }
  expect(await standingOf(sim)).toEqual(before);
  await seen(page.getByRole("button", { name: "Redo" }));

  await page.getByRole("button", { name: "Disarm all" }).click();
  await seen(page.getByText("All faults are disarmed."));
  await gone(page.getByRole("button", { name: "Redo" }));
  expect(await violationsOf(page, ".top")).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await bleedingIn(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await undone(page, "All faults are disarmed");
  expect((await standingOf(sim)).faults).toEqual(before.faults);

  await page.getByRole("tab", { name: "Scenarios" }).click();
  await page.getByText("This sandbox", { exact: true }).click();
  await page.getByRole("button", { name: "Run message-event" }).click();
  await seen(page.getByText("The scenario message-event ran in default."));
  expect((await standingOf(sim)).state).not.toEqual(before.state);
  await undone(page, "The scenario message-event ran in default");
  expect(await standingOf(sim)).toEqual(before);
});

test("snapshots are taken, restored and removed by name; a state goes out as a file and comes in", async () => {
  const sim = await startSimulator({ clock: AT });
  const page = await open(sim, { search: "?thread=9001", tolerate: /400/ });
  const dialog = page.getByRole("dialog", { name: "Snapshots and state" });
  const show = () => page.getByRole("button", { name: "Snapshots and state" }).click();
  const fixture = await standingOf(sim);
  await show();
  await seen(dialog.getByText("There is none yet."));
  await dialog.getByRole("textbox", { name: "Name" }).fill("as shipped");
  await dialog.getByRole("button", { name: "Take snapshot" }).click();
  const taken = dialog.getByRole("listitem").filter({ hasText: "as shipped" });
  await seen(taken.getByText(/2026-01-01T09:00:00.000Z, the clock stands/));
  expect((await sim.control("GET /snapshots")).body).toMatchObject([{ name: "as shipped" }]);
  await sim.control("POST /threads/9001/inbound", { text: "After it" });
  await sim.control("PUT /clock", { frozen: false });
  const written = (await standingOf(sim)).state;
  await dialog.getByRole("button", { name: "Restore as shipped" }).click();
  await seen(page.getByText("State and clock are those of as shipped."));
  expect(await standingOf(sim)).toEqual(fixture);
  await gone(page.getByRole("article").filter({ hasText: "After it" }));
  await undone(page, "State and clock are those of as shipped");
  expect((await standingOf(sim)).state).toEqual(written);
  expect((await sim.control("GET /clock")).body.frozen).toBe(false);

  await show();
  await seen(dialog.getByRole("listitem").filter({ hasText: /^Before restore, \d{4}/ }));
  const downloading = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Export state" }).click();
  const text = await readFile(await (await downloading).path(), "utf8");
  expect(JSON.parse(text)).toEqual(written);
  const upload = (content: string) =>
    dialog.locator("input[type=file]").setInputFiles({
      name: "world.json",
      mimeType: "application/json",
      buffer: Buffer.from(content),
    });
  await upload('{ "threads": [');
  await seen(dialog.getByRole("alert").filter({ hasText: "world.json is no JSON" }));
  const broken = JSON.parse(text);
  broken.threads[0].customerId = "nobody";
  broken.users[0].email = 7;
  await upload(JSON.stringify(broken));
  const problems = dialog.getByRole("list", { name: "Problems" });
  await seen(problems.getByText("threads[0].customerId", { exact: true }));
  await seen(problems.getByText("users[0].email", { exact: true }));
  expect((await standingOf(sim)).state).toEqual(written);
  await upload(JSON.stringify(fixture.state));
  await seen(page.getByText("The state is that of world.json."));
  expect((await standingOf(sim)).state).toEqual(fixture.state);
  await undone(page, "The state is that of world.json");
  expect((await standingOf(sim)).state).toEqual(written);

  await page.setViewportSize({ width: 390, height: 844 });
  await show();
  await dialog.getByRole("button", { name: "Remove as shipped", exact: true }).click();
  expect((await sim.control("GET /snapshots")).body.length).toBe(3);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await bleedingIn(page)).toEqual([]);
  expect(await violationsOf(page, "dialog")).toEqual([]);
  await dialog.getByRole("button", { name: "Really remove as shipped" }).click();
  await gone(taken);
  expect((await sim.control("GET /snapshots")).body.length).toBe(2);
});

test("a deleted sandbox and a removed webhook come back, and the page keeps no more snapshots than it says", async () => {
  const sim = await startSimulator();
  await sim.control("POST /sandboxes", {
    id: "shop",
    seed: 7,
    clock: AT,
    behaviour: { "window.duration": "3h" },
  });
  await sim.control("POST /sandboxes/shop/threads/9001/inbound", { text: "Keep me" });
  await sim.control("POST /sandboxes/shop/faults", { on: "request", then: "unavailable", times: 3 });
  await sim.control("PATCH /sandboxes/shop/behaviour", { "delivery.attempts": 2 });
  await sim.control("PUT /sandboxes/shop/clock", { now: "2026-01-02T00:00:00Z" });
  const before = await standingOf(sim, "shop");
  const start = (await sim.control("GET /sandboxes/shop/start")).body;
  const page = await open(sim, { search: "?sandbox=shop&thread=9001", tolerate: /404/ });
  await page.getByRole("button", { name: "Delete sandbox shop" }).click();
  await page.waitForURL(/sandbox=default/);
  await seen(page.getByText(/^Sandbox shop is deleted\. Its snapshots/));
  expect((await sim.control("GET /sandboxes/shop")).status).toBe(404);
  await undone(page, "Sandbox shop is deleted");
  await page.waitForURL(/sandbox=shop/);
  expect(await standingOf(sim, "shop")).toEqual(before);
  expect((await sim.control("GET /sandboxes/shop/start")).body).toEqual(start);

  await page.getByRole("button", { name: "Connect your bot" }).click();
  const dialog = page.getByRole("dialog", { name: "Connect your bot" });
  await dialog.getByRole("button", { name: "Remove crm" }).click();
  await seen(dialog.getByText("Webhook crm is removed."));
  await undone(page, "Webhook crm is removed");
  expect(await standingOf(sim, "shop")).toEqual(before);
  await page.keyboard.press("Escape");
  await gone(dialog);

  for (let advanced = 1; advanced <= 14; advanced += 1) {
    await page.getByRole("textbox", { name: "Advance by" }).fill(`${advanced}m`);
    await page.getByRole("button", { name: "Advance", exact: true }).click();
    await seen(page.getByText(`The clock moved on by ${advanced}m.`));
  }
  const names = (await sim.control("GET /sandboxes/shop/snapshots")).body.map(
    ({ name }: { name: string }) => name,
  );
  expect(names.length).toBe(12);
  expect(names.at(-1)).toMatch(/^Before advance by 14m, /);
});
