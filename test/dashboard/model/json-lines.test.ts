import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonChanges, jsonLines } from "../../../dashboard/src/parts/json-lines";

const NONE: ReadonlySet<string> = new Set();
const textOf = (value: unknown, folded = NONE, max = Number.POSITIVE_INFINITY) =>
  jsonLines(value, folded, max)
    .lines.map(({ indent, key, text }) => indent + key + text)
    .join("\n");

it("the lines of a JSON value are those of JSON.stringify, and cut where that is cut", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(200), (value, max) => {
      const text = JSON.stringify(value, null, 2);
      expect(textOf(value)).toBe(text);
      expect(textOf(value, NONE, max)).toBe(text.slice(0, max));
      expect(jsonLines(value, NONE, text.length + 1).isWhole).toBe(true);
    }),
  );
});

it("the lines of a JSON value leave out what is folded", () => {
  const value = { a: { b: [1, 2], c: 3 }, "d/e~": [{ f: null }] };
  expect(textOf(value, new Set(["/a"]))).toBe(
    '{\n  "a": { 2 … },\n  "d/e~": [\n    {\n      "f": null\n    }\n  ]\n}',
  );
  expect(textOf(value, new Set(["/a/b", "/d~1e~0/0"]))).toBe(
    '{\n  "a": {\n    "b": [ 2 … ],\n    "c": 3\n  },\n  "d/e~": [\n    { 1 … }\n  ]\n}',
  );
});

it("the lines of a JSON value have an end, however deep a value is", () => {
  const deep = JSON.parse(`${"[".repeat(3_000)}${"]".repeat(3_000)}`);
  expect(jsonLines(deep, NONE, 20_000).lines.length).toBeLessThan(130);
  expect(jsonChanges(deep, [], 10)).toHaveLength(1);
});

it.each([
  [{ a: 1 }, { a: 1 }, []],
  [{ a: 1 }, { a: 2 }, [{ path: "/a", from: 1, to: 2 }]],
  [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }, [{ path: "/a/c", from: 2, to: undefined }]],
  [{}, { a: [1] }, [{ path: "/a", from: undefined, to: [1] }]],
  [[1], [2], [{ path: "/0", from: 1, to: 2 }]],
  [[1], [1, 3], [{ path: "/1", from: undefined, to: 3 }]],
  [{ a: [] }, { a: {} }, [{ path: "/a", from: [], to: {} }]],
  ["text", { a: 1 }, [{ path: "", from: "text", to: { a: 1 } }]],
  [null, null, []],
])("the changes between two JSON values %j, %j", (from, to, changes) => {
  expect(jsonChanges(from, to, 10)).toEqual(changes);
});

it("the changes between two JSON values are bounded", () => {
  const numbers = Array.from({ length: 1_000 }, (_, at) => at);
  expect(jsonChanges(numbers, numbers.toReversed(), 20)).toHaveLength(20);
});
