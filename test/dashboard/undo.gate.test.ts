// Slow: a browser, and a whole history of changes.
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { FaultRule } from "../../src/client/index.js";
import type { Running } from "../support/simulator.js";
import { gone, says, seen, visit, warns } from "./browser.js";
import { inbound, READ, read, START } from "./calls.js";
import { article, button, field, item } from "./page.js";
import { advance, downloadOf, fillIn, keys, openDialog, press, refused, showTab, tells } from "./user.js";

const AT = Date.parse(START);

/** How a sandbox stands: what Undo brings back. */
async function standingOf(sim: Running, sandbox = "default") {
  const of = (part: string) => read(sim, `/sandboxes/${sandbox}/${part}`);
  const left = ({ on, then, fired, times = 0 }: FaultRule) => ({ on, then, left: times - fired });
  const faults = (await of("faults")).map(left);
  return { faults, state: await of("state"), clock: await of("clock"), behaviour: await of("behaviour") };
}

const undone = (page: Page, what: string) => press(page, "Undo", `Undone: ${what}`);

test("Reset, Advance, Freeze, disarming and a run here are undone one after the other, and done again", async () => {
  const { sim, page } = await visit("?thread=9001&tab=faults", { start: { clock: START } });
  await inbound(sim, "Keep me");
  await sim.control("PATCH /behaviour", { "window.duration": "7h" });
  await sim.control("POST /faults", { on: "request", then: "unavailable", times: 3 });
  await sim.api(READ);
  const undo = button(page, "Undo");
  const clock = () => read(sim, "/clock");
  expect(await undo.count()).toBe(0);
  const before = await standingOf(sim);
  const logs = () => Promise.all([read(sim, "/requests"), read(sim, "/deliveries")]);
  const logged = await logs();
  expect(before.faults).toMatchObject([{ left: 2 }]);

  await press(page, "Reset", "Sandbox default reset. Undo restores everything.");
  expect((await standingOf(sim)).state).not.toEqual(before.state);
  expect((await standingOf(sim)).faults).toEqual([]);
  expect(await logs()).toEqual([[], []]);
  await advance(page, "25h");
  await press(page, "Let run", "The clock is running.");
  expect((await clock()).frozen).toBe(false);
  await undone(page, "The clock is running");
  expect(await clock()).toEqual({ now: AT + 25 * 3_600_000, frozen: true });
  await undone(page, "Clock advanced by 25h");
  expect((await clock()).now).toBe(AT);
  await undone(page, "Sandbox default reset");
  await gone(undo);
  expect(await standingOf(sim)).toEqual(before);
  expect(await logs()).toEqual(logged);
  await tells(page, "Keep me");
  await says(page, "event delivered");

  // What was undone is done again, the last one first, until something else is done.
  await press(page, "Redo", /^Sandbox default reset\./);
  await gone(article(page, "Keep me"));
  await keys(page, "Control+Shift+Z");
  await says(page, "Clock advanced by 25h.");
  expect((await clock()).now).toBe(AT + 25 * 3_600_000);
  await keys(page, "Control+y");
  await says(page, "The clock is running.");
  await gone(page.getByRole("button", { name: "Redo" }));
  for (const left of [/^Clock advanced by 25h/, /^Sandbox default reset/, /^Nothing to undo/]) {
    await page.keyboard.press("Control+Z");
    await says(page.locator(".undo-bar"), left);
  }
  expect(await standingOf(sim)).toEqual(before);

  await press(page, "Disarm all", "All faults disarmed.");
  await gone(page.getByRole("button", { name: "Redo" }));
  await undone(page, "All faults disarmed");
  expect((await standingOf(sim)).faults).toEqual(before.faults);
  await showTab(page, "Scenarios");
  await page.getByText("This sandbox", { exact: true }).click();
  await press(page, "Run message-event", "Scenario message-event ran in default.");
  expect((await standingOf(sim)).state).not.toEqual(before.state);
  await undone(page, "Scenario message-event ran in default");
  expect(await standingOf(sim)).toEqual(before);
});

