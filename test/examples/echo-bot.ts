/** The echo bot of the examples, and conversations with it. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { SimClient } from "../../src/client/index.js";

export const EXAMPLE = join(import.meta.dirname, "..", "..", "examples", "echo-bot");

/** Starts the example's bot and ends it with the test; its address. */
export async function startBot(api: string): Promise<string> {
  const { createBot } = (await import(join(EXAMPLE, "bot.js"))) as { createBot: (api: string) => Server };
  const bot = createBot(api).listen(0, "127.0.0.1");
  onTestFinished(() => {
    bot.closeAllConnections();
    bot.close();
  });
  await once(bot, "listening");
  return `http://127.0.0.1:${(bot.address() as AddressInfo).port}`;
}

/** Holds so many conversations with the bot at once, each in a sandbox of its own, and ends these. @returns their ids */
export function converseAtOnce(client: SimClient, bot: string, count: number): Promise<string[]> {
  const converse = async (number: number) => {
    // A bot that shares its machine with all of this may be slow to answer.
    await using sandbox = await client.sandbox({ behaviour: { "delivery.timeoutMs": 60_000 } });
    await sandbox.connect(bot, { header: "token" });
    for (const text of [`Hello from ${number}`, `Bye from ${number}`]) {
      await sandbox.customerSays("9001", text);
      await sandbox.waitForReply("9001", `You said: ${text}`);
    }
    await sandbox.idle();
    await sandbox.verify({ requests: {}, count: 2 });
    await sandbox.verify({ deliveries: { status: "delivered" }, count: 4 });
    return sandbox.id;
  };
  return Promise.all(Array.from({ length: count }, (_, number) => converse(number)));
}
