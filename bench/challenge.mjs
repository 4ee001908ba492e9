/**
 * What a challenge costs over the scenario's own time: a scenario of two questions against the mended order bot, started with
 * --exec, beside plain runs of the same file against the same bot.
 * Usage: node bench/challenge.mjs [--rounds 3]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { MAIN, median, report } from "./processes.mjs";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });
const BOT = join(dirname(fileURLToPath(import.meta.url)), "..", "examples", "order-bot");
const folder = mkdtempSync(join(tmpdir(), "messaging-sim-challenge-"));
const file = join(folder, "two.yaml");
writeFileSync(
  file,
  `name: Two questions
fixtures: ${JSON.stringify(join(BOT, "shop.json"))}
behaviour:
  delivery.signature: { scheme: standard-webhooks, secrets: [order-bot-secret] }
token: shop-token
thread: "9001"
steps:
${["Where is order 4711?", "Where is order 4713?"]
  .map((text) => `  - customer: ${text}\n  - reply: { contains: "[bot]" }`)
  .join("\n")}
`,
);

/** Runs a command of messaging-sim against the bot; what it printed as JSON, and how long it took, ms. */
async function against(words) {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address();
  await new Promise((resolve) => free.close(resolve));
  const exec = `${process.execPath} ${join(BOT, "mended.js")}`;
  const all = [...words, "--hook", `http://127.0.0.1:${port}`, "--exec", exec, "--reporter", "json"];
  const child = spawn(process.execPath, [MAIN, ...all], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  await once(child, "close");
  return JSON.parse(output);
}

const costs = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  const { challenges, ok, durationMs } = await against(["challenge", file]);
  if (!ok) throw new Error(JSON.stringify(challenges.filter(({ held }) => !held)));
  const { scenarios } = await against(["run", ...Array.from({ length: 20 }, () => file)]);
  costs.push(durationMs / challenges.length - median(scenarios.map((each) => each.durationMs)));
}
report("ms a challenge over the scenario's own time", median(costs).toFixed(0), "<= 500");
rmSync(folder, { recursive: true, force: true });
