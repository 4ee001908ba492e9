import { existsSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { findChromium } from "../../scripts/programs.mjs";
import type { SimulatorOptions } from "../../src/server/simulator.js";
import { startSimulator } from "../support/simulator.js";
import type { Place, Text } from "./page.js";

const PAGE = join(import.meta.dirname, "..", "..", "dist", "dashboard", "index.html");
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Pages live for seconds: what would make them faster later costs more than it saves.
  "--js-flags=--max-lazy,--no-opt,--no-maglev",
  "--in-process-gpu",
];

export const PHONE = { width: 390, height: 844 };
/** What a browser's console shows while a server is away. */
export const AWAY = /net::ERR|Failed to load/;

/** What a test opens a page with; `search` is the part of the address after the path. */
export interface PageOptions extends BrowserContextOptions {
  readonly search?: string;
  /** Errors that the browser's console may show, such as those of refused calls. */
  readonly tolerate?: RegExp;
}

/** One Chromium for all files of a process, which ends with it. */
let launched: Promise<Browser> | undefined;

async function launch(): Promise<Browser> {
  if (!existsSync(PAGE)) throw new Error("The dashboard is not built: run npm run build first");
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error("There is no browser: run node scripts/programs.mjs gate");
  return chromium.launch({ executablePath, args: ARGS });
}

/** Opens the page of a server. A page that throws, or logs an error to its console, fails its test. */
export async function open({ url }: { url: string }, options: PageOptions = {}): Promise<Page> {
  launched ??= launch();
  const { search = "", tolerate = /^$/, ...rest } = options;
  const viewport = { width: 1280, height: 800 };
  const context = await (await launched).newContext({ viewport, reducedMotion: "reduce", ...rest });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !tolerate.test(message.text())) errors.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(errors).toEqual([]);
  });
  await page.goto(`${url}/__sim/ui/${search}`);
  return page;
}

/** Opens the page of a simulator of its own, and waits until that is live. */
export async function visit(search = "", options: PageOptions & { start?: SimulatorOptions } = {}) {
  const { start, ...rest } = options;
  const sim = await startSimulator(start);
  const page = await open(sim, { search, ...rest });
  await live(page);
  return { sim, page };
}

/** Waits until the page follows its sandbox. */
export const live = (page: Page): Promise<void> => seen(page.getByText("Live", { exact: true }));
/** Waits until all of these can be seen. */
export async function seen(...locators: readonly Locator[]): Promise<void> {
  for (const locator of locators) await locator.waitFor({ state: "visible" });
}
/** Waits until none of these can be seen any more. */
export async function gone(...locators: readonly Locator[]): Promise<void> {
  for (const locator of locators) await locator.waitFor({ state: "hidden" });
}
/** Waits until a place shows all of these texts. */
export const says = (place: Place, ...texts: readonly Text[]): Promise<void> =>
  seen(...texts.map((text) => place.getByText(text).first()));
/** Waits until a place warns. */
export const warns = (place: Place, text: Text): Promise<void> =>
  seen(place.getByRole("alert").filter({ hasText: text }));
/** Where something is, px; nowhere at all where it is not in the page. */
export async function placeOf(locator: Locator) {
  const { x = NaN, y = NaN, width = NaN, height = NaN } = (await locator.boundingBox()) ?? {};
  return { x, y, height, right: x + width, bottom: y + height };
}

/** The violations that axe finds on the page, or on a part of it, of all rules or some: rule and location of each. */
export async function violationsOf(page: Page, part?: string, rules?: readonly string[]): Promise<string[]> {
  // Its source is long: once in a page is enough. Without frames it needs no page of its own to put results together.
  const isThere = await page.evaluate("typeof axe === 'object'");
  const axe = new AxeBuilder({ page, ...(isThere ? { axeSource: "0" } : {}) }).setLegacyMode().options({
    resultTypes: ["violations"],
    rules: { "label-content-name-mismatch": { enabled: true } },
    ...(rules && { runOnly: { type: "rule", values: [...rules] } }),
  });
  const { violations } = await (part === undefined ? axe : axe.include(part)).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** How much wider the content of a part is than the part, px. */
export const beyond = (page: Page, part: string): Promise<number> =>
  page.evaluate(
    `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector("${part}"))`,
  );

/** How much wider the page is than its window, px. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - innerWidth") as Promise<number>;

const PARTS = ".top, .banner, .threads, .middle, .inspector, .thread, .message, dialog";

/** What sticks out of its part of the page, or is cut off there without an ellipsis: at most three of each part. */
export const bleedingIn = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll("${PARTS}")].flatMap((part) => {
    const placeOf = (element) => {
      for (let one = element.parentElement; one !== null && one !== part; one = one.parentElement) {
        const { overflowX, textOverflow, clipPath, webkitLineClamp } = getComputedStyle(one);
        if (/auto|scroll/.test(overflowX) || textOverflow === "ellipsis" || clipPath !== "none") return null;
        if (overflowX !== "visible" && webkitLineClamp === "none") return one;
      }
      return part;
    };
    // A dialog lies over all parts.
    return [...part.querySelectorAll("*")]
      .filter((element) => part.closest("dialog") || !element.closest("dialog"))
      .filter((element) => {
        const { left, right, bottom, width } = element.getBoundingClientRect();
        const place = placeOf(element)?.getBoundingClientRect();
        if (width === 0 || place === undefined) return false;
        const isBelow = part.matches(".thread") && bottom > place.bottom + 1;
        return right > place.right + 1 || left < place.left - 1 || isBelow;
      })
      .slice(0, 3)
      .map((element) => part.className + ": " + element.tagName + "." + element.className + " " + element.textContent.slice(0, 40));
  })`) as Promise<string[]>;
