import { beforeEach, expect, it } from "vitest";
import { SimError } from "../../src/client/errors.js";
import { runScenario } from "../../src/scenarios/run.js";
import { read } from "../scenarios/support.js";
import { type Running, startSimulator } from "../support/simulator.js";

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator();
});

const scenario = (step: object) => ({ name: "A greeting", thread: "9001", steps: [step] });
const play = (given: object, sandbox = "default") =>
  sim.control(`POST /sandboxes/${sandbox}/scenarios/run`, { scenario: given });
const OK = { status: 200, body: { ok: true } };

it("a sandbox refuses a second scenario, but another one does not", async () => {
  const running = play(scenario({ delivered: "message", within: "60s" }));
  await expect.poll(() => sim.registry.default.scenarios.count).toBe(1);
  const second = scenario({ customer: "Too early" });
  const { status, body } = await play(second);
  const message = expect.stringContaining("another scenario is running in the sandbox default");
  expect([status, body.error.message]).toEqual([409, message]);
  expect((await sim.control("GET /data/messages?text=Too early")).body).toEqual([]);
  await sim.control("POST /sandboxes", { id: "s1" });
  expect(await play(second, "s1")).toMatchObject(OK);
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  expect(await running).toMatchObject(OK);
  expect(await play(second)).toMatchObject(OK);
});

it("a run that ends in the middle of a reset has a report, although the entry that it followed is gone", async () => {
  const details = "GET /api/get-customer-thread-details?customerThreadId=9001";
  for (let n = 0; n < 3; n += 1) await sim.api(details);
  const reset = async () => {
    await sim.control("POST /reset");
    throw new SimError("the run took longer than 1 ms", 409, "conflict");
  };
  const resets = await read({ thread: "9001", steps: [{ reset: true }, { customer: "Hello" }] });
  const { ok, steps, unexpected } = await runScenario(resets, { url: sim.url }, { reset });
  expect([ok, unexpected]).toEqual([false, []]);
  expect(steps).toMatchObject([{ ok: false, message: "the run took longer than 1 ms" }, { skipped: true }]);
});
