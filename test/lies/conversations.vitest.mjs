/** The conversations as tests by vitest, each with a program of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createTest, test } from "messaging-sim/vitest";
import { describe } from "vitest";

const CONVERSATIONS = {
  async once(sandbox, { within, silent }) {
    await sandbox.customerSays("9001", "Hello");
    await sandbox.waitForReply("9001", { text: "You said: Hello", within });
    await sandbox.silent("9001", silent);
  },
  async colleague(sandbox, { within, silent }) {
    await sandbox.customerSays("9001", "Hello");
    await sandbox.waitForReply("9001", { text: "You said: Hello", within });
    await sandbox.employeeSays("9001", "501", "I take over");
    await sandbox.silent("9001", silent);
  },
  async window(sandbox, { within }) {
    await sandbox.closeWindow("9001");
    await sandbox.customerSays("9001", "Hello");
    await sandbox.waitForReply("9001", { template: "issue_back", within });
  },
  async forged(sandbox, { within, silent }) {
    const signature = { scheme: "standard-webhooks", secrets: ["bot-secret"] };
    await sandbox.patchBehaviour({ "delivery.signature": signature });
    await sandbox.fault({ on: "delivery", times: 1, then: "bad-signature" });
    await sandbox.customerSays("9001", "Forged");
    await sandbox.silent("9001", silent);
    await sandbox.customerSays("9001", "Genuine");
    await sandbox.waitForReply("9001", { text: "You said: Genuine", within });
  },
  async "two-messages"(sandbox, { within, silent }) {
    await sandbox.customerSays("9001", "Hello");
    await sandbox.customerSays("9001", "Are you there?");
    await sandbox.waitForReply("9001", { text: "You said: Hello Are you there?", within });
    await sandbox.silent("9001", silent);
  },
  async "rate-limited"(sandbox, { within, silent }) {
    await sandbox.fault({ on: "request", times: 1, then: "rate-limited" });
    await sandbox.customerSays("9001", "Hello");
    await sandbox.waitForReply("9001", { text: "You said: Hello", within });
    await sandbox.silent("9001", silent);
  },
};

/** Starts the program and points the webhooks at it, whether it listens there or not. */
async function start({ program, port }, sandbox, onTestFinished) {
  const env = {
    PORT: port,
    MESSAGING_SIM_URL: sandbox.url,
    MESSAGING_SIM_TOKEN: sandbox.token("acme-token"),
  };
  const bot = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(bot, "exit");
  onTestFinished(async () => {
    bot.kill("SIGKILL");
    await ended;
  });
  await Promise.race([once(bot.stdout, "data"), ended]);
  await sandbox.connect(`http://127.0.0.1:${port}`);
}

/** With a simulator of its own, whose sandbox `default` no other test's program calls. */
const testApart = createTest({ simulator: {} });

for (const bot of JSON.parse(readFileSync("cases.json", "utf8"))) {
  const declare = bot.apart ? testApart.sequential : test.sequential;
  (bot.apart ? describe : describe.concurrent)(bot.name, () => {
    for (let round = 1; round <= bot.rounds; round += 1)
      declare(bot.name, { timeout: 60_000 }, async ({ sandbox, onTestFinished }) => {
        await start(bot, sandbox, onTestFinished);
        await CONVERSATIONS[bot.conversation](sandbox, bot);
      });
  });
}
