/** The two order bots: both pass their conversations. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Report } from "../../src/scenarios/report.js";

const ROOT = join(import.meta.dirname, "..", "..");
const EXAMPLE = join(ROOT, "examples", "order-bot");
const CONVERSATIONS = join(EXAMPLE, "conversations");
const MAX_LINES = 150;

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return String(port);
}

/** Runs files against a bot; `together`: one bot for all of them. */
async function run(bot: string, files: readonly string[], together: boolean) {
  const port = await freePort();
  const words = [
    ...["run", ...files, "--hook", `http://127.0.0.1:${port}`, "--reporter", "json"],
    ...["--exec", `${process.execPath} ${join(EXAMPLE, bot)}`, ...(together ? ["--keep"] : [])],
  ];
  const child = spawn(process.execPath, [join(ROOT, "dist/cli/main.js"), ...words], {
    env: { ...process.env, PORT: port },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let problems = "";
  child.stdout.on("data", (text: Buffer) => (output += text));
  child.stderr.on("data", (text: Buffer) => (problems += text));
  const [code] = await once(child, "close");
  expect(code, `${output}${problems}`).toBe(0);
  return (JSON.parse(output) as { scenarios: Report[] }).scenarios;
}

describe.each(["bot.js", "mended.js"])("%s", (bot) => {
  it("passes all conversations", async () => {
    const scenarios = await run(bot, [CONVERSATIONS], false);
    expect(scenarios).toHaveLength(readdirSync(CONVERSATIONS).length);
  }, 60_000);

  it("passes them again and again: nothing of one conversation is left in the next", async () => {
    const files = readdirSync(CONVERSATIONS).map((name) => join(CONVERSATIONS, name));
    const scenarios = await run(bot, [...files, ...files.toReversed()], true);
    expect(scenarios.map(({ ok }) => ok)).toEqual(Array(2 * files.length).fill(true));
  }, 60_000);
});

it("mended.js goes beyond nothing that the specification promises", async () => {
  const scenarios = await run("mended.js", [CONVERSATIONS], false);
  expect(scenarios.flatMap(({ warnings = [] }) => warnings)).toEqual([]);
}, 60_000);

it("the programs are short enough to be read", () => {
  const lines = readdirSync(EXAMPLE)
    .filter((name) => name.endsWith(".js"))
    .map((name) => [name, readFileSync(join(EXAMPLE, name), "utf8").split("\n").length] as const);
  expect(lines.filter(([, count]) => count > MAX_LINES)).toEqual([]);
});
