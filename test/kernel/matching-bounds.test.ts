/** The bounds of patterns, of comparing, and of differences. */
import { describe, expect, it, vi } from "vitest";
import { CostlyMatch, MatchBudget } from "../../src/kernel/linear-regex.js";
import { differences, matches, patternProblems } from "../../src/kernel/matching.js";

const list = (length: number): unknown[] => Array.from({ length }, (_, index) => index);
/** A value wrapped this many times. */
function nested(depth: number, wrap: (inner: unknown) => unknown, inner: unknown = 1): unknown {
  let value = inner;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

describe("a pattern", () => {
  it.each([
    ["in a list", (count: number) => list(count - 1)],
    ["in an object", (count: number) => Object.fromEntries(list(count - 1).map((key) => [`k${key}`, null]))],
    ["in several lists", (count: number) => [list(5_000), { a: list(count - 5_004) }]],
  ])("has at most 10,000 values, itself included, %s", (_, make) => {
    expect(patternProblems(make(10_000))).toEqual([]);
    const message = "must not hold more than 10000 values";
    expect(patternProblems(make(10_001))).toEqual([{ path: "", message }]);
  });

  it.each([
    ["lists", (inner: unknown) => [inner]],
    ["objects", (inner: unknown) => ({ inner })],
    ["lists of which one goes on", (inner: unknown) => [null, inner, 1]],
  ])("is nested at most 50 levels deep, in %s", (_, wrap) => {
    expect(patternProblems(nested(50, wrap), "match")).toEqual([]);
    const message = "must not be nested deeper than 50 levels";
    expect(patternProblems(nested(51, wrap), "match")).toEqual([{ path: "match", message }]);
  });

  it("may nest operators, and is refused at once if it is far too deep", () => {
    const negated = (times: number) => nested(times, (inner) => ({ $not: inner }), "x");
    expect([matches(negated(99), "x"), matches(negated(100), "x")]).toEqual([false, true]);
    expect(patternProblems(nested(100_000, (inner) => [inner]))).toHaveLength(1);
  });
});

describe("comparing", () => {
  const numbers = { $oneOf: list(9_000).map((at) => ({ a: `no ${at}` })) };
  it.each<[string, unknown, unknown]>([
    ["values", { a: { $not: { $oneOf: Array(170).fill(numbers) } } }, { a: { a: 1 } }],
    ["a part that is nearly there", { $contains: `${"a".repeat(9_000)}b` }, "a".repeat(900_000)],
    ["expressions", { $oneOf: list(9).map((at) => ({ $regex: `^(a?b?){990}$|${at}` })) }, "ab".repeat(900)],
  ])("throws if it takes too long: %s", (_, pattern, value) => {
    expect(() => differences(pattern, value)).toThrow(CostlyMatch);
  });

  it("throws before it parses a body of too many parts", () => {
    const budget = new MatchBudget();
    expect(budget.parse(`[${"{},".repeat(50_000)}0]`)).toHaveLength(50_001);
    expect(() => budget.parse(`[${"{},".repeat(300_000)}0]`)).toThrow(CostlyMatch);
  });

  it("compiles a limited number of expressions", () => {
    const of = (count: number) => ({ $oneOf: list(count).map((at) => ({ $regex: `a{900}${at}` })) });
    expect(patternProblems(of(22), "match")).toEqual([]);
    const message = "has regular expressions that repeat too much";
    expect(patternProblems(of(23), "match")).toEqual([{ path: "match", message }]);
  });
});

describe("differences", () => {
  it("are limited to a hundred, or to the given number", () => {
    const [pattern, value] = [list(300), list(300).map(String)];
    const paths = (most?: number) => differences(pattern, value, "", most).map(({ path }) => path);
    expect(paths()).toEqual(list(100).map((index) => `[${index}]`));
    expect(paths(3)).toEqual(["[0]", "[1]", "[2]"]);
    expect(paths(300)).toHaveLength(300);
  });

  it("are limited over all parts together", () => {
    const pattern = { a: [1, 2], b: { c: 3, d: [4, 5] }, e: 6 };
    const value = { a: [0, 0], b: { c: 0, d: [0, 0] }, e: 0 };
    const all = ["a[0]", "a[1]", "b.c", "b.d[0]", "b.d[1]", "e"];
    for (const most of [1, 2, 3, 4, 5, 6, 7])
      expect(differences(pattern, value, "", most).map(({ path }) => path)).toEqual(all.slice(0, most));
  });

  it("end at the first one if only a match is asked for", () => {
    const later = vi.fn(() => 1);
    const pattern = { a: 1, b: { $gt: 1 } };
    const value = Object.defineProperty({ a: 2 }, "b", { get: later, enumerable: true });
    expect(matches(pattern, value)).toBe(false);
    expect(later).not.toHaveBeenCalled();
  });
});

it.each<[unknown, unknown, path: string, expected: unknown, seen: unknown]>([
  [[{ $gt: 1, $lt: 0 }], [5], "body[0]", { $gt: 1, $lt: 0 }, 5],
  [{ a: [1] }, { a: [1, 2] }, "body.a", [1], [1, 2]],
  [{ a: { b: 1 } }, { a: 1 }, "body.a", { b: 1 }, 1],
])("%j makes one difference in %j, at %s", (pattern, value, path, expected, seen) => {
  expect(differences(pattern, value, "body")).toEqual([{ path, expected, seen }]);
});
