/** What is in the page, by the names that it carries. */
import type { Locator, Page } from "playwright-core";

export type Place = Page | Locator;
export type Text = string | RegExp;

/** The tabs of the inspector. */
export const TABS = ["Requests", "Deliveries", "Warnings", "Faults", "Behaviour", "Scenarios"];

/** The dialogs, by the buttons that open them. */
export const DIALOGS: Readonly<Record<string, string>> = {
  "New conversation": "New conversation",
  "Customer profile": "Profile",
  Users: "Users",
  "New sandbox": "New sandbox",
  "Snapshots and state": "Snapshots and state",
  "Keyboard shortcuts": "Keyboard shortcuts",
};

/** The menus in which some of the buttons are. */
export const MENUS: Readonly<Record<string, string>> = {
  "Keyboard shortcuts": "Tools",
  "Snapshots and state": "Tools",
  Profile: "More",
};

export const button = (place: Place, name: Text): Locator =>
  place.getByRole("button", { name, exact: true }).first();
export const field = (place: Place, name: Text): Locator => place.getByRole("textbox", { name });
export const search = (place: Place, name: Text): Locator => place.getByRole("searchbox", { name });
export const picker = (place: Place, name: Text): Locator => place.getByRole("combobox", { name });
export const box = (place: Place, name: Text): Locator => place.getByRole("checkbox", { name });
export const item = (place: Place, text: Text): Locator =>
  place.getByRole("listitem").filter({ hasText: text }).first();

export const dialogOf = (page: Page, name: string): Locator => page.getByRole("dialog", { name });
/** What opens beside the clock. */
export const clockPanelOf = (page: Page): Locator => page.getByRole("group", { name: "Clock" });
export const logOf = (page: Page): Locator => page.getByRole("log", { name: "Conversation" });
export const article = (page: Page, text: Text): Locator =>
  logOf(page).getByRole("article").filter({ hasText: text }).last();
export const links = (page: Page): Locator =>
  page.getByRole("navigation", { name: "Threads" }).getByRole("link");
export const linkOf = (page: Page, text: RegExp): Locator => page.getByRole("link", { name: text });
/** How long the customer has waited, and why. */
export const dueOf = (page: Page): Locator => page.getByRole("timer", { name: "Answer due" });
export const panelOf = (page: Page): Locator => page.getByRole("tabpanel");
export const rows = (page: Page): Locator => panelOf(page).getByRole("row");
