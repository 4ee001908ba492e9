import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { startBot } from "./bot.js";
import { seen, useBrowser } from "./browser.js";

const open = useBrowser();
const FOLDER = join(import.meta.dirname, "..", "..", "docs", "screenshots");
/** Set: the pictures in docs are replaced. Not set: the test checks that they have the size of new ones. */
const UPDATE = process.env.UPDATE_SCREENSHOTS === "1";

const sizeOf = (png: Buffer): string => `${png.readUInt32BE(16)} x ${png.readUInt32BE(20)}`;

test("pictures of the main views", async () => {
  const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z", set: { "window.duration": "24h" } });
  const bot = await startBot(sim, "Yes: they left the warehouse this morning and arrive on Thursday.");
  const after = (by: string) => sim.control("POST /clock/advance", { by });
  const inbound = async (thread: string, text: string) => {
    await sim.control(`POST /threads/${thread}/inbound`, { text });
    await sim.control("POST /wait", { for: "idle" });
  };
  const api = (path: string, body: unknown) => sim.api(`POST /api/${path}`, body);
  const page = await open(sim, { search: "?thread=9001", viewport: { width: 1440, height: 900 } });
  const log = page.getByRole("log", { name: "Conversation" });
  await seen(log);

  await inbound("9001", "Are my boots on their way?");
  await seen(log.getByRole("article").filter({ hasText: "arrive on Thursday" }));
  await after("40s");
  const note = { userId: "503", text: "Second question this week: keep an eye on it.", internal: true };
  await sim.control("POST /threads/9001/employee-message", note);
  await after("20s");
  await sim.control("POST /threads/9001/window", { open: false });
  await api("send-message-to-customer-thread", { customerThreadId: "9001", text: "Anything else?" });
  await after("15s");
  const template = "HX00000000000000000000000000000001";
  await api("send-message-to-customer-thread", { customerThreadId: "9001", contentSid: template });
  await after("70s");
  bot.status = 500;
  await inbound("9001", "Yes, I still need you <3");
  await sim.control("POST /faults", {
    on: "request",
    match: { path: "/api/webhooks/" },
    times: 3,
    then: "unavailable",
  });
  await seen(log.getByRole("button", { name: /^webhook 500/ }));

  const shoot = async (name: string) => {
    const taken = await page.screenshot({ animations: "disabled" });
    const file = join(FOLDER, `${name}.png`);
    if (UPDATE) {
      await mkdir(FOLDER, { recursive: true });
      await writeFile(file, taken);
    }
    expect(sizeOf(await readFile(file)), name).toBe(sizeOf(taken));
  };
  await shoot("desktop-light");
  await log.getByRole("button", { name: /^webhook 500/ }).click();
  await seen(page.getByText("Receiver's answer"));
  await shoot("deliveries");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.getByRole("tab", { name: "Faults" }).click();
  await seen(page.getByRole("button", { name: "Disarm f1" }));
  await shoot("desktop-dark");
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("link", { name: "Conversation" }).click();
  await shoot("phone");
});
