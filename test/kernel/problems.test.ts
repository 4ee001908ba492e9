import { describe, expect, it, vi } from "vitest";
import type { Path } from "../../src/kernel/json.js";
import {
  formatProblem,
  type Problem,
  problemAt,
  problemsOfFirst,
  UnusableDocument,
  under,
} from "../../src/kernel/problems.js";

describe("a problem", () => {
  it.each<[Path, string, string]>([
    [["threads", 3], "status", "threads[3].status"],
    [["threads", 3], "", "threads[3]"],
    [["threads"], "[3].status", "threads[3].status"],
    [["threads"], '["a b"]', 'threads["a b"]'],
  ])("below %j: %j becomes %j", (base, path, expected) => {
    const problem: Problem = { file: "x", path, message: "is missing", onKey: true };
    expect(under(base, problem)).toStrictEqual({ ...problem, path: expected });
  });

  it.each<[Problem, string]>([
    [{ path: "", message: "is empty" }, "is empty"],
    [{ path: "a", message: "is empty" }, "a: is empty"],
    [{ file: "x.json", path: "a", message: "is empty" }, "x.json  a: is empty"],
    [{ file: "x.json", line: 1, column: 2, path: "", message: "is empty" }, "x.json:1:2  is empty"],
    [{ line: 3, column: 4, path: "a", message: "is empty" }, "3:4  a: is empty"],
  ])("%j is formatted as %j", (problem, text) => {
    expect(formatProblem(problem)).toBe(text);
  });

  it("has a line of its own in the error of an unusable document", () => {
    const problems = ["a", "b"].map((key) => problemAt([key], "is missing"));
    expect(String(new UnusableDocument(problems))).toBe("UnusableDocument: a: is missing\nb: is missing");
  });
});

describe("a list of problems", () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
  const listed = upTo(100).map((index) => problemAt([index], "is wrong"));

  it.each([
    [0, listed.slice(0, 0)],
    [3, listed.slice(0, 3)],
    [100, listed],
    [103, [...listed, { path: "", message: "and more, which are not listed" }]],
  ])("has the first hundred of %i, and says that there are more", (count, all) => {
    expect(problemsOfFirst(upTo(count), (index) => [problemAt([index], "is wrong")])).toEqual(all);
  });

  it("looks for no more problems than it lists", () => {
    const make = vi.fn(() => [problemAt([], "is wrong")]);
    expect(problemsOfFirst(upTo(150), make)).toHaveLength(101);
    expect(make).toHaveBeenCalledTimes(101);
  });
});
