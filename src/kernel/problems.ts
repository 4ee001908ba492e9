import type { Path } from "./json.js";
import { pathText } from "./json.js";
import { printable } from "./printable.js";
import { andMore, MAX_LISTED } from "./words.js";

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
  /** It stands for this many problems that are not listed. */
  more?: number;
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
  path: pathText(path),
  message,
  onKey: true,
});

/** A problem of a part as a problem of the whole, where the part is at `base`. */
export function under(base: Path, problem: Problem): Problem {
  const { path } = problem;
  return { ...problem, path: `${pathText(base)}${path === "" || path.startsWith("[") ? "" : "."}${path}` };
}

const moreProblems = (more: number): Problem => ({ path: "", message: andMore(more), more });

/** Collects problems: the first ones, and how many more there are. */
export class ProblemList {
  readonly #listed: (() => Problem)[] = [];
  readonly #isSearchEnded: boolean;
  #more = 0;

  /** `endsWhenFull`: whoever fills the list stops as soon as it `isFull`, so the number of further problems is unknown. */
  constructor({ endsWhenFull = false } = {}) {
    this.#isSearchEnded = endsWhenFull;
  }

  get isEmpty(): boolean {
    return this.#listed.length === 0;
  }

  get isFull(): boolean {
    return this.#more > 0;
  }

  /** `make` is called when the list is read, and only for problems that are listed. */
  add(make: () => Problem): void {
    if (this.#listed.length < MAX_LISTED) this.#listed.push(make);
    else this.#more += 1;
  }

  get all(): Problem[] {
    const listed = this.#listed.map((make) => make());
    const more = this.#isSearchEnded ? Number.POSITIVE_INFINITY : this.#more;
    return this.#more === 0 ? listed : [...listed, moreProblems(more)];
  }
}

/** The problems of the first items; the others are only counted, because finding their problems takes time. */
export function problemsOfFirst<T>(
  items: readonly T[],
  problemsOf: (item: T) => readonly Problem[],
): Problem[] {
  const listed = items.slice(0, MAX_LISTED).flatMap(problemsOf);
  return items.length > MAX_LISTED ? [...listed, moreProblems(items.length - MAX_LISTED)] : listed;
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
