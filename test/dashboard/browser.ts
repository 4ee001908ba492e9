import { existsSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, vi } from "vitest";
import { findChromium } from "../../scripts/ensure-chromium.mjs";

const PAGE = join(import.meta.dirname, "..", "..", "dist", "dashboard", "index.html");
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Names that lead to this machine, as an attacker's would.
  "--host-resolver-rules=MAP *.rebound.test 127.0.0.1",
];

/** What a test opens a page with; `search` is the part of the address after the path. */
export interface PageOptions extends BrowserContextOptions {
  readonly search?: string;
  /** Errors that the browser's console may show, such as those of refused calls. */
  readonly tolerate?: RegExp;
}

export type Open = (sim: { readonly url: string }, options?: PageOptions) => Promise<Page>;

/** A Chromium for the tests of a file. A page that throws, or logs an error to its console, fails its test. */
export function useBrowser(): Open {
  // A browser is slow on a machine that runs other tests.
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
  let browser: Browser;
  beforeAll(async () => {
    if (!existsSync(PAGE)) throw new Error("The dashboard is not built: run npm run build first");
    const executablePath = findChromium();
    if (executablePath === undefined)
      throw new Error("There is no chromium: run scripts/ensure-chromium.mjs");
    browser = await chromium.launch({ executablePath, args: ARGS });
  });
  afterAll(() => browser?.close());

  return async ({ url }, { search = "", tolerate = /^$/, ...options } = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
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
  };
}

/** Waits until something can be seen. */
export const seen = (locator: Locator): Promise<void> => locator.waitFor({ state: "visible" });
/** Waits until something cannot be seen any more. */
export const gone = (locator: Locator): Promise<void> => locator.waitFor({ state: "hidden" });

/** The violations that axe finds on the page, or on a part of it: rule and location of each. */
export async function violationsOf(page: Page, part?: string): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (part === undefined ? axe : axe.include(part)).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** How much wider the page is than its window, px. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - innerWidth") as Promise<number>;
