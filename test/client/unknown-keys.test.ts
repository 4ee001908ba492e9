import { expect, it } from "vitest";
import { SimClient } from "../../src/client/index.js";
import { run } from "../cli/terminal.js";
import { receiver, scratch } from "../scenarios/support.js";
import { rejection } from "../support/client.js";
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

it("a wait without matches lists calls with unknown keys and suggests the right one", async () => {
  const { sandbox, send } = await started();
  await send("acme-tokn");
  await send("s1.acme-tokn");
  const { message } = await rejection(sandbox.waitForReply("9001", "Hi", { within: 20 }));
  expect(message).toContain(
    `1 call to sandbox s1 had no valid API key; the newest was ${SEND} → 401 with the API key "s1.acme-tokn": did you mean "s1.acme-token"?`,
  );
  expect(message).toContain("1 call to sandbox default had no valid API key");
  expect(message).toContain('with the API key "acme-tokn": did you mean');
  // There are no hints if any call matches.
  const two = sandbox.waitForRequests({ status: 401 }, 2, { within: 20 });
  await expect(two).rejects.not.toThrow("no valid API key");
  // Nor are there any about calls before the last reset.
  await sandbox.reset();
  const again = sandbox.waitForReply("9001", "Hi", { within: 20 });
  await expect(again).rejects.not.toThrow('API key "s1.');
});

it("a scenario's report lists them too", async () => {
  const { sim, send } = await started();
  const hook = await receiver(async () => void (await send("acme-tokn")));
  const text = 'thread: "9001"\nwithin: 300ms\nsteps: [{ customer: Hello }, { reply: Hi }]\n';
  const { out } = await run(["run", scratch()("s.yaml", text), "--url", sim.url, "--hook", hook]);
  expect(out).toContain('with the API key "acme-tokn": did you mean "acme-token"?');
});

it("a near miss shows its answer", async () => {
  const { sandbox, send } = await started();
  await sandbox.closeWindow("9001");
  const { body } = await send("s1.acme-token");
  const wait = sandbox.waitForReply("9001", "Hi", { within: 20 });
  await expect(wait).rejects.toThrow(`answered  ${JSON.stringify(body)}`);
});
