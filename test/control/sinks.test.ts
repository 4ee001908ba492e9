import { describe, expect, it } from "vitest";
import { openSandbox, startSimulator } from "../support/simulator.js";

const AT = Date.parse("2026-01-01T09:00:00Z");

describe("a sink", () => {
  it("records what it receives", async () => {
    const { control } = await startSimulator({ clock: AT });
    const answer = await control("POST /sinks/mine?x=1", { eventType: "message" }, { "x-own": "yes" });
    expect([answer.status, answer.body]).toEqual([200, ""]);
    await control("DELETE /sinks/mine");
    await control("POST /sinks/mine", "plain text", { "content-type": "text/plain" });
    const { body } = await control("GET /sinks/mine/received");
    expect(body).toEqual([
      expect.objectContaining({
        id: "k1",
        at: AT,
        method: "POST",
        path: "/__sim/sinks/mine",
        body: { eventType: "message" },
      }),
      expect.objectContaining({ id: "k2", method: "DELETE", body: null }),
      expect.objectContaining({ id: "k3", body: "plain text" }),
    ]);
    expect(body[0].headers["x-own"]).toBe("yes");
    expect((await control("GET /sinks/other/received")).body).toEqual([]);
  });

  it("lists what came after a call", async () => {
    const { control } = await openSandbox();
    for (const text of ["a", "b", "c"]) await control("POST /sinks/mine", { text });
    const { body } = await control("GET /sinks/mine/received?since=k1");
    expect(body.map(({ id }: { id: string }) => id)).toEqual(["k2", "k3"]);
  });

  it("answers as configured", async () => {
    const { control } = await openSandbox();
    const set = await control("PUT /sinks/mine", { status: 503, delayMs: 30, body: { error: "later" } });
    expect([set.status, set.body]).toEqual([200, { status: 503, delayMs: 30, body: { error: "later" } }]);
    const start = performance.now();
    const answer = await control("POST /sinks/mine", {});
    expect([answer.status, answer.body]).toEqual([503, { error: "later" }]);
    expect(performance.now() - start).toBeGreaterThan(28);
    expect((await control("PUT /sinks/mine", {})).body).toEqual({ status: 200, delayMs: 0, body: null });
  });

  it("refuses bodies over the limit", async () => {
    const { control } = await openSandbox();
    const { status, body } = await control("POST /sinks/mine", JSON.stringify("x".repeat(1024 * 1024)));
    expect([status, body.error.code]).toEqual([413, "too-large"]);
    expect((await control("GET /sinks/mine/received")).body).toEqual([]);
  });
});
