import { describe, expect, it } from "vitest";
import { MAX_SINKS, Sinks } from "../../src/sandbox/sinks.js";
import { unbounded } from "./entries.js";

const shown = (body: unknown) => ({ at: 1_000, method: "POST", path: "/", headers: { a: "1" }, body });
/** The same as it comes in. */
const call = (body: unknown) => {
  const { body: _, ...parts } = shown(body);
  return { ...parts, text: body === null ? null : JSON.stringify(body), isJson: body !== null };
};
const received = (sinks: Sinks, name: string) => [...sinks.received(name)].map((each) => each.toJSON());

describe("sinks", () => {
  it("are bounded in number: the least recently used one is removed", () => {
    const sinks = new Sinks(1, unbounded());
    for (let i = 0; i < MAX_SINKS; i += 1) sinks.receive(`sink${i}`, call(i));
    sinks.receive("sink0", call("again"));
    sinks.set("new", { status: 500 });
    expect(sinks.names()).toHaveLength(MAX_SINKS);
    expect([...sinks.received("sink1")]).toEqual([]);
    expect([...sinks.received("sink0")]).toHaveLength(1);
    expect(sinks.get("new").status).toBe(500);
  });

  it("are listed once they were called or configured, not when they were only read", () => {
    const sinks = new Sinks(1, unbounded());
    sinks.get("looked");
    [...sinks.received("looked")];
    sinks.set("set", {});
    sinks.receive("called", call(1));
    expect(sinks.names()).toEqual(["set", "called"]);
  });

  it("keep bodies as received: parsed if they are JSON, else as text", () => {
    const sinks = new Sinks(10, unbounded());
    sinks.receive("demo", { ...call({ n: 1 }), text: '{ "n": 1 }' });
    sinks.receive("demo", { ...call(null), text: '{ "n": 1 ', isJson: false });
    expect(received(sinks, "demo").map(({ body }) => body)).toEqual([{ n: 1 }, '{ "n": 1 ']);
  });
});