test("nothing written meanwhile is lost: each step back takes a snapshot, by name; a state goes out and comes in", async () => {
  const { sim, page } = await visit("?thread=9001", { tolerate: /40[04]/, start: { clock: START } });
  const names = async () => (await read(sim, "/snapshots")).map(({ name }: { name: string }) => name);
  const fixture = await standingOf(sim);
  const dialog = await openDialog(page, "Snapshots and state");
  await says(dialog, "No snapshots yet.");
  await field(dialog, "Name").fill("as shipped");
  await press(dialog, "Take snapshot");
  await says(item(dialog, "as shipped"), /2026-01-01T09:00:00.000Z, the clock stands/);
  expect(await names()).toEqual(["as shipped"]);
  await inbound(sim, "After it");
  await sim.control("PUT /clock", { frozen: false });
  const written = (await standingOf(sim)).state;
  await press(dialog, "Restore as shipped");
  await says(page, "State and clock restored from as shipped.");
  expect(await standingOf(sim)).toEqual(fixture);
  await gone(article(page, "After it"));
  await undone(page, "State and clock restored from as shipped");
  expect((await standingOf(sim)).state).toEqual(written);
  expect((await read(sim, "/clock")).frozen).toBe(false);

  await openDialog(page, "Snapshots and state");
  await seen(item(dialog, /^Before undo of restore, \d{4}/));
  const text = await readFile(await (await downloadOf(dialog, "Export state")).path(), "utf8");
  expect(JSON.parse(text)).toEqual(written);
  const file = { name: "world.json", mimeType: "application/json" };
  const upload = (content: string) =>
    dialog.locator("input[type=file]").setInputFiles({ ...file, buffer: Buffer.from(content) });
  await upload('{ "threads": [');
  await warns(dialog, "world.json is not valid JSON");
  const broken = JSON.parse(text);
  broken.threads[0].customerId = "nobody";
  broken.users[0].email = 7;
  await upload(JSON.stringify(broken));
  await says(dialog.getByRole("list", { name: "Problems" }), "threads[0].customerId", "users[0].email");
  expect((await standingOf(sim)).state).toEqual(written);
  await upload(JSON.stringify(fixture.state));
  await says(page, "State imported from world.json.");
  expect((await standingOf(sim)).state).toEqual(fixture.state);
  await undone(page, "State imported from world.json");
  expect((await standingOf(sim)).state).toEqual(written);
  await openDialog(page, "Snapshots and state");
  await press(dialog, "Remove as shipped");
  await press(dialog, "Confirm removal of as shipped");
  await gone(item(dialog, "as shipped"));
  expect(await names()).toHaveLength(2);
  await keys(page, "Escape");

  // The page removes none but its own, and says when one is gone.
  await sim.control("POST /snapshots", { name: "Before the demo" });
  for (let minutes = 1; minutes <= 11; minutes += 1) await advance(page, `${minutes}m`);
  const kept = await names();
  expect(kept).toHaveLength(13);
  expect(kept).toContain("Before the demo");
  expect(kept.at(-1)).toMatch(/^Before advance by 11m, /);
  await sim.control(`DELETE /snapshots/${encodeURIComponent(kept.at(-1))}`);
  await press(page, "Undo", "Its snapshot was deleted, by hand or by another page. This point is lost.");
  await undone(page, "Clock advanced by 10m");
});

test("Undo says which later messages go with it, Redo brings them back, and a closed bar forgets nothing", async () => {
  const { sim, page } = await visit("?thread=9001", { start: { clock: START } });
  const later = ["One", "Two", "Three", "Four", "Five", "Six"];
  const clock = await openDialog(page, "Clock");
  await press(clock, "+1 h", "Clock advanced by 1h.");
  // One button of that name: what the dialog says of it is dismissed.
  await clock.getByRole("button", { name: "Close" }).click();
  await press(page, "Dismiss");
  await gone(page.getByText("Clock advanced by 1h."));
  for (const text of later) await inbound(sim, text);
  await tells(page, "Six");
  const written = await standingOf(sim);
  await keys(page, "u", "Control+Z");
  await says(page, "Undo also removes 6 messages written since, and Redo restores them.");
  expect(await standingOf(sim)).toEqual(written);
  await page.keyboard.press("Control+Z");
  await gone(article(page, "Six"));
  await inbound(sim, "After undoing");
  await tells(page, "After undoing");
  const between = await standingOf(sim);
  await press(page, "Redo");
  await tells(page, ...later);
  expect(await standingOf(sim)).toEqual(written);
  await undone(page, "Clock advanced by 1h");
  await tells(page, "After undoing");
  expect(await standingOf(sim)).toEqual(between);
});

