import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { startBot } from "./bot.js";
import { gone, seen, useBrowser } from "./browser.js";
import { idle, inbound, reply, SEND, START } from "./calls.js";
import { article, DIALOGS, logOf, TABS } from "./page.js";
import { chip, openDialog, press, says, showTab } from "./user.js";

const open = useBrowser();
const FOLDER = join(import.meta.dirname, "..", "..", "docs", "screenshots");
/** Set: the pictures in docs are replaced. Not set: the test checks that they have the size of new ones. */
const UPDATE = process.env.UPDATE_SCREENSHOTS === "1";

/** Width and height of a JPEG, from its frame header; the segments before that are as long as they say. */
function sizeOf(jpeg: Buffer): string {
  let at = 2;
  while (![0xc0, 0xc2].includes(jpeg.readUInt8(at + 1))) at += 2 + jpeg.readUInt16BE(at + 2);
  return `${jpeg.readUInt16BE(at + 7)} x ${jpeg.readUInt16BE(at + 5)}`;
}

const fileOf = (name: string): string => name.toLowerCase().replaceAll(" ", "-");

test("pictures of the main views", async () => {
  const sim = await startSimulator({ clock: START, set: { "window.duration": "24h" } });
  const bot = await startBot(sim, "Yes: they left the warehouse this morning and arrive on Thursday.");
  const after = (by: string) => sim.control("POST /clock/advance", { by });
  const page = await open(sim, { search: "?thread=9001", viewport: { width: 1280, height: 800 } });
  await seen(logOf(page));

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
      const file = join(FOLDER, `${fileOf(name)}-${colorScheme}.jpg`);
      if (UPDATE) {
        await mkdir(FOLDER, { recursive: true });
        await writeFile(file, taken);
      }
      expect(sizeOf(await readFile(file)), name).toBe(sizeOf(taken));
    }
  };
  await shoot("Conversation");
  for (const tab of TABS) {
    await showTab(page, tab);
    if (tab === "Deliveries") {
      await press(logOf(page), /^webhook 500/);
      await says(page, "Receiver's answer");
    }
    await gone(page.getByText(/^Loading the/));
    await shoot(tab);
  }
  for (const name of Object.keys(DIALOGS)) {
    const dialog = await openDialog(page, name);
    await shoot(name);
    await page.keyboard.press("Escape");
    await gone(dialog);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("link", { name: "Conversation" }).click();
  await shoot("Phone");
});
