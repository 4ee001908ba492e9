/** Ids that a session created, as placeholders for earlier outcomes: `${conversation.body.customerThreadId}`. */
import type { FixtureDocument } from "../../client/types.js";
import type { Path } from "../../kernel/json.js";
import { mapLeaves, pathText } from "../../kernel/json.js";
import { omitUndefined } from "../../kernel/objects.js";
import { escaped, PLACEHOLDER } from "../placeholders.js";
import { isIdField, isTimeField, withoutSecrets } from "../trace.js";

type Scalar = string | number;

interface Source {
  readonly draft: Draft;
  readonly path: string;
}

/** Numbers of participations are no ids of records. */
const isIdKey = (key: string): boolean => key !== "businessParticipationId" && isIdField(key);
/** Keys of an answer with the id of a new record. */
const MADE_UNDER: readonly string[] = ["id", "hookId", "customerThreadId"];
const WORD = /[A-Za-z0-9_-]{4,}/g;
const keyOf = (value: Scalar): string => `${typeof value}:${value}`;
const isScalar = (value: unknown): value is Scalar => typeof value === "string" || typeof value === "number";

export class References {
  readonly #takenIds = new Set(["thread", "round"]);
  /** Ids of the start, and those chosen by callers. */
  readonly #known = new Set<string>();
  #sources = new Map<string, Source>();
  /** The ids that restoring a snapshot brings back. */
  readonly snapshots = new Map<string, ReadonlyMap<string, Source>>();

  constructor(
    fixtures: FixtureDocument,
    readonly thread: string | undefined,
  ) {
    for (const records of Object.values<readonly object[]>(fixtures))
      for (const record of records)
        for (const [key, value] of Object.entries(record)) if (isIdKey(key)) this.#addKnown(value);
  }

  /**
   * Makes every id that an outcome of the step shows for the first time one that can be read from it; with `isMaker`
   * also an id that the step has made again.
   */
  add(draft: Draft, outcome: unknown, path: Path = [], isMaker = false): void {
    const key = String(path.findLast((segment) => typeof segment === "string") ?? "");
    if (isScalar(outcome)) {
      const isMadeAgain = isMaker && path.length === 2 && MADE_UNDER.includes(key);
      const isOld = this.#sources.has(keyOf(outcome)) ? !isMadeAgain : this.isKnown(outcome);
      if (isIdKey(key) && !isOld) this.#sources.set(keyOf(outcome), { draft, path: pathText(path) });
    } else if (typeof outcome === "object" && outcome !== null)
      for (const [name, part] of Object.entries(outcome))
        this.add(draft, part, [...path, Array.isArray(outcome) ? Number(name) : name], isMaker);
  }

  isKnown(value: Scalar): boolean {
    return this.#known.has(String(value));
  }

  placeholder(value: Scalar): string | undefined {
    if (value === this.thread) return "${thread}";
    const source = this.#sources.get(keyOf(value));
    return source === undefined ? undefined : `\${${this.#idOf(source.draft)}.${source.path}}`;
  }

  /** Gives a draft an id, unless it has one: `conversation`, `conversation2`, … */
  #idOf(draft: Draft): string {
    if (draft.id !== undefined) return draft.id;
    let id = draft.noun;
    for (let number = 2; this.#takenIds.has(id); number += 1) id = `${draft.noun}${number}`;
    this.#takenIds.add(id);
    draft.id = id;
    return id;
  }

  /** An id as a step names it: a placeholder if the session created it. */
  id(value: string): string {
    const source = this.#sources.has(keyOf(value)) ? this.placeholder(value) : undefined;
    if (source === undefined) this.#addKnown(value);
    return source ?? escaped(value);
  }

  /** A segment of a path or a value of a query, with a placeholder if it is an id. */
  segment(text: string): string {
    let value = text;
    try {
      value = decodeURIComponent(text);
    } catch {
      // Its escapes are not valid.
    }
    return (value === "" ? undefined : this.placeholder(value)) ?? escaped(text);
  }

  path(text: string): string {
    return text
      .split("/")
      .map((segment) => this.segment(segment))
      .join("/");
  }

