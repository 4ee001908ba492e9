import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { filesFor } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { startBot } from "./bot.js";
import { bleedingIn, gone, overflowOf, seen, useBrowser } from "./browser.js";

const open = useBrowser();
const file = filesFor("dashboard-connect");

const firstThing = (page: Page, name: string, state: "done" | "not yet") =>
  page.getByRole("listitem", { name: `${name}: ${state}` });
const webhookOf = async (sim: Running) => (await sim.control("GET /data/webhooks/1")).body;

test("the first page connects a bot, ticks each first thing live, and says why one does not come", async () => {
  const sim = await startSimulator({ set: { "delivery.attempts": 1 } });
  const page = await open(sim, { tolerate: /400/ });
  const panel = page.getByRole("region", { name: "Connect your bot" });
  await seen(panel.getByText(sim.url, { exact: true }).first());
  await seen(panel.getByRole("listitem").filter({ hasText: "acme-token" }).first());
  await seen(panel.getByRole("button", { name: "Copy token acme-token" }));
  for (const name of ["First call", "First event delivered", "First reply"])
    await seen(firstThing(page, name, "not yet"));

  const address = panel.getByRole("textbox", { name: "Webhook URL" });
  await address.fill("ftp://nowhere");
  await panel.getByRole("button", { name: "Connect", exact: true }).click();
  await seen(panel.getByRole("alert").filter({ hasText: "http" }));
  expect((await webhookOf(sim)).url).toBe("sink:demo");

  const bot = await startBot(sim);
  await address.fill(`http://127.0.0.1:${await freePort()}/hook`);
  await panel.getByRole("button", { name: "Connect", exact: true }).click();
  await seen(panel.getByText(/connection refused/).first());
  await sim.control("POST /threads/9003/inbound", { text: "Is anybody there?" });
  await seen(panel.getByRole("button", { name: /^d\d: failed: connection refused/ }));
  expect((await webhookOf(sim)).url).toContain("/hook");
  expect(bot.status).toBe(200);

  await address.fill(bot.url);
  await panel.getByRole("button", { name: "Connect", exact: true }).click();
  await seen(panel.getByText(/webhooks lead to/));
  expect((await webhookOf(sim)).url).toBe(bot.url);
  await sim.control("POST /threads/9001/inbound", { text: "Is it ready?" });
  for (const name of ["First call", "First event delivered", "First reply"])
    await seen(firstThing(page, name, "done"));

  // What has worked once is known to have worked, and the panel is not shown to somebody who comes later.
  await sim.control("DELETE /requests");
  await seen(firstThing(page, "First call", "done"));
  await page.reload();
  await seen(page.getByText("Live", { exact: true }));
  await gone(panel);
  await page.getByRole("button", { name: "Connect your bot" }).click();
  await seen(firstThing(page, "First event delivered", "done"));
});

