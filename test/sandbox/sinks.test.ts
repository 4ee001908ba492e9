import { expect, it } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { Sinks } from "../../src/sandbox/sinks.js";

const CALL = { at: 1_000, method: "POST", path: "/", headers: { a: "1" }, body: null };

it("sinks are bounded in number: the least recently used one is removed", () => {
  const sinks = new Sinks(1);
  for (let i = 0; i < BOUNDS.sinks.limit; i += 1) sinks.receive(`sink${i}`, CALL);
  sinks.receive("sink0", CALL);
  sinks.set("new", { status: 500 });
  expect([...sinks.received("sink1").from()]).toEqual([]);
  expect([...sinks.received("sink0").from()]).toHaveLength(1);
  expect(sinks.get("new").status).toBe(500);
});
