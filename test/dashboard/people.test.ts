import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { bleedingIn, gone, overflowOf, seen, useBrowser, violationsOf } from "./browser.js";

const open = useBrowser();

test("a profile and users are viewed and edited; what is unusable changes nothing", async () => {
  const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z" });
  const page = await open(sim, { search: "?thread=9001", tolerate: /400/ });
  const customerOf = async () => (await sim.control("GET /data/customers/cust_001")).body;
  const before = await customerOf();
  await page.getByRole("button", { name: "Profile" }).click();
  const profile = page.getByRole("dialog", { name: "Customer profile" });
  const field = (name: string) => profile.getByRole("textbox", { name, exact: true });
  const data = profile.getByRole("textbox", { name: /^Customer data/ });
  await expect.poll(() => field("Display name").inputValue()).toBe("Alan Johnson");
  await data.fill("TIER = gold\nno pair");
  await profile.getByRole("button", { name: "Save" }).click();
  await seen(profile.getByRole("alert").filter({ hasText: '"no pair" is not NAME = value' }));
  await data.fill("TIER = platinum\nCITY = Paris");
  await field("E-mail address").fill("no address");
  await profile.getByRole("button", { name: "Save" }).click();
  await seen(profile.getByRole("alert").filter({ hasText: "emailAddress" }));
  expect(await customerOf()).toEqual(before);
  await field("E-mail address").fill("");
  await field("Display name").fill("Alan the Great");
  await field("Last answer: nps").fill("9");
  await profile.getByRole("combobox", { name: "Editable" }).selectOption("no");
  await profile.getByRole("button", { name: "Save" }).click();
  await gone(profile);
  await seen(page.getByRole("heading", { name: "Alan the Great" }));
  expect(await customerOf()).toEqual({
    ...before,
    displayName: "Alan the Great",
    emailAddress: null,
    editable: false,
    customerData: [
      { name: "TIER", value: "platinum" },
      { name: "CITY", value: "Paris" },
    ],
    lastSurveys: { ...before.lastSurveys, nps: { createdAt: Date.parse("2026-01-01T09:00:00Z"), text: "9" } },
  });

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Users" }).click();
  const users = page.getByRole("dialog", { name: "Users" });
  await users.getByRole("searchbox", { name: "Search users" }).fill("ana");
  await users.getByRole("button", { name: "Edit Ana Martin" }).click();
  const works = users.getByRole("textbox", { name: /^Businesses/ });
  await works.fill("1001, 77");
  await users.getByRole("button", { name: "Save" }).click();
  await seen(users.getByRole("alert").filter({ hasText: "businessIds" }));
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await bleedingIn(page)).toEqual([]);
  await works.fill("1001");
  await users.getByRole("combobox", { name: "Contactable" }).selectOption("no");
  await users.getByRole("textbox", { name: "Display name" }).fill("Ana Costa");
  await users.getByRole("button", { name: "Save" }).click();
  await seen(users.getByRole("listitem").filter({ hasText: "Ana Costa" }).getByText("not contactable"));
  expect((await sim.control("GET /data/users/501")).body).toMatchObject({
    displayName: "Ana Costa",
    businessIds: ["1001"],
    contactable: false,
  });
});

test("a sandbox is made with name, seed and clock, and deleted", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001", tolerate: /409|400|404/ });
  const make = async (fields: Readonly<Record<string, string>>) => {
    const dialog = page.getByRole("dialog", { name: "New sandbox" });
    if (!(await dialog.isVisible())) await page.getByRole("button", { name: "New sandbox" }).click();
    for (const [name, text] of Object.entries(fields)) await dialog.getByRole("textbox", { name }).fill(text);
    await dialog.getByRole("button", { name: "Make sandbox" }).click();
    return dialog;
  };
  const dialog = await make({ Name: "default" });
  await seen(dialog.getByRole("alert").filter({ hasText: "default" }));
  expect((await sim.control("GET /sandboxes")).body.length).toBe(1);
  await make({ Name: "shop", Seed: "7", "Clock stands at": "yesterday" });
  await seen(dialog.getByRole("alert").filter({ hasText: "clock" }));
  expect(await violationsOf(page, "dialog")).toEqual([]);
  await make({ "Clock stands at": "2026-01-01T09:00:00Z" });
  await page.waitForURL(/sandbox=shop/);
  await seen(page.getByRole("timer").filter({ hasText: "09:00:00" }));
  expect((await sim.control("GET /sandboxes/shop")).body).toMatchObject({ seed: 7, frozen: true });
  await page.getByRole("button", { name: "Delete sandbox shop" }).click();
  await page.waitForURL(/sandbox=default/);
  await gone(page.getByRole("button", { name: /^Delete sandbox/ }));
  expect((await sim.control("GET /sandboxes/shop")).status).toBe(404);
});