  /** A text with placeholders for the ids in it; a text that is an id as a whole would become a number by one of a number. */
  text(value: string): string {
    let text = "";
    let end = 0;
    for (const { 0: word, index } of value.matchAll(WORD)) {
      const id = this.#sources.has(keyOf(word)) || word === value ? word : Number(word);
      // After a $ a placeholder would be read as an escaped one.
      if (!this.#sources.has(keyOf(id)) || String(id) !== word || value[index - 1] === "$") continue;
      text += escaped(value.slice(end, index)) + this.placeholder(id);
      end = index + word.length;
    }
    return text + escaped(value.slice(end));
  }

  /** A body with placeholders. One that holds a {@link NumberIn} must be written as text. */
  body(value: unknown): unknown {
    return mapLeaves(value, (leaf, key) => {
      if (typeof leaf === "number") return isIdKey(key) ? this.#number(leaf) : leaf;
      if (typeof leaf !== "string") return leaf;
      return isIdKey(key) ? (this.placeholder(leaf) ?? this.id(leaf)) : this.text(leaf);
    });
  }

  keepSnapshot(name: string): void {
    this.snapshots.set(name, new Map(this.#sources));
  }

  restoreSnapshot(name: string): void {
    const kept = this.snapshots.get(name);
    if (kept !== undefined) this.#sources = new Map(kept);
  }

  #number(value: number): unknown {
    const own = this.placeholder(value);
    if (own !== undefined) return own;
    const text = String(value);
    const asText = this.#sources.has(keyOf(text)) ? this.placeholder(text) : undefined;
    if (asText !== undefined) return new NumberIn(asText);
    this.#addKnown(value);
    return value;
  }

  #addKnown(value: unknown): void {
    if (isScalar(value) && !this.#sources.has(keyOf(value))) this.#known.add(String(value));
    else if (Array.isArray(value)) for (const item of value) this.#addKnown(item);
  }
}

/** A recorded step whose outcome later steps may still turn out to read. */
export interface Draft {
  /** In the order in which its keys are written. */
  readonly step: Readonly<Record<string, unknown>>;
  readonly noun: string;
  guess?: string | undefined;
  id?: string;
}

export const writtenStep = ({ step, id }: Draft): Record<string, unknown> => ({
  ...omitUndefined({ id }),
  ...step,
});

/** A number that only a placeholder within text can express. */
export class NumberIn {
  constructor(readonly placeholder: string) {}
}

/** A body as a scenario writes it: itself, or JSON text if a number in it comes from text. */
export function writtenBody(value: unknown): unknown {
  const placeholders: string[] = [];
  let isText = false;
  const marked = (placeholder: string) => `\u0000${placeholders.push(placeholder) - 1}\u0000`;
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof NumberIn) {
      isText = true;
      return `\u0001${marked(part.placeholder)}\u0001`;
    }
    if (typeof part !== "string") return part;
    return part.replace(PLACEHOLDER, (found, dollar) => (dollar === "" ? marked(found) : found.slice(1)));
  });
  if (!isText) return value;
  const placeholderAt = (_mark: string, index: string) => placeholders[Number(index)] ?? "";
  // Escaped, no $ of the text itself can be read as a placeholder's.
  return text
    .replaceAll("$", "\\u0024")
    .replace(/"\\u0001\\u0000(\d+)\\u0000\\u0001"/g, placeholderAt)
    .replace(/\\u0000(\d+)\\u0000/g, placeholderAt);
}

/** Stands for a value that differs between runs or must stay secret. */
export const UNSTABLE = Symbol("unstable");

/** A MATCH for the stable parts of a value; {@link UNSTABLE} if there are none. */
export function stable(value: unknown, references: References, key = ""): unknown {
  if (value === null || typeof value === "boolean") return value;
  if (isScalar(value)) {
    const isText = typeof value === "string";
    if (isText ? withoutSecrets(value, key) !== value : isTimeField(key)) return UNSTABLE;
    const id = isIdField(key) ? references.placeholder(value) : undefined;
    if (id === undefined && isIdField(key) && !references.isKnown(value)) return UNSTABLE;
    return id ?? (isText ? references.text(value) : value);
  }
  if (Array.isArray(value))
    return value.map((item) => {
      const pattern = stable(item, references, key);
      return pattern === UNSTABLE ? { $any: Array.isArray(item) ? "array" : typeof item } : pattern;
    });
  if (typeof value !== "object") return UNSTABLE;
  const isHeaders = key === "extraHeaders";
  const entries = Object.entries(value)
    .filter(([name]) => !name.startsWith("$") && !(isHeaders && name === "value"))
    .map(([name, part]) => [name, stable(part, references, name)] as const)
    .filter(([, part]) => part !== UNSTABLE);
  return entries.length === 0 && Object.keys(value).length > 0 ? UNSTABLE : Object.fromEntries(entries);
}
