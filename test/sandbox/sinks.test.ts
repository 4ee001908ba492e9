import { expect, it } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { Sinks } from "../../src/sandbox/sinks.js";

const CALL = { at: 1_000, method: "POST", path: "/", headers: { a: "1" }, text: null, isJson: false };

it("sinks are bounded in number: the least recently used one is removed", () => {
  const sinks = new Sinks(1);
  for (let i = 0; i < BOUNDS.sinks.limit; i += 1) sinks.receive(`sink${i}`, CALL);
  sinks.receive("sink0", CALL);
  sinks.set("new", { status: 500 });
  expect(sinks.names()).toHaveLength(BOUNDS.sinks.limit);
  expect([...sinks.received("sink1")]).toEqual([]);
  expect([...sinks.received("sink0")]).toHaveLength(1);
  expect(sinks.get("new").status).toBe(500);
});

it("sinks are listed once they were called or configured, not when they were only read", () => {
  const sinks = new Sinks(1);
  sinks.get("looked");
  [...sinks.received("looked")];
  sinks.set("set", {});
  sinks.receive("called", CALL);
  expect(sinks.names()).toEqual(["set", "called"]);
});
