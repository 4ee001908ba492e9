import { BOUNDS } from "../kernel/bounds.js";
import { MAX_DEPTH } from "../kernel/json-depth.js";
import type { Sliced } from "../kernel/slices.js";

type Parsed = { readonly value: unknown; readonly problem?: undefined } | { readonly problem: string };

const [QUOTE, BACKSLASH, COMMA, COLON, SPACE] = [0x22, 0x5c, 0x2c, 0x3a, 0x20] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

class NotJson extends Error {}

/** What is said of an object in the body of a control call with more keys than it may have. */
export const TOO_MANY_KEYS = `must not have an object with more than ${BOUNDS.controlKeys.limit} keys`;

/** Objects are taken apart this deep: a document's collections stand in the document, or in a field of what carries it. */
const LEVELS = 3;
const { controlBytes, controlKeys } = BOUNDS;
/** Is told, before a part is parsed, what it will cost about, in bytes; throws where that is too much. */
export type CostCheck = (bytes: number) => void;

/** What a part costs about: its brackets become objects and lists, the rest texts, numbers and fields. */
const BRACKET_BYTES = 56;
const BYTES_OF_BYTE = 3;

/**
 * Parses the JSON of a large document in steps: the fields of its outer objects one by one, and the items of lists there. What
 * each of them holds is parsed at once.
 */
export function* parseInSteps(bytes: Buffer, check: CostCheck = () => {}): Sliced<Parsed> {
  try {
    return { value: yield* new Steps(bytes, check).document() };
  } catch (error) {
    if (error instanceof NotJson) return { problem: error.message };
    if (error instanceof SyntaxError) return { problem: "must be valid JSON" };
    throw error;
  }
}

class Steps {
  readonly #bytes: Buffer;
  #at: number;
  /** How many brackets are open around the value at hand. */
  #around = 0;
  #brackets = 0;
  readonly #check: CostCheck;

  constructor(bytes: Buffer, check: CostCheck) {
    this.#bytes = bytes;
    this.#check = check;
    this.#at = bytes.indexOf(Buffer.from("\u{feff}")) === 0 ? 3 : 0;
  }

  *document(): Sliced<unknown> {
    const value = yield* this.#part(LEVELS);
    if (this.#next() !== undefined) fail();
    return value;
  }

  *#part(levels: number): Sliced<unknown> {
    const first = this.#next();
    if (first === OPEN_OBJECT && levels > 0) return yield* this.#object(levels - 1);
    return first === OPEN_ARRAY ? yield* this.#list() : this.#value();
  }

  *#object(levels: number): Sliced<object> {
    const fields: [string, unknown][] = [];
    this.#at += 1;
    this.#around += 1;
    while (this.#next() !== CLOSE_OBJECT) {
      if (fields.length === controlKeys.limit) throw new NotJson(TOO_MANY_KEYS);
      if (fields.length > 0) this.#take(COMMA);
      if (this.#next() !== QUOTE) fail();
      const key = this.#value();
      this.#take(COLON);
      // The check above makes the key a text.
      fields.push([key as string, yield* this.#part(levels)]);
    }
    this.#at += 1;
    this.#around -= 1;
    return Object.fromEntries(fields);
  }

  *#list(): Sliced<unknown[]> {
    const items: unknown[] = [];
    this.#at += 1;
    this.#around += 1;
    while (this.#next() !== CLOSE_ARRAY) {
      if (items.length > 0) this.#take(COMMA);
      items.push(this.#value());
      yield;
    }
    this.#at += 1;
    this.#around -= 1;
    return items;
  }

  /** Parses one value as a whole. */
  #value(): unknown {
    this.#next();
    const start = this.#at;
    this.#brackets = 0;
    this.#skip();
    if (this.#lengthFrom(start) > controlBytes.limit)
      throw new NotJson(`must not hold a value of more than ${controlBytes.limit} bytes`);
    this.#check(BRACKET_BYTES * this.#brackets + BYTES_OF_BYTE * (this.#at - start));
    return JSON.parse(this.#bytes.toString("utf8", start, this.#at));
  }

  /** Of the value that has ended here, without the space behind it. */
  #lengthFrom(start: number): number {
    let end = this.#at;
    while (end > start && (this.#bytes[end - 1] as number) <= SPACE) end -= 1;
    return end - start;
  }

  /** Goes behind the value that begins here, as far as brackets and quotes tell: `JSON.parse` sees to the rest. */
  #skip(): void {
    let depth = 0;
    for (; this.#at < this.#bytes.length; this.#at += 1) {
      const byte = this.#bytes[this.#at];
      if (byte === QUOTE) this.#skipText();
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        depth += 1;
        this.#brackets += 1;
        if (this.#around + depth > MAX_DEPTH)
          throw new NotJson(`must not be nested deeper than ${MAX_DEPTH} levels`);
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        if (depth === 0) return;
        depth -= 1;
        if (depth > 0) continue;
        this.#at += 1;
        return;
      } else if (depth === 0 && byte === COMMA) return;
      if (depth === 0 && byte === QUOTE) {
        this.#at += 1;
        return;
      }
    }
  }

  /** From the quote at which a text begins to the one at which it ends. */
  #skipText(): void {
    for (this.#at += 1; this.#at < this.#bytes.length; this.#at += 1) {
      const byte = this.#bytes[this.#at];
      if (byte === BACKSLASH) this.#at += 1;
      else if (byte === QUOTE) return;
    }
    fail();
  }

  #take(byte: number): void {
    if (this.#next() !== byte) fail();
    this.#at += 1;
  }

  /** The next byte that is no white space; undefined at the end. */
  #next(): number | undefined {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
      this.#at += 1;
    }
  }
}

function fail(): never {
  throw new NotJson("must be valid JSON");
}
