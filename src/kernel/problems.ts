import type { Path } from "./json.js";
import { joinedPath, pathText } from "./json.js";
import { printable } from "./printable.js";
import { MAX_LISTED, MORE } from "./words.js";

/** One problem of a value or a file, worded for its author. */
export interface Problem {
  file?: string;
  line?: number;
  /** Counted from 1, in UTF-16 code units. */
  column?: number;
  /** The path in the value, as {@link pathText} writes it: `threads[0].status`; empty for the whole value. */
  path: string;
  /** A phrase about the value at the path: `must be a string, but is a number`. */
  message: string;
  /** The problem is the key itself, not its value, and is located at the key. */
  onKey?: true;
}

/** A location in a text; lines and columns (in UTF-16 code units) start at 1. */
export interface Location {
  line: number;
  column: number;
}

/** Finds the line and column of an offset into a text, or of its end. */
export function locator(text: string): (offset: number) => Location {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStartsOf(text);
    const at = Math.min(offset, text.length);
    let [line, below] = [0, starts.length];
    while (below - line > 1) {
      const middle = (line + below) >>> 1;
      if ((starts[middle] ?? 0) <= at) line = middle;
      else below = middle;
    }
    return { line: line + 1, column: at - (starts[line] ?? 0) + 1 };
  };
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return starts;
}

export const problemAt = (path: Path, message: string): Problem => ({ path: pathText(path), message });

export const keyProblemAt = (path: Path, message: string): Problem => ({
  ...problemAt(path, message),
  onKey: true,
});

/** A problem of a part as a problem of the whole, where the part is at `base`. */
export const under = (base: Path, problem: Problem): Problem => ({
  ...problem,
  path: joinedPath(pathText(base), problem.path),
});

/** The first problems of the items; of further ones none is looked for, because finding them takes time. */
export function problemsOfFirst<T>(
  items: Iterable<T>,
  problemsOf: (item: T) => Iterable<Problem>,
): Problem[] {
  const listed: Problem[] = [];
  for (const item of items)
    for (const problem of problemsOf(item)) {
      if (listed.length === MAX_LISTED) return [...listed, { path: "", message: MORE }];
      listed.push(problem);
    }
  return listed;
}

/** One line: `file:line:column  path: message`, without unknown parts. */
export function formatProblem({ file, line, column, path, message }: Problem): string {
  const location = [file, line, column].filter((part) => part !== undefined).join(":");
  const text = path === "" ? message : `${path}: ${message}`;
  return printable(location === "" ? text : `${location}  ${text}`);
}

/** A file or value that cannot be used, with all of its problems. */
export class UnusableDocument extends Error {
  override readonly name = "UnusableDocument";

  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(formatProblem).join("\n"));
  }
}

export class LimitReached extends Error {
  override readonly name = "LimitReached";

  constructor(
    readonly of: "faults" | "waits" | "snapshots" | "streams" | "sandboxes",
    readonly limit: number,
  ) {
    super(`there are already ${limit} ${of}`);
  }
}
