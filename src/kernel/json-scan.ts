import type { Part } from "./location.js";
import type { Path } from "./path.js";
import { preview } from "./words.js";

/** Something wrong with a JSON text; `path` leads to the part in which it was found. */
interface JsonFault {
  offset: number;
  path: Path;
  message: string;
}

/** What a pass over a JSON text found. */
interface JsonScan {
  /** Where the parts begin that were asked for, in their order; of a path that leads nowhere, the nearest part around it. */
  offsets: number[];
  /** Keys that an object has more than once. */
  duplicates: JsonFault[];
  /** Why the text is no JSON; the pass ended there. */
  syntax?: JsonFault;
}

/** Parts asked for, by the first segments of their paths. */
interface Wanted {
  /** Positions in {@link JsonScan.offsets}. */
  values: number[];
  keys: number[];
  children: Map<string, Wanted>;
}

class JsonSyntax extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const LITERAL_END = /[^\s,:[\]{}"]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const MAX_DEPTH = 2000;

/**
 * Goes through a JSON text without building its value: finds where parts stand, keys that come twice, and the first
 * error of syntax. One pass, whatever the number of parts.
 */
export function scanJson(text: string, parts: readonly Part[] = []): JsonScan {
  return new Scanner(text, parts).scan();
}

class Scanner {
  readonly #text: string;
  readonly #wanted: Wanted;
  readonly #found: JsonScan;
  readonly #trail: (string | number)[] = [];
  #offset = 0;

  constructor(text: string, parts: readonly Part[]) {
    this.#text = text;
    this.#found = { offsets: parts.map(() => 0), duplicates: [] };
    this.#wanted = wantedFrom(parts);
  }

  scan(): JsonScan {
    try {
      this.#skipSpace();
      this.#value(this.#wanted, undefined);
      this.#skipSpace();
      if (this.#offset < this.#text.length) this.#fail("unexpected text after the end of the value");
    } catch (error) {
      if (!(error instanceof JsonSyntax)) throw error;
      this.#found.syntax = { offset: error.offset, path: [...this.#trail], message: error.message };
    }
    return this.#found;
  }

  #value(wanted: Wanted | undefined, key: number | undefined): void {
    if (wanted !== undefined) this.#note(wanted, this.#offset, key);
    const first = this.#text.charCodeAt(this.#offset);
    if (first === 0x7b) this.#members(wanted);
    else if (first === 0x5b) this.#items(wanted);
    else if (first === 0x22) this.#string();
    else this.#literal(first);
  }

  #members(wanted: Wanted | undefined): void {
    const keys = new Set<string>();
    this.#enter();
    if (this.#closes(0x7d)) return;
    for (;;) {
      const start = this.#offset;
      if (this.#text.charCodeAt(start) !== 0x22)
        this.#fail(this.#ends() ? "the text ends inside an object" : "expected a key in double quotes");
      this.#string();
      const key = this.#keyBetween(start, this.#offset);
      this.#trail.push(key);
      if (keys.size === keys.add(key).size) {
        this.#found.duplicates.push({
          offset: start,
          path: [...this.#trail],
          message: `duplicate key ${preview(key)}`,
        });
      }
      this.#skipSpace();
      if (this.#text.charCodeAt(this.#offset) !== 0x3a) this.#fail('expected ":" after the key');
      this.#offset += 1;
      this.#skipSpace();
      this.#value(wanted?.children.get(key), start);
      this.#trail.pop();
      if (this.#leaves(0x7d, "}", "object")) return;
    }
  }

  #items(wanted: Wanted | undefined): void {
    this.#enter();
    if (this.#closes(0x5d)) return;
    for (let index = 0; ; index += 1) {
      this.#trail.push(index);
      this.#value(wanted?.children.get(String(index)), undefined);
      this.#trail.pop();
      if (this.#leaves(0x5d, "]", "array")) return;
    }
  }

  #enter(): void {
    if (this.#trail.length > MAX_DEPTH) this.#fail("is nested too deeply");
    this.#offset += 1;
    this.#skipSpace();
  }

  #closes(bracket: number): boolean {
    if (this.#text.charCodeAt(this.#offset) !== bracket) return false;
    this.#offset += 1;
    return true;
  }

  /** After a member or item: true at the closing bracket, false after a comma. */
  #leaves(bracket: number, sign: string, kind: string): boolean {
    this.#skipSpace();
    if (this.#closes(bracket)) return true;
    if (this.#ends()) this.#fail(`the text ends inside an ${kind}`);
    if (this.#text.charCodeAt(this.#offset) !== 0x2c) this.#fail(`expected "," or "${sign}"`);
    this.#offset += 1;
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#offset) === bracket)
      this.#fail(`unexpected "," before "${sign}"`, this.#text.lastIndexOf(",", this.#offset));
    return false;
  }

  #string(): void {
    const start = this.#offset;
    const text = this.#text;
    for (let offset = start + 1; offset < text.length; offset += 1) {
      const code = text.charCodeAt(offset);
      if (code === 0x22) {
        this.#offset = offset + 1;
        return;
      }
      if (code < 0x20) this.#fail("a line break or control character stands inside a string", offset);
      if (code !== 0x5c) continue;
      ESCAPE.lastIndex = offset;
      if (!ESCAPE.test(text)) this.#fail("unknown escape in a string", offset);
      offset = ESCAPE.lastIndex - 1;
    }
    this.#fail("the string has no end", start);
  }

  #keyBetween(start: number, end: number): string {
    const raw = this.#text.slice(start + 1, end - 1);
    return raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw;
  }

  #literal(first: number): void {
    const form = first === 0x2d || (first >= 0x30 && first <= 0x39) ? NUMBER : WORD;
    form.lastIndex = this.#offset;
    const isForm = form.test(this.#text);
    LITERAL_END.lastIndex = this.#offset;
    LITERAL_END.test(this.#text);
    if (isForm && form.lastIndex === LITERAL_END.lastIndex) {
      this.#offset = form.lastIndex;
      return;
    }
    if (this.#ends())
      this.#fail(this.#trail.length === 0 ? "the text is empty" : "the text ends where a value should stand");
    const word = this.#text
      .slice(this.#offset, Math.max(LITERAL_END.lastIndex, this.#offset + 1))
      .slice(0, 40);
    this.#fail(`expected a value, but found ${JSON.stringify(word)}`);
  }

  #ends(): boolean {
    return this.#offset >= this.#text.length;
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#offset);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#offset += 1;
    }
  }

  /** Parts below this one begin here until the pass comes to them. */
  #note({ values, keys, children }: Wanted, value: number, key = value): void {
    for (const position of values) this.#found.offsets[position] = value;
    for (const position of keys) this.#found.offsets[position] = key;
    for (const child of children.values()) this.#note(child, value);
  }

  #fail(message: string, offset = Math.min(this.#offset, this.#text.length)): never {
    throw new JsonSyntax(offset, message);
  }
}

function wantedFrom(parts: readonly Part[]): Wanted {
  const root: Wanted = { values: [], keys: [], children: new Map() };
  for (const [position, { path, onKey }] of parts.entries()) {
    let wanted = root;
    for (const segment of path) {
      const next = wanted.children.get(String(segment)) ?? { values: [], keys: [], children: new Map() };
      wanted.children.set(String(segment), next);
      wanted = next;
    }
    (onKey === true ? wanted.keys : wanted.values).push(position);
  }
  return root;
}
