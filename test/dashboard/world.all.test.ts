import { expect, test } from "vitest";
import { gone, says, seen, visit } from "./browser.js";
import { inbound, read, START } from "./calls.js";
import { button, clockPanelOf, field, item } from "./page.js";
import { advance, fillIn, openDialog, press, refused } from "./user.js";

const AT = Date.parse(START);
const HOUR = 3_600_000;

test("a profile and users are viewed and edited; what is unusable changes nothing", async () => {
  const { sim, page } = await visit("?thread=9001", { tolerate: /400/, start: { clock: START } });
  const customer = () => read(sim, "/data/customers/cust_001");
  const before = await customer();
  const profile = await openDialog(page, "Customer profile");
  const record = field(profile, "Record");
  await expect.poll(() => record.inputValue()).toContain('"displayName": "Alan Johnson"');
  expect(JSON.parse(await record.inputValue())).toEqual(before);
  await record.fill("{");
  await refused(profile, "Save", "JSON");
  await record.fill(JSON.stringify({ ...before, emailAddress: "no address" }));
  await refused(profile, "Save", "emailAddress");
  expect(await customer()).toEqual(before);
  const changed = {
    ...before,
    displayName: "Alan the Great",
    customerData: [{ name: "TIER", value: "gold" }],
  };
  await record.fill(JSON.stringify(changed));
  await press(profile, "Save");
  await gone(profile);
  await seen(page.getByRole("heading", { name: "Alan the Great" }));
  expect(await customer()).toEqual(changed);

  const users = await openDialog(page, "Users");
  await fillIn(users, { "Search users": "ana" });
  await press(users, "Edit Ana Martin");
  const user = await read(sim, "/data/users/501");
  await field(users, "Record").fill(JSON.stringify({ ...user, businessIds: ["77"] }));
  await refused(users, "Save", "businessIds");
  await field(users, "Record").fill(JSON.stringify({ ...user, contactable: false }));
  await press(users, "Save");
  await says(item(users, "Ana Martin"), "not contactable");
  expect(await read(sim, "/data/users/501")).toEqual({ ...user, contactable: false });
});

test("the clock goes on by presets, to what falls due next, and to a date; each is undone", async () => {
  const set = { "window.duration": "24h", "delivery.attempts": 2, "delivery.backoff": ["10m"] };
  const { sim, page } = await visit("?thread=9001", { tolerate: /400/, start: { clock: AT, set } });
  const nowOf = async () => (await read(sim, "/clock")).now - AT;
  const panel = clockPanelOf(page);
  await press(page, "Clock");
  await says(panel, /^Nothing is due/);
  await press(panel, "Resume");
  await expect.poll(async () => (await read(sim, "/clock")).frozen).toBe(false);
  await press(panel, "Freeze");
  await seen(button(panel, "Resume"));
  await sim.control("PUT /clock", { now: AT });
  await press(panel, "+25 h");
  await expect.poll(nowOf).toBe(25 * HOUR);
  await page.keyboard.press("Escape");
  await press(page, "Undo", "Undone: Clock advanced by 25h");
  expect(await nowOf()).toBe(0);
  await sim.control("PATCH /data/webhooks/1", { url: "http://127.0.0.1:9/hook" });
  await inbound(sim, "Hello");
  await press(page, "Clock");
  const due = panel.getByRole("list", { name: "Due events" }).getByRole("listitem");
  await says(due.first(), "Delivery d1 to crm is retried", "2026-01-01T09:10:00.000Z, in 10 min");
  await says(due.nth(1), "The messaging window of Alan Johnson (9001) closes");
  await press(due.first(), /^Advance to: Delivery d1/);
  await says(page, "Clock advanced to: Delivery d1 to crm is retried.");
  expect(await nowOf()).toBe(HOUR / 6);
  expect((await read(sim, "/deliveries"))[0].attempts.length).toBe(2);
  await press(due.first(), /^Advance to: The messaging window/);
  await says(panel, /^Nothing is due/);
  expect(await nowOf()).toBe(24 * HOUR);
  expect((await read(sim, "/data/threads/9001")).isMessagingWindowOpen).toBe(false);

  await panel.getByLabel("Date and time, UTC").fill("2026-03-01T12:30:00");
  await press(panel, "Set clock");
  await says(page, "Clock set to 2026-03-01T12:30:00.000Z.");
  expect(await nowOf()).toBe(Date.parse("2026-03-01T12:30:00Z") - AT);
  await page.keyboard.press("Escape");
  await gone(panel);
  await press(page, "Undo");
  await expect.poll(nowOf).toBe(24 * HOUR);
});

test("a duration is said as it was typed, and one without a unit is refused at its field", async () => {
  const { sim, page } = await visit("?thread=9001", { start: { clock: AT } });
  for (const wrong of ["90", "banana"]) {
    await field(page, "Advance by").fill(wrong);
    await refused(page, "Advance", "Enter a duration with its unit, such as 90s, 15m, 24h or 7d.");
    await seen(page.getByRole("textbox", { name: "Advance by", description: /duration with its unit/ }));
  }
  expect((await read(sim, "/clock")).now).toBe(AT);
  await advance(page, "90ms");
  await gone(page.getByText("Enter a duration"));
  await sim.control("POST /clock/advance", { by: 90 });
  await says(page, "clock advanced by 90ms · through the control API");
  await expect.poll(() => page.getByText(/^clock advanced by 90ms/).count()).toBe(2);
});
