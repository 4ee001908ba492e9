import { describe, expect, it } from "vitest";
import type { Path } from "../../src/kernel/path.js";
import {
  formatProblem,
  keyProblemAt,
  type Problem,
  problemAt,
  UnusableDocument,
  under,
} from "../../src/kernel/problems.js";

describe("a problem", () => {
  it("stands at a value or at its key", () => {
    const problem = { path: 'a[0]["b c"]', message: "is missing" };
    expect(problemAt(["a", 0, "b c"], "is missing")).toStrictEqual(problem);
    expect(keyProblemAt(["a", 0, "b c"], "is missing")).toStrictEqual({ ...problem, onKey: true });
  });

  it.each<[Path, string, string]>([
    [["threads", 3], "status", "threads[3].status"],
    [["threads", 3], "", "threads[3]"],
    [["threads"], "[3].status", "threads[3].status"],
    [["threads"], '["a b"]', 'threads["a b"]'],
  ])("of a part at %j: %j is one of the whole at %j", (base, path, expected) => {
    const problem: Problem = { file: "x", path, message: "is missing", onKey: true };
    expect(under(base, problem)).toStrictEqual({ ...problem, path: expected });
  });

  it.each<[Problem, string]>([
    [{ path: "", message: "is empty" }, "is empty"],
    [{ path: "a", message: "is empty" }, "a: is empty"],
    [{ file: "x.json", path: "a", message: "is empty" }, "x.json  a: is empty"],
    [{ file: "x.json", line: 1, column: 2, path: "", message: "is empty" }, "x.json:1:2  is empty"],
    [{ line: 3, column: 4, path: "a", message: "is empty" }, "3:4  a: is empty"],
  ])("%j is written %j", (problem, text) => {
    expect(formatProblem(problem)).toBe(text);
  });

  it("makes with all others a document unusable", () => {
    const problems = [problemAt(["a"], "is missing"), problemAt(["b"], "is empty")];
    const error = new UnusableDocument(problems);
    expect(String(error)).toBe("UnusableDocument: a: is missing\nb: is empty");
    expect(error.problems).toBe(problems);
  });
});
