/** Every view at every size, in light, dark and forced colours: axe finds nothing, and nothing overflows or sticks out. */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { type Running, startSimulator } from "../support/simulator.js";
import { beyond, open, overflowOf, PHONE, placeOf, says, seen, violationsOf, visit } from "./browser.js";
import { inbound, reply, SEND } from "./calls.js";
import {
  article,
  button,
  clockPanelOf,
  DIALOGS,
  dueOf,
  field,
  links,
  logOf,
  picker,
  rows,
  search,
  TABS,
} from "./page.js";
import { advance, fits, openConnection, openDialog, press, refused, showTab, tells } from "./user.js";

/** Widths at which a view is looked at, and the size of text there, px. */
const SIZES = [
  [390, 16],
  [768, 16],
  [1080, 16],
  [1440, 16],
  [1920, 16],
  [390, 32],
  [1440, 32],
] as const;

/** The colours of a page, the rules that axe checks in them, and the sizes: other colours change nothing but contrast. */
const THEMES = {
  light: { media: { colorScheme: "light" }, rules: undefined, sizes: SIZES },
  dark: { media: { colorScheme: "dark" }, rules: ["color-contrast"], sizes: SIZES.slice(0, 5) },
  forced: { media: { forcedColors: "active" }, rules: ["color-contrast"], sizes: SIZES.slice(0, 5) },
} as const;
type Theme = keyof typeof THEMES;
const THEME_NAMES = Object.keys(THEMES) as Theme[];
const LOGS = ["Requests", "Deliveries", "Warnings"];

async function setSize(page: Page, width: number, text: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.evaluate(`document.documentElement.style.fontSize = "${text}px"`);
  // What watches its own size follows in the frame after.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/** What axe finds in a part of the page, and what overflows it, at every size of a theme. */
async function look(page: Page, theme: Theme, name: string, part?: string): Promise<void> {
  const { rules, sizes } = THEMES[theme];
  for (const [width, text] of sizes) {
    await setSize(page, width, text);
    const where = `${name} ${theme} ${width} ${text}`;
    expect.soft(await violationsOf(page, part, rules), where).toEqual([]);
    expect.soft(await overflowOf(page), where).toBeLessThanOrEqual(0);
  }
}

test.each(THEME_NAMES)("axe finds nothing on any tab at any size, %s", async (theme) => {
  const { sim, page } = await visit("?thread=9001", THEMES[theme].media);
  await inbound(sim, "Hello");
  await sim.api("POST /api/update-thread-status", { customerThreadId: 9001, status: "replied" });
  await reply(sim, "Refused", "9002");
  await sim.control("POST /faults", { on: "delivery", then: "unavailable", times: 1 });
  for (const name of TABS) {
    await showTab(page, name);
    if (LOGS.includes(name)) {
      await rows(page).first().click();
      await seen(rows(page).first().getByText("Id", { exact: true }));
    }
    // The table is long, and its entries are alike.
    if (name === "Behaviour") await search(page, "Filter behaviour").fill("window");
    // A tab changes nothing outside of the inspector.
    await look(page, theme, name, name === "Requests" ? undefined : "#inspector");
  }
});

/** The buttons that fill half of the open dialog. */
const WIDE = `[...document.querySelectorAll("dialog[open] button")]
  .filter((button) => button.offsetWidth > button.closest("dialog").offsetWidth / 2).map((one) => one.textContent)`;

/** What is done in a dialog before it is looked at: what else it has to show. */
const PREPARED: Readonly<Record<string, (dialog: Locator) => Promise<void>>> = {
  Users: async (dialog) => {
    await press(dialog, "Edit Ana Martin");
    await field(dialog, "Record").fill('{ "id": "501" }');
    await refused(dialog, "Save", "businessIds");
  },
  "Snapshots and state": async (dialog) => {
    await press(dialog, "Take snapshot");
    await press(dialog, /^Remove/);
    await seen(dialog.getByRole("button", { name: /^Confirm removal/ }));
  },
};

test.each(Object.keys(DIALOGS))("%s: axe finds nothing in the dialog at any size", async (name) => {
  const { sim, page } = await visit("?thread=9001", { tolerate: /400/ });
  await inbound(sim, "Hello");
  const dialog = await openDialog(page, name);
  await PREPARED[name]?.(dialog);
  await setSize(page, 390, 16);
  await fits(page);
  for (const theme of THEME_NAMES) {
    const reset = { colorScheme: "light", forcedColors: "none" } as const;
    await page.emulateMedia({ ...reset, ...THEMES[theme].media, reducedMotion: "reduce" });
    await look(page, theme, name, "dialog[open]");
  }
  for (const text of [16, 32]) {
    await setSize(page, 1440, text);
    expect.soft(await page.evaluate(WIDE), `${text}`).toEqual([]);
    expect.soft(await beyond(page, "dialog[open]"), `${text}`).toBeLessThanOrEqual(0);
  }
});

test("axe finds nothing in the view that connects a bot, at any size", async () => {
  const { page } = await visit("?thread=9001");
  await openConnection(page);
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ ...THEMES[theme].media, reducedMotion: "reduce" });
    await look(page, theme, "Connect", "main");
  }
});

