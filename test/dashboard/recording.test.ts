import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { filesFor } from "../support/folder.js";
import { startSimulator } from "../support/simulator.js";
import { startBot } from "./bot.js";
import { bleedingIn, seen, useBrowser } from "./browser.js";

const open = useBrowser();
const file = filesFor("dashboard-recording");
const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");

test("what was done is a scenario, a test in vitest and a curl script, and each of them passes", async () => {
  const sim = await startSimulator();
  const bot = await startBot(sim, "It's on its way.");
  const page = await open(sim, { search: "?thread=9001" });
  const log = page.getByRole("log", { name: "Conversation" });
  await seen(page.getByText("Live", { exact: true }));
  await page.getByRole("textbox", { name: "Write as the customer" }).fill("Where's it?");
  await page.getByRole("button", { name: "Send as customer" }).click();
  await seen(log.getByRole("article").filter({ hasText: "It's on its way." }));
  const attachment = { uuid: "u-1", contentType: "image/png", name: "shoe.png", contentLength: 512 };
  await sim.control("POST /threads/9001/employee-message", { userId: "501", text: "A note", internal: true });
  const template = { userId: "501", contentSid: "HX00000000000000000000000000000001" };
  await sim.control("POST /threads/9001/employee-message", template);
  await sim.control("POST /threads/9001/employee-message", { userId: "501", attachment });
  await seen(log.getByRole("article").filter({ hasText: "shoe.png" }));

  await page.getByRole("button", { name: "Save as test" }).click();
  const dialog = page.getByRole("dialog", { name: "Save what was done" });
  const textOf = async (form: string) => {
    await dialog.getByRole("radio", { name: form }).check({ force: true });
    return dialog.getByRole("textbox", { name: form }).inputValue();
  };
  const scenario = await textOf("Scenario");
  expect(scenario).toMatch(/^name: "Alan Johnson: Where's it\?"\nthread: "9001"/);
  expect(scenario.match(/^ {2}- /gm)?.length).toBe(5);
  const { body: report } = await sim.control("POST /scenarios/run", { scenario });
  expect(report.steps.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
  expect(report.ok).toBe(true);

  const script = file("again.sh", await textOf("curl script"));
  await sim.control("DELETE /requests");
  const count = async () => (await sim.control("GET /data/messages?threadId=9001")).body.length;
  const before = await count();
  await run("sh", [script]);
  expect(await count()).toBe(before + 5);

  const path = file("again.test.mjs", await textOf("Test in vitest"));
  const modules = join(dirname(path), "node_modules");
  mkdirSync(modules);
  symlinkSync(ROOT, join(modules, "messaging-sim"));
  symlinkSync(join(ROOT, "node_modules", "vitest"), join(modules, "vitest"));
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const env = { ...process.env, BOT_URL: bot.url, MESSAGING_SIM_URL: sim.url };
  const { stdout } = await run(process.execPath, [vitest, "run", "--root", dirname(path)], { env });
  expect(stdout).toContain("1 passed");

  await page.setViewportSize({ width: 390, height: 844 });
  expect(await bleedingIn(page)).toEqual([]);
  const downloading = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download" }).click();
  expect((await downloading).suggestedFilename()).toBe("thread-9001.test.mjs");
});
