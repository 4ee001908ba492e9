import { describe, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";

const fault = (more: object) => ({ on: "request", then: { status: 500 }, ...more });
const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));

describe("input that would multiply work", () => {
  it.each([
    ["POST /verify", { requests: {}, count: 1e12 }, "count"],
    ["POST /wait", { for: { requests: {}, count: 1e12 } }, "for"],
    ["POST /faults", fault({ times: 1e12 }), "times"],
    ["POST /faults", fault({ every: 1e12 }), "every"],
    ["POST /faults", fault({ then: { duplicate: 101 }, on: "delivery" }), "then"],
    ["POST /faults", fault({ then: { headers: { a: "x".repeat(10_000) } } }), "then"],
    [
      "POST /faults",
      fault({ then: { headers: Object.fromEntries(many(200, (n) => [`a${n}`, "x"])) } }),
      "then",
    ],
    ["PATCH /behaviour", { "delivery.attempts": 1e6 }, "delivery.attempts"],
    ["PATCH /behaviour", { "delivery.backoff": many(1e4, () => "1s") }, "delivery.backoff"],
    ["PATCH /behaviour", { "limits.rate": { requests: 1e12, per: "1s" } }, "limits.rate"],
    ["PATCH /behaviour", { "limits.textLength": 1e12 }, "limits.textLength"],
    ["PATCH /behaviour", { "window.channels": many(2e3, String) }, "window.channels"],
    ["PATCH /behaviour", { "cors.origins": ["x".repeat(2_000)] }, "cors.origins"],
    ["POST /scenarios/run", { scenario: { steps: many(10_001, () => ({ log: "x" })) } }, "steps"],
    [
      "POST /scenarios/run",
      { scenario: { steps: [{ repeat: { times: 1, steps: many(10_001, () => ({ log: "x" })) } }] } },
      "steps[0].repeat.steps",
    ],
    [
      "POST /scenarios/run",
      { scenario: { steps: [{ repeat: { times: 1e9, steps: [] } }] } },
      "steps[0].repeat.times",
    ],
    [
      "POST /data/messages",
      { threadId: "9001", fromCustomer: true, text: "x", timestamp: 9e15 },
      "timestamp",
    ],
  ])("is refused with its place: %s %o", async (call, body, path) => {
    const sim = await startSimulator();
    const before = (await sim.control("GET /state")).body;
    const { status, body: answer } = await sim.control(call, body);
    expect(status).toBe(400);
    expect(answer.error.details).toEqual([expect.objectContaining({ path: expect.stringContaining(path) })]);
    expect((await sim.control("GET /state")).body).toEqual(before);
  });
});
