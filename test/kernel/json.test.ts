import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Path } from "../../src/kernel/json.js";
import { jsonLength, MAX_DEPTH, parsePath, pathText, pointerPath, sizeFault } from "../../src/kernel/json.js";

const segment = fc.oneof(fc.nat(120), fc.constantFrom("a", "0", "12", "", "a.b", 'a"]', "é"), fc.string());
const path = fc.array(segment, { maxLength: 5 });

describe("a path as text", () => {
  it.each<[Path, string]>([
    [[], ""],
    [["threads", 0, "status"], "threads[0].status"],
    [[12], "[12]"],
    [["window.duration", "value"], '["window.duration"].value'],
    [["a", "0"], 'a["0"]'],
    [["x-ref", "$id", "é1", "_"], "x-ref.$id.é1._"],
    [["-a", "1a", "a b", ""], '["-a"]["1a"]["a b"][""]'],
  ])("of %j is %j", (value, text) => {
    expect(pathText(value)).toBe(text);
  });

  it("can be parsed again, whatever the keys", () => {
    fc.assert(fc.property(path, (value) => void expect(parsePath(pathText(value))).toEqual(value)));
  });
});

it.each<[string, unknown, Path]>([
  ["", [1], []],
  ["/a~1b/~01/~0", {}, ["a/b", "~1", "~"]],
  ["/threads/1/3a", { threads: [0, { "3a": 1 }] }, ["threads", 1, "3a"]],
  ["/a/0/1", { a: [{ 1: null }] }, ["a", 0, "1"]],
  ["/0/1", { 0: { 1: "text" } }, ["0", "1"]],
])("the JSON pointer %j into %j is %j", (text, value, expected) => {
  expect(pointerPath(text, value)).toEqual(expected);
});

const nested = (depth: number, open = "[", close = "]", inner = "1") =>
  open.repeat(depth) + inner + close.repeat(depth);

describe("a JSON text", () => {
  const faultAt = (text: string) => sizeFault(text)?.offset;

  it.each([
    ["arrays", "[", "]"],
    ["objects", '{"a":', "}"],
    ["objects in arrays", '[{"a":', "}]"],
  ])("is refused where %s are nested too deeply", (_, open, close) => {
    const most = MAX_DEPTH / close.length;
    expect(faultAt(nested(most, open, close))).toBeUndefined();
    expect(faultAt(` ${nested(most, open, close, "[]")}`)).toBe(1 + most * open.length);
  });

  it("may have any number of brackets on one level", () => {
    expect(faultAt(`[${"[],{},".repeat(1_000)}1]`)).toBeUndefined();
  });

  it("ignores brackets in its strings", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[{]}"\\a') }), (text) => {
        const json = JSON.stringify({ [text]: [text.repeat(50)] });
        expect(faultAt(json)).toBeUndefined();
        expect(faultAt(`[${json},${nested(MAX_DEPTH)}]`)).toBe(json.length + 1 + MAX_DEPTH);
      }),
    );
  });

  it.each(['"[[', '"\\"[', '["', "\\"])("may be invalid: %s", (text) => {
    expect(faultAt(text + "[".repeat(10))).toBeUndefined();
    expect(faultAt(`"${text}`)).toBeUndefined();
  });
});

it.each<[unknown, number]>([
  [{ a: [1, "é"] }, '{"a":[1,"é"]}'.length],
  [null, 4],
  [undefined, 0],
])("the length of %j as JSON is %i", (value, length) => {
  expect(jsonLength(value)).toBe(length);
});
