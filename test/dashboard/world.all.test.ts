import { expect, test } from "vitest";
import { gone, says, seen, visit } from "./browser.js";
import { inbound, read, START } from "./calls.js";
import { field, item, picker } from "./page.js";
import { fillIn, openDialog, press, refused } from "./user.js";

const AT = Date.parse(START);
const HOUR = 3_600_000;

test("a profile and users are viewed and edited; what is unusable changes nothing", async () => {
  const { sim, page } = await visit("?thread=9001", { tolerate: /400/, start: { clock: START } });
  const customer = () => read(sim, "/data/customers/cust_001");
  const before = await customer();
  const profile = await openDialog(page, "Customer profile");
  const Name = "Display name";
  await expect.poll(() => field(profile, Name).inputValue()).toBe("Alan Johnson");
  const data = field(profile, /^Customer data/);
  await data.fill("TIER = gold\nno pair");
  await refused(profile, "Save", '"no pair" is not NAME = value');
  await data.fill("TIER = platinum\nCITY = Paris");
  await fillIn(profile, { "E-mail address": "no address" });
  await refused(profile, "Save", "emailAddress");
  expect(await customer()).toEqual(before);
  await fillIn(profile, { "E-mail address": "", [Name]: "Alan the Great", "Last answer: nps": "9" });
  await picker(profile, "Editable").selectOption("no");
  await press(profile, "Save");
  await gone(profile);
  await seen(page.getByRole("heading", { name: "Alan the Great" }));
  const customerData = [
    { name: "TIER", value: "platinum" },
    { name: "CITY", value: "Paris" },
  ];
  const lastSurveys = { ...before.lastSurveys, nps: { createdAt: AT, text: "9" } };
  const changes = { displayName: "Alan the Great", emailAddress: null, editable: false };
  expect(await customer()).toEqual({ ...before, ...changes, customerData, lastSurveys });

  const users = await openDialog(page, "Users");
  await fillIn(users, { "Search users": "ana" });
  await press(users, "Edit Ana Martin");
  const works = field(users, /^Business ids/);
  await works.fill("1001, 77");
  await refused(users, "Save", "businessIds");
  await works.fill("1001");
  await fillIn(users, { [Name]: "Ana Costa" });
  await picker(users, "Contactable").selectOption("no");
  await press(users, "Save");
  await says(item(users, "Ana Costa"), "not contactable");
  const changed = { displayName: "Ana Costa", businessIds: ["1001"], contactable: false };
  expect(await read(sim, "/data/users/501")).toMatchObject(changed);
});

test("the clock goes on by presets, to what falls due next, and to a date; each is undone", async () => {
  const set = { "window.duration": "24h", "delivery.attempts": 2, "delivery.backoff": ["10m"] };
  const { sim, page } = await visit("?thread=9001", { tolerate: /400/, start: { clock: AT, set } });
  const nowOf = async () => (await read(sim, "/clock")).now - AT;
  const dialog = await openDialog(page, "Clock");
  await says(dialog, /^Nothing is due/);
  await press(dialog, "+25 h");
  await expect.poll(nowOf).toBe(25 * HOUR);
  await page.keyboard.press("Escape");
  await press(page, "Undo", "Undone: Clock advanced by 25h");
  expect(await nowOf()).toBe(0);
  await sim.control("PATCH /data/webhooks/1", { url: "http://127.0.0.1:9/hook" });
  await inbound(sim, "Hello");
  await openDialog(page, "Clock");
  const due = dialog.getByRole("list", { name: "Due events" }).getByRole("listitem");
  await says(due.first(), "Delivery d1 to crm is retried", "2026-01-01T09:10:00.000Z, in 10 min");
  await says(due.nth(1), "The messaging window of Alan Johnson (9001) closes");
  await press(due.first(), /^Advance to: Delivery d1/);
  await says(page, "Clock advanced by 10 min: Delivery d1 to crm is retried.");
  expect(await nowOf()).toBe(HOUR / 6);
  expect((await read(sim, "/deliveries"))[0].attempts.length).toBe(2);
  await press(due.first(), /^Advance to: The messaging window/);
  await says(dialog, /^Nothing is due/);
  expect(await nowOf()).toBe(24 * HOUR);
  expect((await read(sim, "/data/threads/9001")).isMessagingWindowOpen).toBe(false);

  await dialog.getByLabel("Date and time, UTC").fill("2026-03-01T12:30:00");
  await press(dialog, "Set clock");
  await says(page, "Clock set to 2026-03-01T12:30:00.000Z.");
  expect(await nowOf()).toBe(Date.parse("2026-03-01T12:30:00Z") - AT);
  await page.keyboard.press("Escape");
  await gone(dialog);
  await press(page, "Undo");
  await expect.poll(nowOf).toBe(24 * HOUR);
});
