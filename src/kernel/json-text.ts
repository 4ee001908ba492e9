import type { Path } from "./path.js";
import { preview } from "./words.js";

/** Where a part of a JSON text begins, as offsets into the text. */
export interface Spot {
  /** The part itself. */
  value: number;
  /** Its key, where it is a member of an object. */
  key?: number;
}

/** Something wrong with a JSON text; `path` leads to the part in which it was found. */
export interface TextFault {
  offset: number;
  path: Path;
  message: string;
}

/** What a reading of a JSON text found. */
export interface JsonReading {
  /** The spots asked for, in the order of the paths; of a path that leads nowhere, the nearest part that contains it. */
  spots: Spot[];
  /** Keys that an object has more than once. */
  duplicates: TextFault[];
  /** Why the text is no JSON; reading ended there. */
  syntax?: TextFault;
}

/** Paths asked for, by their first segments. */
interface Wanted {
  answers: number[];
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
const MAX_LISTED = 16;

/**
 * Reads a JSON text without building its value: finds where parts stand, keys that come twice, and the first
 * error of syntax. One pass, whatever the number of paths.
 */
export function readJson(text: string, paths: readonly Path[] = []): JsonReading {
  return new Reader(text, paths).read();
}

/** The keys of one object: most have few, for which looking through a list is quickest. */
class Keys {
  #few: string[] = [];
  #many: Set<string> | undefined;

  /** False where the key was there already. */
  add(key: string): boolean {
    if (this.#many !== undefined) return this.#many.size !== this.#many.add(key).size;
    if (this.#few.includes(key)) return false;
    if (this.#few.push(key) > MAX_LISTED) this.#many = new Set(this.#few);
    return true;
  }
}

class Reader {
  readonly #text: string;
  readonly #wanted: Wanted;
  readonly #reading: JsonReading;
  readonly #trail: (string | number)[] = [];
  #offset = 0;

  constructor(text: string, paths: readonly Path[]) {
    this.#text = text;
    this.#reading = { spots: paths.map(() => ({ value: 0 })), duplicates: [] };
    this.#wanted = wantedFrom(paths);
  }

  read(): JsonReading {
    try {
      this.#skipSpace();
      this.#value(this.#wanted, undefined);
      this.#skipSpace();
      if (this.#offset < this.#text.length) this.#fail("unexpected text after the end of the value");
    } catch (error) {
      if (!(error instanceof JsonSyntax)) throw error;
      this.#reading.syntax = { offset: error.offset, path: [...this.#trail], message: error.message };
    }
    return this.#reading;
  }

  #value(wanted: Wanted | undefined, key: number | undefined): void {
    if (wanted !== undefined)
      this.#note(wanted, key === undefined ? { value: this.#offset } : { value: this.#offset, key });
    const first = this.#text.charCodeAt(this.#offset);
    if (first === 0x7b) this.#members(wanted);
    else if (first === 0x5b) this.#items(wanted);
    else if (first === 0x22) this.#string();
    else this.#literal(first);
  }

  #members(wanted: Wanted | undefined): void {
    const keys = new Keys();
    this.#enter();
    if (this.#closes(0x7d)) return;
    for (;;) {
      const start = this.#offset;
      if (this.#text.charCodeAt(start) !== 0x22)
        this.#fail(this.#ends() ? "the text ends inside an object" : "expected a key in double quotes");
      this.#string();
      const key = this.#keyBetween(start, this.#offset);
      this.#trail.push(key);
      if (!keys.add(key)) {
        this.#reading.duplicates.push({
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

  #note({ answers, children }: Wanted, spot: Spot): void {
    for (const answer of answers) this.#reading.spots[answer] = spot;
    for (const child of children.values()) this.#note(child, { value: spot.value });
  }

  #fail(message: string, offset = Math.min(this.#offset, this.#text.length)): never {
    throw new JsonSyntax(offset, message);
  }
}

function wantedFrom(paths: readonly Path[]): Wanted {
  const root: Wanted = { answers: [], children: new Map() };
  for (const [answer, path] of paths.entries()) {
    let wanted = root;
    for (const segment of path) {
      const known = wanted.children.get(String(segment));
      const next: Wanted = known ?? { answers: [], children: new Map() };
      if (known === undefined) wanted.children.set(String(segment), next);
      wanted = next;
    }
    wanted.answers.push(answer);
  }
  return root;
}
