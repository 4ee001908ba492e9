import { join } from "node:path";
import { expect, it } from "vitest";
import { SimClient } from "../../src/client/index.js";
import { start } from "../cli/program.js";
import { createConsumer, LATEST } from "../package/consumer.js";
import { freePort } from "../support/free-port.js";
import { startSimulator } from "../support/simulator.js";
import { converseAtOnce, EXAMPLE, startBot } from "./echo-bot.js";
import { copy, run } from "./recipes.js";

it("the echo bot passes its own tests", async () => {
  await using project = await createConsumer(...LATEST);
  copy("echo-bot", project.folder);
  expect(await run("npx vitest run", project)).toContain("3 passed");
});

it("the echo bot passes its conversation, started by the command that plays the customer", async () => {
  const port = String(await freePort());
  const words = ["run", join(EXAMPLE, "conversation.yaml"), "--hook", `http://127.0.0.1:${port}`];
  const bot = `${process.execPath} ${join(EXAMPLE, "bot.js")}`;
  const { exited, stdout, stderr } = start([...words, "--exec", bot], { PORT: port });
  expect(await exited, stdout() + stderr()).toBe(0);
  expect(stdout() + stderr()).toContain("You said: Still there?");
});

it("the echo bot holds 200 conversations at once, each in a world of its own", async () => {
  const sim = await startSimulator();
  const client = new SimClient({ url: sim.url, timeoutMs: 30_000 });
  const bot = await startBot(sim.url);
  const ids = await converseAtOnce(client, bot, 200);
  expect(new Set(ids).size).toBe(200);
  expect((await client.health()).sandboxes).toBe(1);
  expect(await client.requests()).toEqual([]);
});
