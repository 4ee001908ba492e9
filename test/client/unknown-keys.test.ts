import { expect, it } from "vitest";
import { SimClient } from "../../src/client/index.js";
import { run } from "../cli/terminal.js";
import { scratch } from "../scenarios/support.js";
import { rejection } from "../support/client.js";
import { serverOf } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";

const SEND = "POST /api/send-message-to-customer-thread";

async function started() {
  const sim = await startSimulator();
  const sandbox = await new SimClient(sim.url).ensureSandbox("s1");
  const send = (token: string) => sim.api(SEND, { customerThreadId: "9001", text: "Hi" }, { token });
  return { sim, sandbox, send };
}

it("a token with a dot that `default` has belongs to `default`", async () => {
  const { sim, send } = await started();
  const [token] = (await sim.control("GET /data/tokens")).body;
  await sim.control("POST /data/tokens", { ...token, id: "s1.own" });
  expect((await send("s1.own")).status).toBe(200);
});

it("a wait without matches names the newest call with an unknown token, and the right one", async () => {
  const { sim, sandbox, send } = await started();
  await send("acme-tokn");
  const reply = async () => (await rejection(sandbox.waitForReply("9001", "Hi", { within: 20 }))).message;
  expect(await reply()).toContain(
    `: ${SEND} was refused: 401. Unknown token \`acme-tokn\`; use \`s1.acme-token\``,
  );
  await send("s1.acme-tokn");
  expect(await reply()).toContain("Unknown token `s1.acme-tokn`; use `s1.acme-token`");
  // There is nothing to say if any call matches.
  const two = { for: { requests: { status: 401 }, count: 2 }, timeoutMs: 20 };
  expect((await sim.control("POST /sandboxes/s1/wait", two)).body.why).toBeUndefined();
  // Nor about calls before the last reset.
  await sandbox.reset();
  expect(await reply()).not.toContain("Unknown token");
});

it("a scenario's report names it too", async () => {
  const { sim, send } = await started();
  const hook = await serverOf(async (_request, response) => {
    await send("acme-tokn");
    response.end();
  });
  const asked = "{ customer: Hello }, { delivered: message, within: 20s }";
  const text = `thread: "9001"\nwithin: 50ms\nsteps: [${asked}, { reply: Hi }]\n`;
  const { out } = await run(["run", scratch()("s.yaml", text), "--url", sim.url, "--hook", hook]);
  expect(out).toContain("nknown token `acme-tokn`; use `acme-token`");
});

it("a near miss shows its answer", async () => {
  const { sandbox, send } = await started();
  await sandbox.closeWindow("9001");
  const { body } = await send("s1.acme-token");
  const wait = sandbox.waitForReply("9001", "Hi", { within: 20 });
  await expect(wait).rejects.toThrow(`answered  ${JSON.stringify(body)}`);
});
