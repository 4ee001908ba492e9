import { describe, expect, it } from "vitest";
import { MAX_SINKS, Sinks } from "../../src/sandbox/sinks.js";

const call = (body: unknown) => ({ at: 1_000, method: "POST", path: "/", headers: { a: "1" }, body });

describe("sinks", () => {
  it("answer 200 unless they are told otherwise", () => {
    const sinks = new Sinks(10);
    expect(sinks.get("demo")).toEqual({ status: 200, delayMs: 0, body: null });
    expect(sinks.set("demo", { status: 503 })).toEqual({ status: 503, delayMs: 0, body: null });
    expect(sinks.get("demo")).toEqual({ status: 503, delayMs: 0, body: null });
    sinks.set("demo", { delayMs: 5, body: { ok: true } });
    expect(sinks.get("demo")).toEqual({ status: 200, delayMs: 5, body: { ok: true } });
    expect(sinks.get("other")).toEqual({ status: 200, delayMs: 0, body: null });
  });

  it("keep what they receive, each its own, oldest first, with ids of one sequence", () => {
    const sinks = new Sinks(10);
    expect(sinks.received("demo")).toEqual([]);
    expect(sinks.receive("demo", call("one"))).toEqual({ id: "k1", ...call("one") });
    sinks.receive("other", call("two"));
    sinks.receive("demo", call(null));
    expect(sinks.received("demo")).toEqual([
      { id: "k1", ...call("one") },
      { id: "k3", ...call(null) },
    ]);
    expect(sinks.received("other").map(({ id }) => id)).toEqual(["k2"]);
  });

  it("keep their settings when they receive, and what they received when they are set", () => {
    const sinks = new Sinks(10);
    sinks.set("demo", { status: 500 });
    sinks.receive("demo", call(1));
    expect(sinks.get("demo").status).toBe(500);
    sinks.set("demo", { status: 204 });
    expect(sinks.received("demo")).toHaveLength(1);
  });

  it("forget their oldest calls beyond the limit, each for itself", () => {
    const sinks = new Sinks(3);
    for (let i = 1; i <= 5; i += 1) sinks.receive("busy", call(i));
    sinks.receive("quiet", call("still here"));
    expect(sinks.received("busy").map(({ body }) => body)).toEqual([3, 4, 5]);
    expect(sinks.received("quiet")).toHaveLength(1);
  });

  it("are bounded in number: the one that was quiet longest goes", () => {
    const sinks = new Sinks(1);
    for (let i = 0; i < MAX_SINKS; i += 1) sinks.receive(`sink${i}`, call(i));
    sinks.receive("sink0", call("again"));
    sinks.set("new", { status: 500 });
    expect(sinks.names()).toHaveLength(MAX_SINKS);
    expect(sinks.received("sink1")).toEqual([]);
    expect(sinks.received("sink0")).toHaveLength(1);
    expect(sinks.get("new").status).toBe(500);
  });

  it("are known by name once they were called or set, not when they were only looked at", () => {
    const sinks = new Sinks(1);
    sinks.get("looked");
    sinks.received("looked");
    sinks.set("set", {});
    sinks.receive("called", call(1));
    expect(sinks.names()).toEqual(["set", "called"]);
  });
});
