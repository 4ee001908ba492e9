import { readFileSync } from "node:fs";
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

it("an echo bot that answers colleagues too passes neither", async () => {
  await using project = await createConsumer(...LATEST);
  copy("echo-bot", project.folder);
  const edit = (file: string, from: string, to: string) => {
    const text = readFileSync(join(project.folder, file), "utf8");
    expect(text).toContain(from);
    return project.write({ [file]: text.replace(from, to) });
  };
  await edit("bot.js", "!data.fromCustomer", 'data.messageBody.startsWith("You said: ")');
  // A busy machine may take longer for the message that ends the silence.
  await edit("bot.test.js", 'silent("9001", 100)', 'silent("9001", 20_000)');
  await edit("conversation.yaml", "silent: 300ms", "silent: 20s");
  const cause =
    /expected no visible message in thread 9001 for .*, but this arrived: "You said: I take over"/i;
  await expect(run("npx vitest run --testTimeout 60000", project)).rejects.toThrow(cause);
  const port = String(await freePort());
  const words = ["run", join(project.folder, "conversation.yaml"), "--hook", `http://127.0.0.1:${port}`];
  const bot = `${process.execPath} ${join(project.folder, "bot.js")}`;
  const { exited, stdout } = start([...words, "--exec", bot], { PORT: port });
  expect(await exited, stdout()).toBe(1);
  expect(stdout()).toMatch(RegExp(`Why: ${cause.source}`, "i"));
});

it("the echo bot holds 200 conversations at once, each in a world of its own", async () => {
  const sim = await startSimulator();
  const client = new SimClient({ url: sim.url, within: 30_000 });
  const bot = await startBot(sim.url);
  const ids = await converseAtOnce(client, bot, 200);
  expect(new Set(ids).size).toBe(200);
  expect((await client.health()).sandboxes).toBe(1);
  expect(await client.requests()).toEqual([]);
});
