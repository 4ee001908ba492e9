/** What a user does on the page, and sees there. */
import type { Download, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { bleedingIn, overflowOf, says, seen, warns } from "./browser.js";
import { article, button, DIALOGS, dialogOf, field, logOf, MENUS, type Place, type Text } from "./page.js";

/** The conversation shows these messages. */
export const tells = (page: Page, ...texts: readonly Text[]): Promise<void> =>
  seen(...texts.map((text) => article(page, text)));

/** Fills in text fields, by their whole labels. */
export async function fillIn(place: Place, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(texts)) await place.getByLabel(name, { exact: true }).fill(text);
}

/** Presses a button, and waits for what the place says then. */
export async function press(place: Place, name: Text, ...texts: readonly Text[]): Promise<void> {
  const menu = MENUS[String(name)];
  if (menu !== undefined) await button(place, menu).click();
  await button(place, name).click();
  await says(place, ...texts);
}
/** Presses a button, and takes the file that it hands out. */
export async function downloadOf(place: Page | Locator, name: string): Promise<Download> {
  const downloading = ("page" in place ? place.page() : place).waitForEvent("download");
  await press(place, name);
  return downloading;
}
/** Presses a button, and waits for the refusal. */
export async function refused(place: Place, name: Text, why: Text): Promise<void> {
  await press(place, name);
  await warns(place, why);
}
export async function keys(page: Page, ...names: readonly string[]): Promise<void> {
  for (const name of names) await page.keyboard.press(name);
}
/** Writes as the customer or an employee, with the button. */
export async function send(page: Page, by: "customer" | "employee", text: string): Promise<void> {
  await field(page, `Write as ${by === "customer" ? "the" : "an"} ${by}`).fill(text);
  await press(page, `Send as ${by}`);
  await tells(page, text);
}
/** Writes as the customer, with Enter. */
export async function write(page: Page, text: string): Promise<void> {
  const composer = field(page, "Write as the customer");
  await composer.fill(text);
  // On the composer: what was opened before may take the focus late.
  await composer.press("Enter");
  await seen(article(page, text));
}

/** Advances the clock. */
export async function advance(page: Page, by: string): Promise<void> {
  await field(page, "Advance by").fill(by);
  await press(page, "Advance", `Clock advanced by ${by}.`);
}

export const showTab = (page: Page, name: string): Promise<void> =>
  page.getByRole("tab", { name, exact: true }).click();
/** Opens a dialog, and waits until it is there. */
export async function openDialog(page: Page, name: string): Promise<Locator> {
  await press(page, DIALOGS[name] ?? name);
  await seen(dialogOf(page, name));
  return dialogOf(page, name);
}

/** Opens the view that connects a bot, and waits until it is there. */
export async function openConnection(page: Page): Promise<Locator> {
  await press(page, /^(Connect your bot|Bot at .*)$/);
  const view = page.getByRole("region", { name: "Connect your bot" });
  await seen(view);
  return view;
}

export const focused = (locator: Locator): Promise<void> =>
  seen(locator.and(locator.page().locator(":focus")));
/** A call, delivery or other thing that happened, in the conversation. */
export const chip = (page: Page, text: RegExp): Promise<void> => seen(button(logOf(page), text));
export const clockAt = (page: Page, time: string): Promise<void> =>
  seen(page.getByRole("timer").filter({ hasText: time }));

/** Nothing makes the page wider than its window, or sticks out of its part. */
export async function fits(page: Page, what?: string): Promise<void> {
  expect.soft(await bleedingIn(page), what).toEqual([]);
  expect.soft(await overflowOf(page), what).toBeLessThanOrEqual(0);
}
