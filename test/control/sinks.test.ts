import { beforeEach, expect, it } from "vitest";
import { nextTurn } from "../../src/kernel/realtime.js";
import { type OpenSandbox, openSandbox, startSimulator } from "../support/simulator.js";
import { idsOf } from "./support.js";

const AT = Date.parse("2026-01-01T09:00:00Z");

let sim: OpenSandbox;
beforeEach(async () => {
  sim = await openSandbox({ clock: AT });
});
const received = (query = "") => sim.control(`GET /sinks/mine/received${query}`);

it("a sink records what it receives", async () => {
  const call = "POST /sinks/mine?x=1";
  const answer = await sim.control(call, { eventType: "message" }, { "x-own": "yes" });
  expect([answer.status, answer.body]).toEqual([200, ""]);
  await sim.control("DELETE /sinks/mine");
  await sim.control("POST /sinks/mine", "plain text", { "content-type": "text/plain" });
  const first = { id: "k1", at: AT, method: "POST", body: { eventType: "message" } };
  expect((await received()).body).toMatchObject([
    { ...first, path: `/__sim/sandboxes/${sim.id}/sinks/mine`, headers: { "x-own": "yes" } },
    { id: "k2", method: "DELETE", body: null },
    { id: "k3", body: "plain text" },
  ]);
  expect(idsOf(await received("?since=k1"))).toEqual(["k2", "k3"]);
  expect((await sim.control("GET /sinks/other/received")).body).toEqual([]);
});

it("a sink answers as configured", async () => {
  const settings = { status: 503, delayMs: 30, body: { error: "later" } };
  expect(await sim.control("PUT /sinks/mine", settings)).toMatchObject({ status: 200, body: settings });
  const start = performance.now();
  const answer = await sim.control("POST /sinks/mine", {});
  expect([answer.status, answer.body]).toEqual([503, { error: "later" }]);
  expect(performance.now() - start).toBeGreaterThan(28);
  expect((await sim.control("PUT /sinks/mine", {})).body).toEqual({ status: 200, delayMs: 0, body: null });
});

it("a sink refuses bodies over the limit", async () => {
  const { status, body } = await sim.control("POST /sinks/mine", JSON.stringify("x".repeat(1024 * 1024)));
  expect([status, body.error.code]).toEqual([413, "too-large"]);
  expect((await received()).body).toEqual([]);
});

it("a sink receives no delivery from before a reset, and later ones", async () => {
  const { control, registry } = await startSimulator();
  const received = async () => (await control("GET /sinks/demo/received")).body;
  const turns = async (count: number) => {
    for (let at = 0; at < count; at += 1) await nextTurn();
  };
  for (let later = 0; later < 12; later += 1) {
    await control("POST /threads/9001/inbound", { text: "lost" });
    await turns(later % 4);
    registry.default.reset();
    await turns(30);
    expect([later, await received()]).toEqual([later, []]);
  }
  await control("POST /threads/9001/inbound", { text: "found" });
  await control("POST /wait", { for: "idle" });
  expect(await received()).toMatchObject([{ body: { data: { messageBody: "found" } } }]);
});
