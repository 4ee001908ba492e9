/** The values to be found everywhere: however they are written, separated and encoded. */

const NO_WORD = /[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{RI}]+/gu;
/** A character with its marks, and Korean letters that make up a syllable. */
const CLUSTER = /(?:[\u1100-\u11ff]+|.)\p{M}*/suy;
/** Scripts that do not separate words, or join endings to them. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const ASCII = /^[\0-\x7f]*$/;

/** The letters and digits of a text, equal for texts that differ in case, separators and Unicode form only. */
export const lettersOf = (text: string): string =>
  ASCII.test(text)
    ? text.toLowerCase().replace(/[^a-z0-9]+/g, "")
    : text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ").replace(NO_WORD, "");

/** The letters of a text with their places in it, and where a word begins or has ended. */
interface Letters {
  readonly all: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly borders: readonly boolean[];
}

function placedLetters(text: string): Letters {
  const [starts, ends, borders]: [number[], number[], boolean[]] = [[], [], []];
  let all = "";
  let isBorder = true;
  for (let at = 0; at < text.length; ) {
    const isAscii = text.charCodeAt(at) < 0x80 && !(text.charCodeAt(at + 1) >= 0x300);
    CLUSTER.lastIndex = at;
    const cluster = isAscii ? text.charAt(at) : (CLUSTER.exec(text)?.[0] ?? text.charAt(at));
    const letters = lettersOf(cluster);
    const isWord = !isAscii && UNSPACED.test(cluster);
    for (let own = 0; own < letters.length; own += 1) {
      starts.push(at);
      ends.push(at + cluster.length);
      borders.push(own === 0 && (isBorder || isWord));
    }
    isBorder = letters === "" || isWord;
    all += letters;
    at += cluster.length;
  }
  return { all, starts, ends, borders: [...borders, true] };
}

/** A value to be found. */
export interface Known {
  readonly letters: string;
  readonly text: string;
  /** What replaces a secret. */
  readonly token: string | undefined;
  /** Whether it is also found inside a word. */
  readonly isAnywhere: boolean;
  /** Among values of the same letters, the one of the highest rank counts. */
  readonly rank: number;
}

interface Match {
  readonly known: Known;
  readonly from: number;
  readonly to: number;
}

/** Values are found by up to this many first letters. */
const FIRST = 4;

export class KnownValues {
  readonly #known = new Map<string, Known>();
  /** The lengths of the values with these first letters, the longest first. */
  readonly #lengths = new Map<string, number[]>();
  /** The hashes of those first letters, which rule out most places quickly. */
  readonly #hashes = new Uint8Array(1 << 16);

  /** `isWord`: whether a value is not to be found within this word. */
  constructor(readonly isWord: (letters: string) => boolean) {}

  get(letters: string): Known | undefined {
    return this.#known.get(letters);
  }

  /** Adds a value of two or more letters, in place of an equal one. */
  add(known: Known): void {
    const { letters } = known;
    const first = letters.slice(0, FIRST);
    const lengths = this.#lengths.get(first) ?? [];
    this.#known.set(letters, known);
    if (lengths.includes(letters.length)) return;
    this.#lengths.set(
      first,
      [...lengths, letters.length].sort((a, b) => b - a),
    );
    let hash = 0;
    for (let at = 0; at < first.length; at += 1) hash = hashed(hash, first.charCodeAt(at));
    this.#hashes[hash] = 1;
  }

  /** Whether letters contain a value, perhaps as a part of a word. */
  areIn(letters: string): boolean {
    if (this.#known.size === 0) return false;
    for (let at = 0; at < letters.length; at += 1)
      if (this.#longestAt(letters, at, () => true) !== undefined) return true;
    return false;
  }

  /** The longest value at each place of a text. */
  *matches(text: string): Generator<Match> {
    if (!this.areIn(lettersOf(text))) return;
    const { all, starts, ends, borders } = placedLetters(text);
    for (let at = 0; at < all.length; at += 1) {
      const known = this.#longestAt(all, at, ({ letters, isAnywhere }) => {
        const end = at + letters.length;
        if (borders[at] && borders[end]) return true;
        if (!isAnywhere) return false;
        const [first, last] = [borders.lastIndexOf(true, at), borders.indexOf(true, end)];
        return !this.isWord(all.slice(first, last));
      });
      if (known === undefined) continue;
      yield { known, from: starts[at] ?? 0, to: ends[at + known.letters.length - 1] ?? 0 };
    }
  }

  #longestAt(all: string, at: number, fits: (known: Known) => boolean): Known | undefined {
    let longest: Known | undefined;
    let hash = 0;
    for (let end = at; end < at + FIRST && end < all.length; end += 1) {
      hash = hashed(hash, all.charCodeAt(end));
      if (this.#hashes[hash] === 0) continue;
      for (const length of this.#lengths.get(all.slice(at, end + 1)) ?? []) {
        const known = this.#known.get(all.slice(at, at + length));
        if (known === undefined || !fits(known)) continue;
        longest = known;
        break;
      }
    }
    return longest;
  }
}

const hashed = (hash: number, code: number): number => (hash * 31 + code) & 0xffff;
