import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Path } from "../../src/kernel/json.js";
import { parsePath, pathText, pointerPath } from "../../src/kernel/json.js";

const segment = fc.oneof(
  fc.nat(120),
  fc.constantFrom("a", "status", "0", "12", "", "a.b", 'a"]', "é"),
  fc.string(),
);
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