test("axe finds nothing in what opens beside the clock, at any size", async () => {
  const { sim, page } = await visit("?thread=9001", { start: { set: { "window.duration": "24h" } } });
  await inbound(sim, "Hello");
  for (const theme of ["light", "dark"] as const)
    for (const [width, text] of SIZES) {
      await page.emulateMedia({ ...THEMES[theme].media, reducedMotion: "reduce" });
      await setSize(page, width, text);
      await press(page, "Clock");
      await says(clockPanelOf(page), "Next due", "closes");
      expect.soft(await violationsOf(page, ":popover-open"), `${theme} ${width} ${text}`).toEqual([]);
      expect.soft(await beyond(page, ":popover-open"), `${theme} ${width} ${text}`).toBeLessThanOrEqual(0);
      await page.keyboard.press("Escape");
    }
});

test("axe finds nothing where nothing is open on a phone, where the invitation is the next screen", async () => {
  const { page } = await visit("?tab=scenarios", { viewport: PHONE });
  const title = page.getByRole("heading", { name: "Connect your bot" });
  await seen(title);
  await fits(page);
  expect(await violationsOf(page)).toEqual([]);
  expect((await placeOf(title)).x).toBeGreaterThanOrEqual(PHONE.width);
});

test("at 1280 x 800 the conversation has 60 % of the height, half of it beside a diagnosis, and bar and tabs one row", async () => {
  const { sim, page } = await visit("?thread=9001");
  await says(page, "No end set.");
  await expect.poll(async () => (await placeOf(logOf(page))).height).toBeGreaterThanOrEqual(480);
  await inbound(sim, "Anybody?");
  await says(dueOf(page), "No reply");
  await expect.poll(async () => (await placeOf(logOf(page))).height).toBeGreaterThanOrEqual(390);

  const id = "a-sandbox-with-quite-a-long-name";
  await sim.control("POST /sandboxes", { id });
  for (const by of ["1m", "2m"]) await advance(page, by);
  await press(page, "Undo", "Undone: Clock advanced by 2m");
  const sandbox = picker(page, "Sandbox");
  await sandbox.selectOption(id);
  await sim.control(`POST /sandboxes/${id}/faults`, { on: "request", then: "unavailable" });
  await seen(button(page, "1 fault armed · fired 0"));
  for (const width of [1080, 1280, 1408, 1480, 1792, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(async () => (await placeOf(page.getByRole("banner"))).height).toBeLessThan(60);
    const { x, right } = await placeOf(sandbox);
    expect((await placeOf(button(page, "New sandbox"))).x, `${width}`).toBeGreaterThan(right);
    expect(right - x, `${width}`).toBeGreaterThan(60);
    const tabs = await Promise.all((await page.getByRole("tab").all()).map(placeOf));
    expect(new Set(tabs.map(({ y }) => y)).size, `${width}`).toBe(1);
    await fits(page, `${width}`);
    expect(await button(page, "1 fault armed · fired 0").count(), `${width}`).toBe(1);
  }
});

const LONG = "Donaudampfschifffahrtsgesellschaft".repeat(5);
const SANDBOX = `sandbox-${"x".repeat(50)}`;

/** A sandbox in which every name and address is long and cannot be broken. */
async function startLong(): Promise<Running> {
  const sim = await startSimulator();
  const { body: state } = await sim.control("GET /state");
  for (const one of [...state.customers, ...state.users]) one.displayName = LONG;
  for (const business of state.businesses) business.name = LONG;
  for (const webhook of state.webhooks)
    Object.assign(webhook, { hookId: LONG.slice(0, 60), url: `http://127.0.0.1:9/${LONG}` });
  for (const template of state.templates) template.title = LONG;
  const base = `/sandboxes/${SANDBOX}`;
  await sim.control(`PUT ${base}`);
  expect((await sim.control(`PUT ${base}/state`, state)).status).toBe(200);
  await sim.control(`POST ${base}/threads/9001/inbound`, { text: LONG });
  await sim.control(`POST ${base}/faults`, { on: "request", match: { path: `/api/${LONG}` }, then: "slow" });
  const token = `${SANDBOX}.acme-token`;
  await fetch(`${sim.url}/api/${LONG}?${LONG}=${LONG}`, { headers: { token } });
  await sim.api(SEND, { customerThreadId: 9001, text: LONG }, { token });
  return sim;
}

test.each([390, 768, 1280, 1920])("long names and addresses stay in their place, at %i px", async (width) => {
  const sim = await startLong();
  const view = { search: `?sandbox=${SANDBOX}&thread=9001`, viewport: { width, height: 900 } };
  const page = await open(sim, view);
  await seen(article(page, LONG));
  await fits(page, "thread");
  await links(page).nth(1).click();
  await seen(article(page, "template"));
  for (const name of TABS) {
    await showTab(page, name);
    if (LOGS.includes(name)) {
      await press(rows(page).first(), /./);
      await seen(rows(page).first().getByText("Id", { exact: true }));
    }
    await fits(page, name);
  }
});

test("texts and names from right to left are shown and written so", async () => {
  const { sim, page } = await visit("?thread=9001");
  const text = "مرحبا، أين طلبي؟ 123";
  await sim.control("PATCH /data/customers/cust_001", { displayName: "عمر حداد" });
  await inbound(sim, text);
  await tells(page, text);
  await field(page, "Write as the customer").fill(text);
  const directions = (selector: string) =>
    page.evaluate(
      `[...document.querySelectorAll("${selector}")].map((one) => getComputedStyle(one).direction)`,
    ) as Promise<string[]>;
  const texts = await directions(".message .text");
  expect([texts[0], texts.at(-1)]).toEqual(["ltr", "rtl"]);
  expect((await directions(".message .author")).at(-1)).toBe("rtl");
  expect(await directions(".composer textarea")).toEqual(["rtl", "ltr"]);
  expect(await directions("h2")).toEqual(["rtl"]);
  expect(await directions(".thread-name")).toContain("rtl");
  await expect.poll(async () => (await directions(".thread-sub .ellipsis"))[0]).toBe("rtl");
});

test("nothing moves for those who asked for less motion", async () => {
  const { page } = await visit("?thread=9001");
  // The classes that move are not always in the page: each is put there.
  const moving = await page.evaluate(`
    document.body.insertAdjacentHTML("beforeend",
      '<i class="spinner"></i><i class="chip waiting"><svg class="icon"></svg></i><i class="track"></i>');
    [...document.querySelectorAll("*")].flatMap((element) => [null, "::after"].map((part) => {
      const { animationName, transitionDuration } = getComputedStyle(element, part);
      return animationName === "none" && /^0s(, 0s)*$/.test(transitionDuration) ? "" : element.className;
    })).filter((name) => name !== "")`);
  expect(moving).toEqual([]);
});
