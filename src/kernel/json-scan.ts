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

/** A number or a word with the end of the text or a sign of structure behind it. */
const LITERAL = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![^\s,:[\]{}"])/y;
const UNKNOWN_WORD = /[^\s,:[\]{}"]+|./sy;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const MAX_DEPTH = 2000;
/** Signs by their codes, which compare faster than texts. */
const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c] as const;
const OBJECT = { kind: "object", begin: 0x7b, end: 0x7d, sign: "}" } as const;
const ARRAY = { kind: "array", begin: 0x5b, end: 0x5d, sign: "]" } as const;

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
    this.#found = { offsets: [], duplicates: [] };
    this.#wanted = wantedFrom(parts);
  }

  scan(): JsonScan {
    try {
      this.#skipSpace();
      this.#value(this.#wanted);
      this.#skipSpace();
      if (this.#offset < this.#text.length) this.#fail("unexpected text after the end of the value");
    } catch (error) {
      if (!(error instanceof JsonSyntax)) throw error;
      this.#found.syntax = { offset: error.offset, path: [...this.#trail], message: error.message };
    }
    return this.#found;
  }

  /** @param key where the value's key begins, in an object */
  #value(wanted: Wanted | undefined, key?: number): void {
    if (wanted !== undefined) this.#note(wanted, this.#offset, key);
    const first = this.#text.charCodeAt(this.#offset);
    if (first === OBJECT.begin) this.#members(wanted, OBJECT);
    else if (first === ARRAY.begin) this.#members(wanted, ARRAY);
    else if (first === QUOTE) this.#string();
    else this.#literal();
  }

  /** The members of an object or the items of an array, with the brackets around them. */
  #members(wanted: Wanted | undefined, container: typeof OBJECT | typeof ARRAY): void {
    const { kind, end, sign } = container;
    const isObject = container === OBJECT;
    const keys = new Set<string>();
    if (this.#trail.length > MAX_DEPTH) this.#fail("is nested too deeply");
    this.#offset += 1;
    this.#skipSpace();
    if (this.#takes(end)) return;
    for (let index = 0; ; index += 1) {
      const start = this.#offset;
      const key = isObject ? this.#key(keys) : index;
      if (!isObject) this.#trail.push(key);
      this.#value(wanted?.children.get(String(key)), isObject ? start : undefined);
      this.#trail.pop();
      this.#skipSpace();
      if (this.#takes(end)) return;
      if (this.#ends()) this.#fail(`the text ends inside an ${kind}`);
      const comma = this.#offset;
      if (!this.#takes(COMMA)) this.#fail(`expected "," or "${sign}"`);
      this.#skipSpace();
      if (this.#text.charCodeAt(this.#offset) === end) this.#fail(`unexpected "," before "${sign}"`, comma);
    }
  }

  /** A key with its colon; the trail goes through it from there on. */
  #key(keys: Set<string>): string {
    const start = this.#offset;
    if (this.#text.charCodeAt(start) !== QUOTE)
      this.#fail(this.#ends() ? "the text ends inside an object" : "expected a key in double quotes");
    this.#string();
    const raw = this.#text.slice(start + 1, this.#offset - 1);
    const key: string = raw.includes("\\") ? JSON.parse(`"${raw}"`) : raw;
    this.#trail.push(key);
    if (keys.size === keys.add(key).size) {
      const message = `duplicate key ${preview(key)}`;
      this.#found.duplicates.push({ offset: start, path: [...this.#trail], message });
    }
    this.#skipSpace();
    if (!this.#takes(COLON)) this.#fail('expected ":" after the key');
    this.#skipSpace();
    return key;
  }

  #takes(code: number): boolean {
    if (this.#text.charCodeAt(this.#offset) !== code) return false;
    this.#offset += 1;
    return true;
  }

  #string(): void {
    const start = this.#offset;
    const text = this.#text;
    for (let offset = start + 1; offset < text.length; offset += 1) {
      const code = text.charCodeAt(offset);
      if (code === QUOTE) {
        this.#offset = offset + 1;
        return;
      }
      if (code < 0x20) this.#fail("a line break or control character stands inside a string", offset);
      if (code !== BACKSLASH) continue;
      ESCAPE.lastIndex = offset;
      if (!ESCAPE.test(text)) this.#fail("unknown escape in a string", offset);
      offset = ESCAPE.lastIndex - 1;
    }
    this.#fail("the string has no end", start);
  }

  #literal(): void {
    LITERAL.lastIndex = this.#offset;
    if (LITERAL.test(this.#text)) this.#offset = LITERAL.lastIndex;
    else if (!this.#ends()) {
      UNKNOWN_WORD.lastIndex = this.#offset;
      const [word = ""] = UNKNOWN_WORD.exec(this.#text) ?? [];
      this.#fail(`expected a value, but found ${JSON.stringify(word.slice(0, 40))}`);
    } else if (this.#trail.length === 0) this.#fail("the text is empty");
    else this.#fail("the text ends where a value should stand");
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
