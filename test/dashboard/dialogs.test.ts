import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { gone, overflowOf, seen, useBrowser, violationsOf } from "./browser.js";
import { DIALOGS, SIZES } from "./views.js";

const open = useBrowser();
/** What is wrong with the layout of the open dialog: content wider than it, and buttons that fill half of it. */
const WRONG = `(() => {
  const dialog = document.querySelector("dialog[open]");
  const wide = [...dialog.querySelectorAll("button")].filter((button) => button.offsetWidth > dialog.offsetWidth / 2);
  const sideways = dialog.scrollWidth - dialog.clientWidth;
  return [...(sideways > 0 ? [sideways + " px beyond the dialog"] : []), ...wide.map((button) => button.textContent)];
})()`;

/** What is done in a dialog before it is looked at: what else it has to show. */
const PREPARED: Readonly<Record<string, (dialog: Locator) => Promise<void>>> = {
  Users: async (dialog) => {
    await dialog.getByRole("button", { name: "Edit Ana Martin" }).click();
    await dialog.getByRole("textbox", { name: /^Businesses/ }).fill("77");
    await dialog.getByRole("button", { name: "Save" }).click();
    await seen(dialog.getByRole("alert").filter({ hasText: "businessIds" }));
  },
  "Snapshots and state": async (dialog) => {
    await dialog.getByRole("button", { name: "Take snapshot" }).click();
    await dialog.getByRole("button", { name: /^Remove/ }).click();
    await seen(dialog.getByRole("button", { name: /^Really remove/ }));
  },
  Clock: async (dialog) => {
    await dialog.getByRole("button", { name: "+1 h" }).click();
    await seen(dialog.getByRole("button", { name: "Undo" }));
  },
};

test.each(DIALOGS)(
  "%s: axe finds nothing in the dialog, and nothing overflows, at any size",
  async (button, name) => {
    const sim = await startSimulator();
    await sim.control("POST /threads/9001/inbound", { text: "Hello" });
    const page = await open(sim, { search: "?thread=9001", tolerate: /400/ });
    await seen(page.getByText("Live", { exact: true }));
    await page.getByRole("button", { name: button, exact: true }).first().click();
    const dialog = page.getByRole("dialog", { name });
    await seen(dialog);
    await PREPARED[name]?.(dialog);
    for (const [width, text] of SIZES) {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate(`document.documentElement.style.fontSize = "${text}px"`);
      for (const colorScheme of width === 1280 ? (["light", "dark"] as const) : (["light"] as const)) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        // A theme changes nothing but colours.
        const rules = colorScheme === "dark" ? ["color-contrast"] : undefined;
        expect
          .soft(await violationsOf(page, "dialog[open]", rules), `${width} ${text} ${colorScheme}`)
          .toEqual([]);
      }
      expect.soft(await overflowOf(page), `${width} ${text}`).toBeLessThanOrEqual(0);
      if (width === 1280) expect.soft(await page.evaluate(WRONG), `${text}`).toEqual([]);
    }
    await page.keyboard.press("Escape");
    await gone(dialog);
  },
);
