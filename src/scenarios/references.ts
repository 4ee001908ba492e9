/** The records that a scenario names: those that it does not make itself must be in what it starts from. */
import { isObject } from "../kernel/json.js";
import type { Path } from "../kernel/path.js";
import { pathText } from "../kernel/path.js";
import type { Problem } from "../kernel/problems.js";
import { singular, unknownKey } from "../kernel/words.js";
import { isPlaceholder } from "./placeholders.js";

/** A name of a record, and where it stands. */
export interface NamedRecord {
  readonly collection: string;
  readonly name: unknown;
  readonly at: Path;
}

type Fixture = Readonly<Record<string, unknown>>;

/** Fields other than `id` that a record goes by. */
const OTHER_NAMES: Readonly<Record<string, string>> = { templates: "title", webhooks: "hookId" };
/** All collections, of a step that may make records in any. */
export const ANY = "*";

/** Collects names as the steps are read in their order; what comes after a step that makes records is not looked for. */
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

  /** What is named and not in the fixture that the scenario starts from. */
  problemsIn(fixture: Fixture): Problem[] {
    return this.#found.flatMap(({ collection, name, path }) => {
      const known = namesIn(fixture, collection);
      if (known.includes(name)) return [];
      const one = singular(collection);
      const message = unknownKey(one, name, known);
      const others = `: the fixture has ${known.length === 0 ? "none" : known.slice(0, MAX_NAMED).join(", ")}`;
      return [{ path, message: message.endsWith("?") ? message : message + others }];
    });
  }
}

/** No more names than these are told. */
const MAX_NAMED = 8;

const namesIn = (fixture: Fixture, collection: string): string[] => {
  const records = Array.isArray(fixture[collection]) ? fixture[collection] : [];
  return records
    .filter(isObject)
    .flatMap((record) => [record.id, record[OTHER_NAMES[collection] ?? "id"]])
    .filter((name, index, all) => typeof name === "string" && all.indexOf(name) === index)
    .map(String);
};
