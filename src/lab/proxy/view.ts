/** Parts of a text, decoded, that know their place in it, where they can be replaced. */

const JSON_ESCAPE = /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/g;
const [HEX, MORE] = ["[0-9a-fA-F]", "%[89abAB][0-9a-fA-F]"];
/** One match is one character, in UTF-8 or else Latin-1. */
const PERCENT = new RegExp(
  `%[cdCD]${HEX}${MORE}|%[eE]${HEX}(?:${MORE}){2}|%[fF]${HEX}(?:${MORE}){3}|%${HEX}{2}`,
  "g",
);
const ESCAPE = new RegExp(`${JSON_ESCAPE.source}|${PERCENT.source}|&#?\\w{1,8};`, "g");
const BASE64 = /[\w+/-]{6,}/g;
const NUMBER = /^[-+\de]+$/i;
/** The bytes of a text in UTF-8, or in UTF-16 if it is English. */
const TEXT_BYTES = /(?:[\x20-\x7e]\0?|[\xc2-\xf4][\x80-\xbf]{1,3}){2,}/g;
/** Fewer bytes are a text by chance. */
const LEAST_TEXT_BYTES = 4;
const ACCENT_NAMES = ["acute", "grave", "circ", "tilde", "uml", "ring", "caron", "cedil"];
const ACCENTS = "\u0301\u0300\u0302\u0303\u0308\u030a\u030c\u0327";
/** How often a text is decoded: an address in a parameter of an address in JSON. */
const ROUNDS = 4;

function characterOf(escaped: string): string {
  if (escaped.startsWith("\\")) return JSON.parse(`"${escaped}"`) as string;
  if (escaped.startsWith("%")) {
    const bytes = Buffer.from(escaped.replaceAll("%", ""), "hex");
    return bytes.toString(bytes.length > 1 ? "utf8" : "latin1");
  }
  const code = Number(escaped.slice(1, -1).replace(/^#(x?)/i, "0$1"));
  if (code <= 0x10ffff) return String.fromCodePoint(code);
  const accent = ACCENTS.charAt(ACCENT_NAMES.indexOf(escaped.slice(2, -1)));
  return accent === "" ? " " : (escaped.charAt(1) + accent).normalize("NFC");
}

/** A text in base64, and the signs that it is in. */
type Encoded = readonly [text: string, from: number, to: number];

function encodedIn(signs: string): readonly Encoded[] {
  const found: Encoded[] = [];
  if (NUMBER.test(signs)) return found;
  // Other signs may precede it.
  for (let skipped = 0; skipped < 4; skipped += 1) {
    const bytes = Buffer.from(signs.slice(skipped), "base64");
    for (const { 0: text, index } of bytes.toString("latin1").matchAll(TEXT_BYTES)) {
      const end = index + text.length;
      const [from, to] = [Math.floor((index * 4) / 3), Math.ceil((end * 4) / 3)];
      const decoded = bytes.toString("utf8", index, end).replaceAll("\0", "");
      if (text.length >= LEAST_TEXT_BYTES) found.push([decoded, skipped + from, skipped + to]);
    }
  }
  return found;
}

interface Whole {
  readonly text: string;
  readonly edits: { readonly from: number; readonly to: number; readonly by: string }[];
  /** Which units have been replaced or are to stay. */
  taken?: Uint8Array;
}

/** A text, or a decoded part of one. */
export class View {
  private constructor(
    readonly text: string,
    readonly whole: Whole,
    /** The places in the whole text of each unit, and of what follows; none if they are those here. */
    readonly places: Int32Array | undefined,
    /** Where its own places begin. */
    readonly start: number,
  ) {}

  static of(text: string): View {
    return new View(text, { text, edits: [] }, undefined, 0);
  }

  #placeOf(at: number): number {
    return this.places?.[this.start + at] ?? this.start + at;
  }

  slice(from: number, to = this.text.length): View {
    return new View(this.text.slice(from, to), this.whole, this.places, this.start + from);
  }

  /** The parts that match a pattern. */
  parts(pattern: RegExp): View[] {
    return Array.from(this.text.matchAll(pattern), ({ 0: part, index }) =>
      this.slice(index, index + part.length),
    );
  }

  /** The view with one level of escapes decoded; itself if it has none. */
  #decoded(escapes: RegExp): View {
    if (!/[\\%&]/.test(this.text)) return this;
    const places = new Int32Array(this.text.length + 1);
    let text = "";
    let from = 0;
    const copy = (to: number) => {
      for (let at = from; at <= to; at += 1) places[text.length + at - from] = this.#placeOf(at);
      text += this.text.slice(from, to);
    };
    for (const { 0: escaped, index } of this.text.matchAll(escapes)) {
      copy(index);
      const start = text.length;
      text += characterOf(escaped);
      from = index + escaped.length;
      places.fill(this.#placeOf(from), start + 1, text.length);
    }
    if (from === 0) return this;
    copy(this.text.length);
    return new View(text, this.whole, places, 0);
  }

  /** The view as JSON's text. */
  unquoted(): View {
    return this.#decoded(JSON_ESCAPE);
  }

  /** The view as a parameter. */
  unescaped(): View {
    return this.#decoded(PERCENT);
  }

  /** The view, and what decoding it again and again makes of it. */
  decodings(): View[] {
    const all: View[] = [this];
    for (let next = this.#decoded(ESCAPE); next !== all.at(-1) && all.length < ROUNDS; ) {
      all.push(next);
      next = next.#decoded(ESCAPE);
    }
    return all;
  }

  /** The texts in base64, wherever it begins, and their places. */
  encoded(): { readonly text: string; readonly place: View }[] {
    const found: { text: string; place: View }[] = [];
    for (const { 0: signs, index } of this.text.matchAll(BASE64))
      for (const [text, from, to] of encodedIn(signs))
        found.push({ text, place: this.slice(index + from, index + to) });
    return found;
  }

  /** Replaces the view in the whole text, except what is taken already; without `by`, it stays. */
  replace(by?: string): void {
    const { edits, text } = this.whole;
    const taken = (this.whole.taken ??= new Uint8Array(text.length));
    const [start, end] = [this.#placeOf(0), this.#placeOf(this.text.length)];
    let left = by;
    for (let from = start; from < end; from += 1) {
      if (taken[from] === 1) continue;
      let to = from;
      while (to < end && taken[to] !== 1) to += 1;
      taken.fill(1, from, to);
      const own = by?.length === end - start ? by.slice(from - start, to - start) : left;
      if (own !== undefined) edits.push({ from, to, by: own });
      left &&= "";
      from = to;
    }
  }

  /** Replaces each character that is another one in a text of the same length: what escapes other characters stays. */
  rewrite(by: string): void {
    const { whole, text } = this;
    if (whole.text.startsWith(text, this.#placeOf(0))) return this.replace(by);
    let at = 0;
    for (const character of by) {
      const part = this.slice(at, at + character.length);
      part.replace(part.text === character ? undefined : character);
      at += character.length;
    }
  }

  /** The whole text with what has been replaced. */
  changed(): string {
    const { text, edits } = this.whole;
    let changed = "";
    let copied = 0;
    for (const { from, to, by } of edits.sort((a, b) => a.from - b.from)) {
      changed += text.slice(copied, from) + by;
      copied = to;
    }
    return changed + text.slice(copied);
  }
}
