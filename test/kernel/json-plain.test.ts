/** A JSON text is gone through sign by sign only where its value cannot say that no key comes twice and how deep it goes. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { depthFault } from "../../src/kernel/json-depth.js";
import { scanJson } from "../../src/kernel/json-scan.js";
import { readJson } from "../../src/kernel/json-text.js";

vi.mock("../../src/kernel/json-depth.js", { spy: true });
vi.mock("../../src/kernel/json-scan.js", { spy: true });
beforeEach(() => vi.clearAllMocks());

const levels = (depth: number, inner: string, [open, close]: readonly [string, string]) =>
  open.repeat(depth) + inner + close.repeat(depth);
const OBJECTS = ['{"a":', "}"] as const;

function read(text: string): { value: unknown; duplicateKeys: unknown } {
  const parsed = readJson(text);
  if (parsed.problems !== undefined) throw new Error(parsed.problems[0]?.message);
  return { value: parsed.value, duplicateKeys: parsed.duplicateKeys() };
}

describe("a plain text", () => {
  it.each([
    "null",
    "5",
    '"a"',
    "[]",
    "{}",
    '{"a":null}',
    '[null,{"a":[null]}]',
    '{"a":1,"b":{"c":2,"d":{"e":[]}},"f":3}',
    '[{"a":1},{"a":2},[{"b":[{"c":3}]}]]',
    '{"a" : 1, "b"\n\t:\r\n2}',
    '{"a: b": "c: d", "": "e:f"}',
    levels(200, "1", OBJECTS),
    levels(200, "1", ["[", "]"]),
  ])("is only parsed: %s", (text) => {
    expect(read(text)).toEqual({ value: JSON.parse(text), duplicateKeys: [] });
    expect(depthFault).not.toHaveBeenCalled();
    expect(scanJson).not.toHaveBeenCalled();
  });
});

describe("a text that may have a key twice, or goes deep", () => {
  it.each(['{"a":1,"a":2}', '[{"a":{"b":1,"b":2}}]', '{"a":"\\":"}'])("is gone through: %s", (text) => {
    expect(read(text).value).toEqual(JSON.parse(text));
    expect(depthFault).toHaveBeenCalledTimes(1);
    expect(scanJson).toHaveBeenCalledTimes(1);
  });

  it.each([levels(201, "1", OBJECTS), levels(201, "1", ["[", "]"]), levels(101, "1", ['[{"a":', "}]"])])(
    "is refused where it goes too deep: %s",
    (text) => {
      expect(() => read(text)).toThrow("must not be nested deeper than 200 levels");
    },
  );
});

it("of the parts of a text, each that was asked for has its place, and nothing else", () => {
  const parts = [{ path: ["a"] }, { path: ["a"], onKey: true }, { path: ["b", 0] }];
  expect(Object.entries(scanJson('{"a":1,"b":[2]}', parts).offsets)).toEqual([
    ["0", 5],
    ["1", 1],
    ["2", 12],
  ]);
  expect(scanJson("{}").offsets).toEqual([]);
});
