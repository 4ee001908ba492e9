/**
 * How many challenges a second: scenarios of ten steps against a bot on the same machine, beside plain runs of the same files
 * against the same bot. One scenario is over within seconds, in which two programs that have just started are compiled.
 * Usage: node bench/challenge.mjs [--rounds 3] [--jobs 6] [--scenarios 5]
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

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    jobs: { type: "string", default: "6" },
    scenarios: { type: "string", default: "5" },
  },
});
const BOT = join(dirname(fileURLToPath(import.meta.url)), "..", "examples", "order-bot");
const folder = mkdtempSync(join(tmpdir(), "messaging-sim-challenge-"));
const files = Array.from({ length: Number(values.scenarios) }, (_, at) => {
  const file = join(folder, `ten-${at + 1}.yaml`);
  writeFileSync(
    file,
    `name: Ten steps, ${at + 1}
fixtures: ${JSON.stringify(join(BOT, "shop.json")).replace(/^"\//, `"${"../".repeat(folder.split("/").length - 1)}`)}
behaviour:
  delivery.signature: { scheme: standard-webhooks, secrets: [order-bot-secret] }
token: shop-token
thread: "9001"
steps:
${["Where is order 4711?", "Where is order 4713?", "Where is order 4711?", "Where is order 4713?", "Thanks!"]
  .map((text) => `  - customer: ${text}\n  - reply: { contains: "[bot]" }`)
  .join("\n")}
`,
  );
  return file;
});

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

const sum = (rows) => rows.reduce((total, { durationMs }) => total + durationMs, 0);
const [file] = files;
const IN_SEVERAL = ["--token-header", "x-account-token", "--jobs", values.jobs];
const WAYS = {
  all: ["challenge", ...files, ...IN_SEVERAL],
  several: ["challenge", file, ...IN_SEVERAL],
  one: ["challenge", file],
};
const rates = { all: [], several: [], one: [], plain: [] };
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const [name, words] of Object.entries(WAYS)) {
    const { challenges, ok, durationMs } = await against(words);
    if (!ok) throw new Error(JSON.stringify(challenges.filter(({ held }) => !held)));
    rates[name].push((1000 * challenges.length) / durationMs);
  }
  const { scenarios } = await against(["run", ...Array.from({ length: 50 }, () => file), "--keep"]);
  rates.plain.push((1000 * scenarios.length) / sum(scenarios));
}
const shown = (name) => median(rates[name]).toFixed(1);
const sandboxes = `${values.jobs} sandboxes`;
report(`challenges a second, ${files.length} scenarios of ten steps, ${sandboxes}`, shown("all"), ">= 20");
report(`challenges a second, one scenario, ${sandboxes}`, shown("several"));
report("challenges a second, one scenario, one sandbox", shown("one"));
report("plain runs a second, one after the other, resets not counted", shown("plain"));
rmSync(folder, { recursive: true, force: true });
