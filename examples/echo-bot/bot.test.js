import { once } from "node:events";
import { test as simTest } from "messaging-sim/vitest";
import { expect } from "vitest";
import { createBot } from "./bot.js";

// One bot for all tests. Each test's sandbox delivers to it, with the sandbox's own API key in a header.
const test = simTest
  .extend("botUrl", { scope: "worker" }, async ({ sim }, { onCleanup }) => {
    const bot = createBot(sim.url).listen(0, "127.0.0.1");
    onCleanup(() => bot.close());
    await once(bot, "listening");
    return `http://127.0.0.1:${bot.address().port}`;
  })
  .extend("connected", { auto: true }, async ({ sandbox, botUrl }) => {
    await sandbox.connect(botUrl, { header: "token" });
  });

test("says what the customer said", async ({ sandbox }) => {
  await sandbox.customerSays("9001", "Is my order ready?");
  const reply = await sandbox.waitForReply("9001", "You said: Is my order ready?");
  expect(reply.request.warnings).toEqual([]);
});

test("answers each message once", async ({ sandbox }) => {
  await sandbox.customerSays("9001", "One");
  await sandbox.customerSays("9001", "Two");
  await sandbox.waitForReply("9001", { contains: "One" });
  await sandbox.waitForReply("9001", { contains: "Two" });
  await sandbox.idle();
  await sandbox.verify({ requests: { operation: "sendMessageToCustomerThread" }, count: 2 });
});

test("keeps quiet when a colleague writes", async ({ sandbox }) => {
  await sandbox.employeeSays("9001", "501", "I take over");
  await sandbox.waitForDelivery({ eventType: "message", body: { data: { messageBody: "I take over" } } });
  await sandbox.silent("9001", 100);
});
