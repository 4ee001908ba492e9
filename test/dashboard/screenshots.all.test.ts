import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gone, says, seen, visit } from "./browser.js";
import { idle, inbound, reply, SEND, START, startBot } from "./calls.js";
import { article, clockPanelOf, logOf } from "./page.js";
import { chip, openConnection, openDialog, press, showTab } from "./user.js";

const FOLDER = join(import.meta.dirname, "..", "..", "docs", "screenshots");
/** Set: the pictures in docs are replaced. Not set: the test checks that there is one of each view that the guide shows. */
const UPDATE = process.env.UPDATE_SCREENSHOTS === "1";

test("pictures of the main views", async () => {
  const start = { clock: START, set: { "window.duration": "24h" } };
  const { sim, page } = await visit("?thread=9001", { start });
  const bot = await startBot(sim, "Yes: they left the warehouse this morning and arrive on Thursday.");
  const after = (by: string) => sim.control("POST /clock/advance", { by });
  await inbound(sim, "Are my boots on their way?");
  await seen(article(page, "arrive on Thursday"));
  await after("40s");
  const note = { userId: "503", text: "Second question this week: keep an eye on it.", internal: true };
  await sim.control("POST /threads/9001/employee-message", note);
  await after("20s");
  await sim.control("POST /threads/9001/window", { open: false });
  await reply(sim, "Anything else?");
  await after("15s");
  const contentSid = "HX00000000000000000000000000000001";
  await sim.api(SEND, { customerThreadId: "9001", contentSid });
  await after("70s");
  bot.status = 500;
  await inbound(sim, "Yes, I still need you <3");
  await idle(sim);
  const match = { path: "/api/webhooks/" };
  await sim.control("POST /faults", { on: "request", match, times: 3, then: "unavailable" });
  await chip(page, /^webhook 500/);

  const shoot = async (name: string) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const taken = await page.screenshot({ animations: "disabled", type: "jpeg", quality: 60 });
      const file = join(FOLDER, `${name.toLowerCase().replaceAll(" ", "-")}-${colorScheme}.jpg`);
      if (UPDATE) writeFileSync(file, taken);
      expect(existsSync(file), file).toBe(true);
    }
  };
  await shoot("Conversation");
  for (const tab of ["Deliveries", "Faults", "Behaviour", "Scenarios"]) {
    await showTab(page, tab);
    if (tab === "Deliveries") {
      await press(logOf(page), /^webhook 500/);
      await says(page, "Receiver's answer");
    }
    await gone(page.getByText(/^Loading the/));
    await shoot(tab);
  }
  const view = await openConnection(page);
  await shoot("Connect your bot");
  await press(view, "Close");
  for (const name of ["New conversation", "Snapshots and state"]) {
    const dialog = await openDialog(page, name);
    await shoot(name);
    await page.keyboard.press("Escape");
    await gone(dialog);
  }
  await press(page, "Clock");
  await says(clockPanelOf(page), "Next due");
  await shoot("Clock");
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("link", { name: "Conversation" }).click();
  await shoot("Phone");
});
