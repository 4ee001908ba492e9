import { describe, expect, it } from "vitest";
import {
  escaped,
  fillIn,
  partOf,
  type readReference,
  referencesIn,
} from "../../src/scenarios/placeholders.js";

const values: Record<string, unknown> = { thread: "9001", a: { body: { items: [{ id: 7 }], ok: true } } };
const resolve = ({ name, path, isParam }: ReturnType<typeof readReference>) =>
  isParam ? `param ${name}` : partOf(values[name], path);

describe("fillIn", () => {
  it.each([
    ["${thread}", "9001"],
    ["${a.body.items[0].id}", 7],
    ["${a.body}", { items: [{ id: 7 }], ok: true }],
    ["id ${a.body.items[0].id} of ${thread}", "id 7 of 9001"],
    ["all: ${a.body.items}", 'all: [{"id":7}]'],
    ["${param:answer}", "param answer"],
    ["$${thread} stays", "${thread} stays"],
    ["$5 and {thread}", "$5 and {thread}"],
    [{ list: ["${thread}", 1, null] }, { list: ["9001", 1, null] }],
  ])("makes of %j", (value, filled) => {
    expect(fillIn(value, resolve)).toEqual(filled);
  });

  it("leaves everything but parameters to a later pass, escapes too", () => {
    const first = fillIn("${param:x} ${thread} $${thread}", resolve, true);
    expect(first).toBe("param x ${thread} $${thread}");
    expect(fillIn(first, resolve)).toBe("param x 9001 ${thread}");
  });

  it("does not read a parameter's value as a placeholder", () => {
    const first = fillIn("${param:x}", () => escaped("${thread}"), true);
    expect(fillIn(first, resolve)).toBe("${thread}");
  });
});

it("finds every reference with its place", () => {
  expect(referencesIn({ a: ["x ${b.c[0]} ${param:d}"], e: "$${f}" })).toEqual([
    { text: "b.c[0]", name: "b", isParam: false, path: ["c", 0], at: ["a", 0] },
    { text: "param:d", name: "d", isParam: true, path: [], at: ["a", 0] },
  ]);
});

it("finds nothing beyond scalars and own properties", () => {
  expect(partOf({ a: "text" }, ["a", "length"])).toBeUndefined();
  expect(partOf({ a: {} }, ["a", "constructor"])).toBeUndefined();
  expect(partOf(undefined, ["a"])).toBeUndefined();
});
