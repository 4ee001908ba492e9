import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { SimClient } from "../../src/client/index.js";
import { start } from "../cli/program.js";
import { freePort } from "../support/free-port.js";
import { startSimulator } from "../support/simulator.js";
import { converseAtOnce, EXAMPLE, startBot } from "./echo-bot.js";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "..", "..");
const CONVERSATIONS = 200;

describe("the echo bot", () => {
  it("passes its own tests", async () => {
    const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
    const config = join(HERE, "vitest.config.ts");
    const child = spawn(process.execPath, [vitest, "run", "--root", EXAMPLE, "--config", config], {
      env: { ...process.env, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (output += text));
    const [code] = await once(child, "close");
    expect(code, output).toBe(0);
    expect(output).toContain("3 passed");
  }, 60_000);

  it("passes its conversation, started by the command that plays the customer", async () => {
    const port = String(await freePort());
    const words = ["run", join(EXAMPLE, "conversation.yaml"), "--hook", `http://127.0.0.1:${port}`];
    const bot = `${process.execPath} ${join(EXAMPLE, "bot.js")}`;
    const { exited, stdout, stderr } = start([...words, "--exec", bot], { PORT: port });
    expect(await exited, stdout() + stderr()).toBe(0);
    expect(stdout() + stderr()).toContain("You said: Still there?");
  }, 60_000);

  it(`holds ${CONVERSATIONS} conversations at once, each in a world of its own`, async () => {
    const sim = await startSimulator();
    const client = new SimClient({ url: sim.url, timeoutMs: 30_000 });
    const bot = await startBot(sim.url);
    const ids = await converseAtOnce(client, bot, CONVERSATIONS);
    expect(new Set(ids).size).toBe(CONVERSATIONS);
    expect((await client.health()).sandboxes).toBe(1);
    expect(await client.requests()).toEqual([]);
  }, 60_000);
});
