/** Ids that were made during a session, by where an earlier step's outcome shows them: `${conversation.body.customerThreadId}`. */
import type { FixtureDocument } from "../client/types.js";
import type { Path } from "../kernel/path.js";
import { pathText } from "../kernel/path.js";
import { type Draft, literal, Names, PLACEHOLDER } from "./draft.js";

type Scalar = string | number;
interface Source {
  readonly draft: Draft;
  readonly path: string;
}

/** Keys under which ids stand. The numbers of participations are no ids of records. */
const isIdKey = (key: string): boolean =>
  key !== "businessParticipationId" && /^(id|.*Ids?|.*[a-z]Id)$/.test(key);
/** Keys of an answer that name what was just made. */
const MADE_UNDER: readonly string[] = ["id", "hookId", "customerThreadId"];
const WORD = /[A-Za-z0-9_-]{4,}/g;
const keyOf = (value: Scalar): string => `${typeof value}:${value}`;
const isScalar = (value: unknown): value is Scalar => typeof value === "string" || typeof value === "number";

export class References {
  readonly #names = new Names();
  /** Ids of the beginning, and those that somebody outside chose. */
  readonly #known = new Set<string>();
  #sources = new Map<string, Source>();
  readonly #snapshots = new Map<string, Map<string, Source>>();

  constructor(
    fixtures: FixtureDocument,
    /** The scenario's thread, which has a name of its own. */
    readonly thread: string | undefined,
  ) {
    for (const records of Object.values(fixtures) as readonly (readonly object[])[])
      for (const record of records)
        for (const [key, value] of Object.entries(record)) if (isIdKey(key)) this.#choose(value);
  }

  /** Every id that an outcome of the step shows for the first time can be read from it; `over`: also one that it has made again. */
  made(draft: Draft, outcome: unknown, path: Path = [], over = false): void {
    const key = String(path.findLast((segment) => typeof segment === "string") ?? "");
    if (isScalar(outcome)) {
      const held = this.#sources.has(keyOf(outcome));
      const isNew = over && path.length === 2 && MADE_UNDER.includes(key);
      if (!isIdKey(key) || (held ? !isNew : this.#known.has(String(outcome)))) return;
      this.#sources.set(keyOf(outcome), { draft, path: pathText(path) });
    } else if (typeof outcome === "object" && outcome !== null)
      for (const [name, part] of Object.entries(outcome))
        this.made(draft, part, [...path, Array.isArray(outcome) ? Number(name) : name], over);
  }

  /** Whether an id is of the beginning, or was chosen outside. */
  isKnown(value: Scalar): boolean {
    return this.#known.has(String(value));
  }

  /** The placeholder for an id, where there is one. */
  to(value: Scalar): string | undefined {
    if (value === this.thread) return "${thread}";
    const source = this.#sources.get(keyOf(value));
    return source === undefined ? undefined : `\${${this.#names.of(source.draft)}.${source.path}}`;
  }

  /** An id as a step names it: a placeholder for one that was made on the way. */
  id(value: string): string {
    const source = this.#sources.has(keyOf(value)) ? this.to(value) : undefined;
    if (source === undefined) this.#choose(value);
    return source ?? literal(value);
  }

  /** A text with placeholders for the ids in it. */
  text(value: string): string {
    let text = "";
    let end = 0;
    for (const { 0: word, index } of value.matchAll(WORD)) {
      // After a $ a placeholder would be taken for an escaped one.
      if (!this.#sources.has(keyOf(word)) || value[index - 1] === "$") continue;
      text += literal(value.slice(end, index)) + this.to(word);
      end = index + word.length;
    }
    return text + literal(value.slice(end));
  }

  /** What was sent, with placeholders. A number that can only be read as a text makes the whole a text: see {@link textOf}. */
  sent(value: unknown, key = ""): unknown {
    if (typeof value === "string" && isIdKey(key)) return this.to(value) ?? this.id(value);
    if (typeof value === "number" && isIdKey(key)) return this.#number(value);
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.sent(item, key));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, this.sent(part, name)]));
  }

  /** State is kept under a name: the ids of now come back with it. */
  keep(snapshot: string): void {
    this.#snapshots.set(snapshot, new Map(this.#sources));
  }

  isKept(snapshot: string): boolean {
    return this.#snapshots.has(snapshot);
  }

  restore(snapshot: string): void {
    const kept = this.#snapshots.get(snapshot);
    if (kept !== undefined) this.#sources = new Map(kept);
  }

  #number(value: number): unknown {
    const own = this.to(value);
    if (own !== undefined) return own;
    const asText = this.#sources.has(keyOf(String(value))) ? this.to(String(value)) : undefined;
    if (asText !== undefined) return new NumberIn(asText);
    this.#choose(value);
    return value;
  }

  #choose(value: unknown): void {
    if (isScalar(value) && !this.#sources.has(keyOf(value))) this.#known.add(String(value));
    else if (Array.isArray(value)) for (const item of value) this.#choose(item);
  }
}

/** A number that only a placeholder within a text can stand for. */
export class NumberIn {
  constructor(readonly placeholder: string) {}
}

/** A body as a scenario writes it: as it is, or as JSON text where a number in it comes from a text. */
export function bodyOf(value: unknown): unknown {
  const marks: string[] = [];
  let isText = false;
  const marked = (placeholder: string) => `\u0000${marks.push(placeholder) - 1}\u0000`;
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof NumberIn) {
      isText = true;
      return `\u0001${marked(part.placeholder)}\u0001`;
    }
    if (typeof part !== "string") return part;
    return part.replace(PLACEHOLDER, (found, dollar) => (dollar === "" ? marked(found) : found.slice(1)));
  });
  if (!isText) return value;
  const placeholderAt = (_mark: string, index: string) => marks[Number(index)] ?? "";
  // Written as an escape no $ of the text itself can be taken for a placeholder's.
  return text
    .replaceAll("$", "\\u0024")
    .replace(/"\\u0001\\u0000(\d+)\\u0000\\u0001"/g, placeholderAt)
    .replace(/\\u0000(\d+)\\u0000/g, placeholderAt);
}
