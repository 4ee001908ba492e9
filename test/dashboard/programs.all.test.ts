import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { filesFor } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { says, visit } from "./browser.js";
import { idle, inbound, read } from "./calls.js";
import { field, picker, rows } from "./page.js";
import { openConnection, press } from "./user.js";

const file = filesFor("dashboard-programs");
const run = promisify(execFile);

const PING = { method: "POST", body: '{"eventType":"ping","data":{"fromCustomer":false}}' };

test("snippets run as they are, in a sandbox other than the default, and reply", async () => {
  const { sim, page } = await visit();
  await sim.control("PUT /sandboxes/play");
  await page.goto(`${sim.url}/__sim/ui/?sandbox=play&thread=9001`);
  const dialog = await openConnection(page);
  const snippetIn = async (language: string, port: number) => {
    await field(dialog, "Webhook URL").fill(`http://127.0.0.1:${port}/hook`);
    await picker(dialog, "Language").selectOption(language);
    return dialog.locator("figure pre").innerText();
  };
  for (const [language, name, program] of [
    ["Node", "bot.mjs", "node"],
    ["Python", "bot.py", "python3"],
  ] as const) {
    const port = await freePort();
    const bot = execFile(program, [file(name, await snippetIn(language, port))]);
    onTestFinished(() => void bot.kill());
    const isThere = () => fetch(`http://127.0.0.1:${port}/`, PING).catch(() => undefined);
    await expect.poll(isThere, { message: language }).toBeDefined();
    await press(dialog, "Connect", new RegExp(`leads? to http://127.0.0.1:${port}/hook`));
    await sim.control("DELETE /sandboxes/play/requests");
    await sim.control("POST /sandboxes/play/threads/9001/inbound", { text: "Hi" });
    const wanted = { for: { reply: { thread: "9001", text: "You said: Hi" } }, timeoutMs: 10_000 };
    expect((await sim.control("POST /sandboxes/play/wait", wanted)).status, language).toBe(200);
    bot.kill();
  }
  const { stdout } = await run("sh", [file("calls.sh", await snippetIn("curl", 3000))]);
  expect(stdout).toContain('"customerChannel":"WHATSAPP"');
  const messages = await read(sim, "/sandboxes/play/data/messages?threadId=9001");
  expect(messages.at(-1).text).toBe("Hello from curl");
});

/** Runs a command line that the page gives, and resolves with the status of the answer. */
async function statusOf(command: string): Promise<number> {
  return Number((await run("sh", ["-c", `${command} -s -o /dev/null -w '%{http_code}'`])).stdout);
}

test("the curl of a delivery names each header once, and reaches a sink", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  const { sim, page } = await visit("?thread=9001&tab=deliveries&item=d1", { permissions });
  await inbound(sim, "It's me: $HOME `id`");
  await idle(sim);
  await press(rows(page), "Copy curl");
  await says(page, "Curl copied");
  const command = (await page.evaluate("navigator.clipboard.readText()")) as string;
  const names = [...command.toLowerCase().matchAll(/-h '([^:]+):/g)].map(([, name]) => name);
  expect(names).toContain("content-type");
  expect(new Set(names).size).toBe(names.length);
  expect(await statusOf(command)).toBe(200);
  const [first, second, ...others] = await read(sim, "/sinks/demo/received");
  expect(second.body).toEqual(first.body);
  expect(others).toEqual([]);
});