test("a sandbox is made with name, seed and clock; a deleted one comes back as it was", async () => {
  const { sim, page } = await visit("?thread=9001", { tolerate: /409|400|404/ });
  const dialog = await openDialog(page, "New sandbox");
  await field(dialog, "Name").fill("default");
  await refused(dialog, "Create sandbox", "default");
  await fillIn(dialog, { Name: "shop", Seed: "7", "Frozen clock": "yesterday" });
  await refused(dialog, "Create sandbox", "clock");
  expect((await read(sim, "/sandboxes")).length).toBe(1);
  await field(dialog, "Frozen clock").fill(START);
  await press(dialog, "Create sandbox");
  await page.waitForURL(/sandbox=shop/);
  expect(await read(sim, "/sandboxes/shop")).toMatchObject({ seed: 7, frozen: true });

  await sim.control("POST /sandboxes/shop/threads/9001/inbound", { text: "Keep me" });
  await sim.control("POST /sandboxes/shop/faults", { on: "request", then: "unavailable", times: 3 });
  await sim.control("PATCH /sandboxes/shop/behaviour", { "delivery.attempts": 2 });
  await sim.control("PUT /sandboxes/shop/clock", { now: "2026-01-02T00:00:00Z" });
  const before = await standingOf(sim, "shop");
  const start = await read(sim, "/sandboxes/shop/start");
  await press(page, "Delete sandbox shop");
  await page.waitForURL(/sandbox=default/);
  await says(page, /^Sandbox shop deleted\. Undo does not restore its snapshots/);
  await gone(page.getByRole("button", { name: /^Delete sandbox/ }));
  expect((await sim.control("GET /sandboxes/shop")).status).toBe(404);
  await undone(page, "Sandbox shop deleted");
  await page.waitForURL(/sandbox=shop/);
  expect(await standingOf(sim, "shop")).toEqual(before);
  expect(await read(sim, "/sandboxes/shop/start")).toEqual(start);
});

test("one goes back to any point and on to any later one, and what was written there is there", async () => {
  const { sim, page } = await visit("?thread=9001", { start: { clock: START } });
  const hour = async () => ((await read(sim, "/clock")).now - Date.parse(START)) / 3_600_000;
  for (const by of ["1h", "2h", "3h"]) {
    await advance(page, by);
    await inbound(sim, `After ${by}`);
    await tells(page, `After ${by}`);
  }
  const dialog = await openDialog(page, "History");
  const goTo = async (text: string, hours: number) => {
    await press(dialog, `Go to ${text}`);
    await says(item(dialog, text), "Current");
    await expect.poll(hour).toBe(hours);
  };
  await goTo("Clock advanced by 1h", 1);
  await gone(article(page, "After 2h"));
  await tells(page, "After 1h");
  await inbound(sim, "Between");
  await goTo("Clock advanced by 3h", 6);
  await tells(page, "After 3h");
  await gone(article(page, "Between"));
  await goTo("Clock advanced by 1h", 1);
  await seen(article(page, "Between"));

  // Something new replaces what comes later, which can be gone to all the same.
  await page.keyboard.press("Escape");
  await gone(dialog);
  await press(page, "Let run", "The clock is running.");
  await openDialog(page, "History");
  await press(dialog, "Go to Clock advanced by 3h");
  await seen(article(page, "After 3h"));
  await expect.poll(() => button(dialog, "Go to Clock advanced by 2h").count()).toBe(1);
});
