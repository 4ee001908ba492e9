import type { Path } from "../kernel/path.js";
import type { Problem } from "../kernel/problems.js";
import { ProblemList, problemAt } from "../kernel/problems.js";
import { unknownKey } from "../kernel/words.js";
import { eachReference } from "./placeholders.js";

/** Names that mean something of their own. */
const RESERVED = ["thread", "round"];

/**
 * The names that placeholders may use, as the steps are read in their order: what is unknown, or comes later, is a
 * problem before anything runs.
 */
export class Names {
  /** The names that are known where the reader is. */
  readonly #known = new Set<string>();
  /** Every name that a step gives. */
  readonly #ids = new Set<string>();
  /** The names that placeholders use. */
  readonly #used = new Set<string>();
  readonly #captures: { readonly name: string; readonly at: Path }[] = [];
  /** What is wrong is said when all names are known. */
  readonly #problems = new ProblemList();

  constructor(hasThread: boolean) {
    if (hasThread) this.#known.add("thread");
  }

  /** Looks for placeholders in a part of a step. */
  read(value: unknown, at: Path): void {
    eachReference(value, at, ({ text, name, isParam }, location) => {
      if (isParam) return;
      this.#used.add(name);
      if (this.#known.has(name)) return;
      const known = [...this.#known];
      this.#problems.add(() => problemAt(location, `\${${text}}: ${this.#whyUnknown(name, known)}`));
    });
  }

  /** The id of a step, or what it captures. */
  give(name: string, at: Path): void {
    if (RESERVED.includes(name) || this.#known.has(name))
      this.#problems.add(() => problemAt(at, `there is a "${name}" already`));
    this.#known.add(name);
    this.#ids.add(name);
  }

  /** What a step captures. */
  capture(name: string, at: Path): void {
    this.give(name, at);
    this.#captures.push({ name, at });
  }

  /** A label uses names, and does without those that nobody knows. */
  readLabel(label: string, at: Path): void {
    eachReference(label, at, ({ name }) => void this.#used.add(name));
  }

  /** The captures that no placeholder uses. */
  get unused(): readonly { readonly name: string; readonly at: Path }[] {
    return this.#captures.filter(({ name }) => !this.#used.has(name));
  }

  /** Reads the steps of a `repeat`: `${round}` is known in them. */
  inRepeat<T>(read: () => T): T {
    const isOuter = !this.#known.has("round");
    this.#known.add("round");
    const result = read();
    if (isOuter) this.#known.delete("round");
    return result;
  }

  problems(): Problem[] {
    return this.#problems.all;
  }

  #whyUnknown(name: string, known: readonly string[]): string {
    if (name === "thread") return "the scenario names no thread";
    if (name === "round") return 'there is no "round" outside a repeat';
    return this.#ids.has(name) ? `"${name}" comes later` : unknownKey("name", name, [...known, ...this.#ids]);
  }
}
