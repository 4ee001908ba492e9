/** The names that steps refer to: records, which must exist at the start or be created, and outcomes of earlier steps. */

import type { Chunked } from "../kernel/chunked.js";
import type { Path } from "../kernel/json.js";
import { isObject, pathText } from "../kernel/json.js";
import type { Problem } from "../kernel/problems.js";
import { ProblemList, problemAt } from "../kernel/problems.js";
import { singular, unknownKey } from "../kernel/words.js";
import { eachReference, isPlaceholder } from "./placeholders.js";
import type { NamedRecord } from "./step.js";

type Fixture = Readonly<Record<string, unknown>>;

/** Fields other than `id` that identify records. */
const OTHER_NAMES: Readonly<Record<string, string>> = { templates: "title", webhooks: "hookId" };
/** Stands for all collections. */
export const ANY = "*";

/** Collects references to records in step order. Once a step may have created records, references to them are not checked. */
export class NamedRecords {
  readonly #found: { readonly collection: string; readonly name: string; readonly path: string }[] = [];
  readonly #made = new Set<string>();

  add({ collection, name, at }: NamedRecord): void {
    const isPlain = typeof name === "number" || (typeof name === "string" && !isPlaceholder(name));
    if (!isPlain || this.#made.has(collection) || this.#made.has(ANY)) return;
    this.#found.push({ collection, name: String(name), path: pathText(at) });
  }

  make(collections: readonly string[]): void {
    for (const collection of collections) this.#made.add(collection);
  }

  /** References to records that the fixture lacks. */
  problemsIn(fixture: Fixture): Problem[] {
    return this.#found.flatMap(({ collection, name, path }) => {
      const known = namesIn(fixture, collection);
      if (known.includes(name)) return [];
      const one = singular(collection);
      return [{ path, message: unknownKey(one, name, known) }];
    });
  }
}

const namesIn = (fixture: Fixture, collection: string): string[] => {
  const records = Array.isArray(fixture[collection]) ? fixture[collection] : [];
  return records
    .filter(isObject)
    .flatMap((record) => [record.id, record[OTHER_NAMES[collection] ?? "id"]])
    .filter((name, index, all) => typeof name === "string" && all.indexOf(name) === index)
    .map(String);
};

const RESERVED = ["thread", "round"];

/**
 * The names that placeholders may use, collected in step order: an unknown name, or one that comes later, is a problem
 * before anything runs.
 */
export class Names {
  /** The names known so far. */
  readonly #known = new Set<string>();
  readonly #ids = new Set<string>();
  readonly #used = new Set<string>();
  readonly #captures: { readonly name: string; readonly at: Path }[] = [];
  /** Lazy: the messages depend on names that come later. */
  readonly #problems = new ProblemList();

  constructor(hasThread: boolean) {
    if (hasThread) this.#known.add("thread");
  }

  /** Checks the placeholders in a part of a step. */
  read(value: unknown, at: Path): void {
    eachReference(value, at, ({ text, name, isParam }, location) => {
      if (isParam) return;
      this.#used.add(name);
      if (this.#known.has(name)) return;
      const known = [...this.#known];
      this.#problems.add(() => problemAt(location, `\${${text}}: ${this.#whyUnknown(name, known)}`));
    });
  }

  /** Defines the id of a step, or a capture. */
  give(name: string, at: Path): void {
    if (RESERVED.includes(name) || this.#known.has(name))
      this.#problems.add(() => problemAt(at, `there is already a "${name}"`));
    this.#known.add(name);
    this.#ids.add(name);
  }

  capture(name: string, at: Path): void {
    this.give(name, at);
    this.#captures.push({ name, at });
  }

  /** A label may use unknown names: it then stays as it is. */
  readLabel(label: string, at: Path): void {
    eachReference(label, at, ({ name }) => void this.#used.add(name));
  }

  get unused(): readonly { readonly name: string; readonly at: Path }[] {
    return this.#captures.filter(({ name }) => !this.#used.has(name));
  }

  /** Reads the steps of a `repeat`, in which `${round}` is known. */
  *inRepeat<T>(read: Chunked<T>): Chunked<T> {
    const isOuter = !this.#known.has("round");
    this.#known.add("round");
    const result = yield* read;
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
