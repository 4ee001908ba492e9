import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { bleedingIn, gone, overflowOf, seen, useBrowser } from "./browser.js";

const open = useBrowser();

test("single keys act outside of fields, the sheet tells which, and they can be turned off", async () => {
  const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z" });
  const page = await open(sim, { search: "?thread=9001" });
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  const focused = (role: "textbox" | "searchbox", name: string) =>
    seen(page.getByRole(role, { name }).and(page.locator(":focus")));
  await seen(page.getByText("Live", { exact: true }));
  await page.keyboard.press("?");
  await seen(sheet.getByText("search threads"));
  await page.keyboard.press("3");
  await page.keyboard.press("Escape");
  await gone(sheet);
  expect(page.url()).not.toContain("tab=warnings");
  await page.keyboard.press("3");
  await page.waitForURL(/tab=warnings/);
  await page.keyboard.press("j");
  await page.waitForURL(/thread=9002/);
  await page.keyboard.press("k");
  await page.waitForURL(/thread=9001/);
  await page.keyboard.press("e");
  await focused("textbox", "Write as an employee");
  // In a field keys are text.
  await page.keyboard.press("c");
  expect(await page.getByRole("textbox", { name: "Write as an employee" }).inputValue()).toBe("c");
  await page.getByRole("button", { name: "Let run" }).click();
  await seen(page.getByText("The clock runs."));
  await page.keyboard.press("u");
  await seen(page.getByText("Undone: The clock runs"));
  expect((await sim.control("GET /clock")).body.frozen).toBe(true);
  await page.keyboard.press("/");
  await focused("searchbox", "Search threads");

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
  await sheet.getByRole("checkbox", { name: "Single keys act outside of fields" }).uncheck();
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await bleedingIn(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await gone(sheet);
  await page.keyboard.press("4");
  await page.keyboard.press("?");
  expect(page.url()).not.toContain("tab=faults");
  expect(await sheet.count()).toBe(0);
});
