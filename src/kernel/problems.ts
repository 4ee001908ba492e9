import type { Path } from "./json.js";
import { pathText } from "./json.js";
import { printable } from "./printable.js";
import { andMore, MAX_LISTED } from "./words.js";

/** One thing that is wrong with a value or a file, said to whoever wrote it. */
export interface Problem {
  file?: string;
  line?: number;
  /** Counted from 1, in UTF-16 code units. */
  column?: number;
  /** Where in the value, as {@link pathText} writes it: `threads[0].status`; empty for the value as a whole. */
  path: string;
  /** A phrase about what stands at the path: `must be a string, but is a number`. */
  message: string;
  /** The key itself is at fault, not its value: the problem is located at the key. */
  onKey?: true;
  /** It stands for so many that are not listed. */
  more?: number;
}

export const problemAt = (path: Path, message: string): Problem => ({ path: pathText(path), message });

export const keyProblemAt = (path: Path, message: string): Problem => ({
  path: pathText(path),
  message,
  onKey: true,
});

/** A problem of a part, as a problem of the whole in which that part stands at `base`. */
export function under(base: Path, problem: Problem): Problem {
  const { path } = problem;
  return { ...problem, path: `${pathText(base)}${path === "" || path.startsWith("[") ? "" : "."}${path}` };
}

const moreProblems = (more: number): Problem => ({ path: "", message: andMore(more), more });

/** Problems as they are found: the first of them, and how many there are beyond. */
export class ProblemList {
  readonly #listed: (() => Problem)[] = [];
  readonly #isSearchEnded: boolean;
  #more = 0;

  /** `endsWhenFull`: whoever fills the list stops when it `isFull`, so that nobody knows how many more there are. */
  constructor({ endsWhenFull = false } = {}) {
    this.#isSearchEnded = endsWhenFull;
  }

  get isEmpty(): boolean {
    return this.#listed.length === 0;
  }

  get isFull(): boolean {
    return this.#more > 0;
  }

  /** `make` is called when the list is read, and for none that is not listed. */
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

/** The problems of the first items; the others are only counted, because looking for problems takes time. */
export function problemsOfFirst<T>(
  items: readonly T[],
  problemsOf: (item: T) => readonly Problem[],
): Problem[] {
  const listed = items.slice(0, MAX_LISTED).flatMap(problemsOf);
  return items.length > MAX_LISTED ? [...listed, moreProblems(items.length - MAX_LISTED)] : listed;
}

/** One line: `file:line:column  path: message`, without what is not known. */
export function formatProblem({ file, line, column, path, message }: Problem): string {
  const location = [file, line, column].filter((part) => part !== undefined).join(":");
  const text = path === "" ? message : `${path}: ${message}`;
  return printable(location === "" ? text : `${location}  ${text}`);
}

/** A file or value that nothing was made of, with all that is wrong with it. */
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
