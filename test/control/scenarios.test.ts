import { beforeEach, expect, it } from "vitest";
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

it("a recording ends with its sandbox", async () => {
  await sim.control("POST /sandboxes", { id: "s1" });
  await sim.control("POST /sandboxes/s1/faults", { on: "delivery", then: { delayMs: 60_000 } });
  await sim.control("POST /sandboxes/s1/threads/9001/inbound", { text: "Hello" });
  const recording = sim.control("GET /sandboxes/s1/threads/9001/recording");
  // It waits for the delivery.
  await expect.poll(() => sim.registry.get("s1")?.openWaits, { interval: 1 }).toBe(1);
  await sim.control("DELETE /sandboxes/s1");
  const message = "the sandbox was reset or deleted during the call";
  expect(await recording).toMatchObject({ status: 409, body: { error: { message } } });
});
