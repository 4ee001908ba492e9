import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Path } from "../../src/kernel/json.js";
import {
  estimateBytes,
  MAX_DEPTH,
  parsePath,
  pathText,
  pointerPath,
  sizeFault,
} from "../../src/kernel/json.js";

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
  ["/a~1b/~01/~0", undefined, ["a/b", "~1", "~"]],
  ["/threads/12/3a/a3", undefined, ["threads", 12, "3a", "a3"]],
  ["/a/0/1", { a: [{ 1: null }] }, ["a", 0, "1"]],
  ["/0/1", { 0: "text" }, ["0", 1]],
  ["/a/7", { a: null }, ["a", 7]],
])("the JSON pointer %j into %j is %j: digits are positions if nothing is known", (text, value, expected) => {
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

describe("an estimate in bytes", () => {
  it("counts `{}` at 20 to 26 times its text", () => {
    const text = `[${"{},".repeat(1000)}{}]`;
    const times = estimateBytes(JSON.parse(text)) / text.length;
    expect([times > 20, times < 26]).toEqual([true, true]);
  });

  it("counts a text by its length, and null, undefined and booleans as nothing", () => {
    expect(estimateBytes("x".repeat(1000)) - 2_000).toBe(estimateBytes(""));
    expect(estimateBytes("")).toBeLessThan(100);
    expect([null, undefined, true].map(estimateBytes)).toEqual([0, 0, 0]);
  });

  it("adds up parts, with the same cost for each place", () => {
    const json = fc.jsonValue({ maxDepth: 2 });
    const place = estimateBytes([null]) - estimateBytes([]);
    const field = estimateBytes({ a: null }) - estimateBytes({});
    expect([place, field].every((bytes) => bytes > 0)).toBe(true);
    fc.assert(
      fc.property(fc.array(json), fc.dictionary(fc.string({ maxLength: 32 }), json), (items, fields) => {
        const sum = (values: unknown[]) =>
          values.reduce<number>((bytes, value) => bytes + estimateBytes(value), 0);
        expect(estimateBytes(items)).toBe(estimateBytes([]) + place * items.length + sum(items));
        const values = Object.values(fields);
        expect(estimateBytes(fields)).toBe(estimateBytes({}) + field * values.length + sum(values));
      }),
    );
  });

  it("counts names of fields that are longer than 32 characters", () => {
    const cost = (length: number) => estimateBytes({ ["n".repeat(length)]: null });
    expect(cost(32)).toBe(cost(1));
    expect(cost(33)).toBe(cost(1) + estimateBytes("n".repeat(33)));
  });

  it("counts more than eight bytes for a number", () => {
    expect(Math.min(...[1.5, -1e21, 2 ** 40].map(estimateBytes))).toBeGreaterThan(8);
  });
});
