// Slow: a browser, and a whole history of changes.
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Running } from "../support/simulator.js";
import { gone, says, seen, visit, warns } from "./browser.js";
import { inbound, READ, read, START } from "./calls.js";
import { article, button, field, item, logOf } from "./page.js";
import { advance, downloadOf, fillIn, keys, openDialog, press, refused, showTab, tells } from "./user.js";

const AT = Date.parse(START);

/** What Undo restores of a sandbox. */
async function standingOf(sim: Running, sandbox = "default") {
  const of = (part: string) => read(sim, `/sandboxes/${sandbox}/${part}`);
  return { state: await of("state"), clock: await of("clock") };
}

const undone = (page: Page, what: string) => press(page, "Undo", `Undone: ${what}`);
const redone = (page: Page, what: string) => press(page, "Redo", `Redone: ${what}`);

test("Reset, Advance and a run here are undone one after the other, and done again", async () => {
  const { sim, page } = await visit("?thread=9001&tab=faults", { start: { clock: START } });
  await inbound(sim, "Keep me");
  await sim.api(READ);
  const [undo, redo] = [button(page, "Undo"), button(page, "Redo")];
  for (const idle of [undo, redo]) expect(await idle.isDisabled()).toBe(true);
  const before = await standingOf(sim);

  await press(page, "Reset", "Sandbox default reset.");
  await gone(article(page, "Keep me"));
  const reset = await standingOf(sim);
  expect(reset.state).not.toEqual(before.state);
  await advance(page, "25h");
  const advanced = await standingOf(sim);
  expect(advanced.clock).toEqual({ now: AT + 25 * 3_600_000, frozen: true });
  await undone(page, "Clock advanced by 25h");
  expect(await standingOf(sim)).toEqual(reset);
  await undone(page, "Sandbox default reset");
  await expect.poll(() => undo.isDisabled()).toBe(true);
  expect(await standingOf(sim)).toEqual(before);
  await tells(page, "Keep me");
  // Logs are not brought back, and what is set otherwise stays.
  expect(await read(sim, "/requests")).toEqual([]);
  await sim.control("POST /faults", { on: "request", then: "unavailable" });

  // What was undone is done again, the last one first, until something else is done.
  await redone(page, "Sandbox default reset");
  await gone(article(page, "Keep me"));
  expect(await standingOf(sim)).toEqual(reset);
  expect(await read(sim, "/faults")).toHaveLength(1);
  await keys(page, "Control+Shift+Z");
  await says(page, "Redone: Clock advanced by 25h");
  expect(await standingOf(sim)).toEqual(advanced);
  await expect.poll(() => redo.isDisabled()).toBe(true);
  for (const what of ["Clock advanced by 25h", "Sandbox default reset"]) {
    await page.keyboard.press("Control+Z");
    await says(page, `Undone: ${what}`);
  }
  await expect.poll(() => undo.isDisabled()).toBe(true);
  expect(await standingOf(sim)).toEqual(before);
  await says(logOf(page), /^reset undone · by hand$/, /^advance by 25h redone · by hand$/);

  await sim.control("DELETE /faults");
  await showTab(page, "Scenarios");
  await page.getByText("This sandbox", { exact: true }).click();
  await press(page, "Run message-event", "Scenario message-event ran in default.");
  await expect.poll(() => redo.isDisabled()).toBe(true);
  expect((await standingOf(sim)).state).not.toEqual(before.state);
  await undone(page, "Scenario message-event ran in default");
  expect(await standingOf(sim)).toEqual(before);
});

test("snapshots are taken and restored by name, and a state goes out and comes in; each is undone", async () => {
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
  await seen(item(dialog, "as shipped"));
  // Those of the page itself are not listed.
  expect(await dialog.getByRole("button", { name: /^Restore/ }).count()).toBe(1);
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
  expect(await names()).not.toContain("as shipped");
});

test("each step back is one call, and a snapshot that is gone is said to be gone", async () => {
  const { sim, page } = await visit("?thread=9001", { tolerate: /404/, start: { clock: START } });
  const names = async () => (await read(sim, "/snapshots")).map(({ name }: { name: string }) => name);
  await sim.control("POST /snapshots", { name: "undo: by hand" });
  for (const by of ["1m", "2m", "3m"]) await advance(page, by);
  const calls: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") calls.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await undone(page, "Clock advanced by 3m");
  expect(calls).toEqual([expect.stringMatching(/^POST .*\/snapshots\/undo.*3m.*\/restore$/)]);
  const kept = await names();
  expect(kept).toEqual([
    "undo: by hand",
    expect.stringMatching(/^undo: advance by 1m, /),
    expect.stringMatching(/^undo: advance by 2m, /),
    expect.stringMatching(/^redo: advance by 3m, /),
  ]);
  await sim.control(`DELETE /snapshots/${encodeURIComponent(kept[2])}`);
  await press(page, "Undo", "The snapshot was deleted, by hand or by another page: Clock advanced by 2m.");
  await undone(page, "Clock advanced by 1m");
  await expect.poll(() => button(page, "Undo").isDisabled()).toBe(true);
});

test("where there is no room for a snapshot, the oldest that closed pages left go", async () => {
  const { sim, page } = await visit("?thread=9001", { tolerate: /409/, start: { clock: START } });
  const names = async () => (await read(sim, "/snapshots")).map(({ name }: { name: string }) => name);
  const left = (number: number) => `undo: reset, 2025-01-01 09:00:00.${String(number).padStart(3, "0")}`;
  await sim.control("POST /snapshots", { name: "as shipped" });
  for (let number = 1; number < 1_000; number += 1)
    await sim.control("POST /snapshots", { name: left(number) });
  await advance(page, "1m");
  const kept = await names();
  expect(kept).toHaveLength(951);
  expect([kept[0], kept[1]]).toEqual(["as shipped", left(51)]);
  await undone(page, "Clock advanced by 1m");
});

test("what is written meanwhile goes with Undo, and comes back with Redo", async () => {
  const { sim, page } = await visit("?thread=9001", { start: { clock: START } });
  await advance(page, "1h");
  await inbound(sim, "After it");
  await tells(page, "After it");
  const written = await standingOf(sim);
  await page.keyboard.press("Control+Z");
  await gone(article(page, "After it"));
  await inbound(sim, "After undoing");
  await tells(page, "After undoing");
  const between = await standingOf(sim);
  await redone(page, "Clock advanced by 1h");
  await tells(page, "After it");
  await gone(article(page, "After undoing"));
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
  expect(await read(sim, "/sandboxes/shop/start")).toMatchObject({ seed: 7, clock: Date.parse(START) });

  await sim.control("POST /sandboxes/shop/threads/9001/inbound", { text: "Keep me" });
  await sim.control("PUT /sandboxes/shop/clock", { now: "2026-01-02T00:00:00Z" });
  const before = await standingOf(sim, "shop");
  const start = await read(sim, "/sandboxes/shop/start");
  await press(page, "Delete sandbox shop");
  await page.waitForURL(/sandbox=default/);
  await says(page, "Sandbox shop deleted.");
  await gone(page.getByRole("button", { name: /^Delete sandbox/ }));
  expect((await sim.control("GET /sandboxes/shop")).status).toBe(404);
  await undone(page, "Sandbox shop deleted");
  await page.waitForURL(/sandbox=shop/);
  expect(await standingOf(sim, "shop")).toEqual(before);
  expect(await read(sim, "/sandboxes/shop/start")).toEqual(start);
  await redone(page, "Sandbox shop deleted");
  await page.waitForURL(/sandbox=default/);
  expect((await sim.control("GET /sandboxes/shop")).status).toBe(404);
});