test("webhooks are changed, added, tried and removed", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001", tolerate: /400/ });
  await page.getByRole("button", { name: "Connect your bot" }).click();
  const dialog = page.getByRole("dialog", { name: "Connect your bot" });
  const crm = dialog.getByRole("listitem", { name: "Webhook crm" });
  await seen(crm.getByText("It is told of messages and transfers; nothing was sent yet."));
  await crm.getByRole("textbox", { name: "URL of crm" }).fill("not an address");
  await crm.getByRole("button", { name: "Save crm" }).click();
  await seen(crm.getByRole("alert"));
  expect((await webhookOf(sim)).url).toBe("sink:demo");
  await crm.getByRole("textbox", { name: "URL of crm" }).fill("sink:other");
  await crm.getByRole("checkbox", { name: "transfers" }).uncheck();
  await crm.getByRole("button", { name: "Save crm" }).click();
  await seen(crm.getByText("It is told of messages; nothing was sent yet."));
  expect(await webhookOf(sim)).toMatchObject({ url: "sink:other", subscribedEvents: ["messages"] });
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  await seen(crm.getByText(/the newest: 200 in/));
  await crm.getByRole("button", { name: "Ping crm" }).click();
  await seen(crm.getByRole("status").filter({ hasText: /\w/ }));
  await crm.getByRole("switch", { name: "Enabled: crm" }).click();
  await seen(crm.getByText("Disabled: it is told of nothing."));
  expect((await webhookOf(sim)).enabled).toBe(false);
  await crm.getByRole("button", { name: "Remove crm" }).click();
  await gone(crm);
  expect((await sim.control("GET /data/webhooks/1")).status).toBe(404);

  await dialog.getByRole("button", { name: "Add a webhook…" }).click();
  await dialog.getByRole("textbox", { name: "URL of the new webhook" }).fill("sink:new");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect
    .poll(async () => (await sim.control("GET /data/webhooks?url=sink:new")).body)
    .toMatchObject([{ organizationId: "200", enabled: true, subscribedEvents: ["messages", "transfers"] }]);
  await gone(dialog.getByRole("form", { name: "New webhook" }));

  await dialog.getByRole("button", { name: "Close" }).click();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Connect your bot" }).click();
  await seen(dialog.getByRole("textbox", { name: "Webhook URL" }));
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await bleedingIn(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await gone(dialog);
});

/** How the language of a snippet is run where it is there. */
const RUNS = [
  ["Node", "bot.mjs", "node"],
  ["Python", "bot.py", "python3"],
  ["Java", "Bot.java", "java"],
] as const;

test("snippets run as they are, in a sandbox other than the default, and reply", async () => {
  const sim = await startSimulator();
  await sim.control("PUT /sandboxes/play");
  const page = await open(sim, { search: "?sandbox=play&thread=9001" });
  await page.getByRole("button", { name: "Connect your bot" }).click();
  const dialog = page.getByRole("dialog", { name: "Connect your bot" });
  const snippetIn = async (language: string, port: number) => {
    await dialog.getByRole("textbox", { name: "Webhook URL" }).fill(`http://127.0.0.1:${port}/hook`);
    await dialog.getByRole("combobox", { name: "Language" }).selectOption(language);
    return dialog.locator("figure pre").innerText();
  };
  for (const [language, name, program] of RUNS) {
    const port = await freePort();
    const path = file(name, await snippetIn(language, port));
    const bot = execFile(program, [path]);
    onTestFinished(() => void bot.kill());
    await expect.poll(async () => reachable(port), { message: language }).toBe(true);
    await dialog.getByRole("button", { name: "Connect", exact: true }).click();
    await seen(dialog.getByText(new RegExp(`leads? to http://127.0.0.1:${port}/hook`)));
    await sim.control("DELETE /sandboxes/play/requests");
    await sim.control("POST /sandboxes/play/threads/9001/inbound", { text: "Hi" });
    const text = language === "Java" ? "Hello from Java" : "You said: Hi";
    const reply = { thread: "9001", text };
    const { status } = await sim.control("POST /sandboxes/play/wait", { for: { reply }, timeoutMs: 10_000 });
    expect(status, language).toBe(200);
    bot.kill();
  }
  const calls = file("calls.sh", await snippetIn("curl", 3000));
  const { stdout } = await promisify(execFile)("sh", [calls]);
  expect(stdout).toContain('"customerChannel":"WHATSAPP"');
  const { body } = await sim.control("GET /sandboxes/play/data/messages?threadId=9001");
  expect(body.at(-1).text).toBe("Hello from curl");
  for (const [language, part] of [
    ["Go", 'const token = "play.acme-token"'],
    ["PHP", "'token: play.acme-token'"],
  ] as const) {
    const text = await snippetIn(language, 3210);
    expect(text).toContain(part);
    expect(text).toContain(`${sim.url}`);
  }
  await seen(dialog.getByText("php -S 127.0.0.1:3210 bot.php"));
});

const reachable = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    body: '{"eventType":"ping","data":{"fromCustomer":false}}',
  }).then(
    () => true,
    () => false,
  );
