/** Ids that a session created, as placeholders for earlier outcomes: `${conversation.body.customerThreadId}`. */
import type { FixtureDocument } from "../../client/types.js";
import type { Path } from "../../kernel/json.js";
import { mapLeaves, pathText } from "../../kernel/json.js";
import { escaped } from "../placeholders.js";
import { isIdField, isTimeField, withoutSecrets } from "../varying.js";

type Scalar = string | number;

interface Source {
  readonly draft: Draft;
  readonly path: string;
}

/** Numbers of participations are no ids of records. */
const isIdKey = (key: string): boolean => key !== "businessParticipationId" && isIdField(key);
const WORD = /[A-Za-z0-9_-]{4,}/g;
const keyOf = (value: Scalar): string => `${typeof value}:${value}`;
const isScalar = (value: unknown): value is Scalar => typeof value === "string" || typeof value === "number";

export class References {
  readonly #takenIds = new Set(["thread", "round"]);
  /** Ids of the start, and those chosen by callers. */
  readonly #known = new Set<string>();
  readonly #sources = new Map<string, Source>();

  constructor(
    fixtures: FixtureDocument,
    readonly thread: string | undefined,
  ) {
    for (const records of Object.values<readonly object[]>(fixtures))
      for (const record of records)
        for (const [key, value] of Object.entries(record)) if (isIdKey(key)) this.#addKnown(value);
  }

  /** Makes every id that an outcome of the step shows for the first time one that can be read from it. */
  add(draft: Draft, outcome: unknown, path: Path = []): void {
    const key = String(path.findLast((segment) => typeof segment === "string") ?? "");
    if (isScalar(outcome)) {
      const isOld = this.#sources.has(keyOf(outcome)) || this.isKnown(outcome);
      if (isIdKey(key) && !isOld) this.#sources.set(keyOf(outcome), { draft, path: pathText(path) });
    } else if (typeof outcome === "object" && outcome !== null)
      for (const [name, part] of Object.entries(outcome))
        this.add(draft, part, [...path, Array.isArray(outcome) ? Number(name) : name]);
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

  /** A path with placeholders for the ids in it. */
  path(text: string): string {
    const segments = text.split("/").map((segment) => this.placeholder(segment) ?? escaped(segment));
    return segments.join("/");
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

  body(value: unknown): unknown {
    return mapLeaves(value, (leaf, key) => {
      const id = isScalar(leaf) && isIdKey(key) ? this.placeholder(leaf) : undefined;
      if (id !== undefined || typeof leaf !== "string") return id ?? leaf;
      return isIdKey(key) ? this.id(leaf) : this.text(leaf);
    });
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
  id?: string;
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
  const entries = Object.entries(value)
    .filter(([name]) => !name.startsWith("$"))
    .map(([name, part]) => [name, stable(part, references, name)] as const)
    .filter(([, part]) => part !== UNSTABLE);
  return entries.length === 0 && Object.keys(value).length > 0 ? UNSTABLE : Object.fromEntries(entries);
}
