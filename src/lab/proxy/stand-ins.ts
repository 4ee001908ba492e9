/** Replacements for words: of the same shape, equal for equal words, and different for different ones. */
import { createHmac } from "node:crypto";
import { getOrInsert } from "../../kernel/objects.js";
import { secretToken } from "../../kernel/random.js";

/** A word: letters, digits, marks and pictographs. A longer one counts as several. */
const WORD = /[\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{RI}]{1,64}/gu;
/** The size of a block of code points that differ only in their last seven bits, and thus have the same length in UTF-8 and UTF-16. */
const BLOCK = 128;
const KINDS = [/\p{Ll}/u, /\p{Lu}/u, /\p{L}/u, /\p{Nd}/u, /\p{N}/u, /\p{RI}/u, /\p{Extended_Pictographic}/u];
/** How many replacements are cached: people use the same words again and again. */
const MAX_CACHED = 20_000;

export const wordsIn = (text: string): readonly string[] => text.match(WORD) ?? [];

/** Greek: the same letter as the one inside a word. */
const FINAL_SIGMA = /(?<=\p{L}\p{M}*)ς(?![\p{L}\p{M}])/gu;

const foldedWord = (word: string): string =>
  /^[\x21-\x7e]*$/.test(word)
    ? word.toLowerCase()
    : Array.from(word.replace(FINAL_SIGMA, "σ"), folded).join("");

/** A character in lower case, if that has the same length and can be reversed. */
function folded(character: string): string {
  const lower = character.toLowerCase();
  return lower.length === character.length && upper(lower) === character ? lower : character;
}

const upper = (character: string): string => {
  const other = character.toUpperCase();
  return other.length === character.length && other.toLowerCase() === character ? other : character;
};

/**
 * The replacements of one recording, from a keyed permutation of all words of a shape: no word has to be stored, and two words
 * never get the same replacement. The key is random and never leaves the process.
 */
export class StandIns {
  readonly #key = secretToken();
  readonly #alphabets = new Map<string, readonly string[]>();
  readonly #cache = new Map<string, readonly string[]>();

  /** A text with every word replaced. */
  of(text: string): string {
    return text.replace(WORD, (word) => this.ofWord(word));
  }

  ofWord(word: string): string {
    const key = foldedWord(word);
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    const standIn = getOrInsert(this.#cache, key, () => this.#permuted([...key]));
    return Array.from(word, (own, at) => cased(standIn[at] ?? own, own)).join("");
  }

  /**
   * Rounds in which one half of the word shifts the other. The last round always moves the same character, which no other round
   * does, so that no word is replaced by itself.
   */
  #permuted(word: readonly string[]): readonly string[] {
    const alphabets = word.map((character, at) =>
      this.#alphabetOf(
        character,
        at === 0 ? "first" : /[\p{L}\p{M}]/u.test(word[at + 1] ?? "") ? "inside" : "last",
      ),
    );
    const places = alphabets.flatMap(({ length }, at) => (length > 1 ? [at] : []));
    const digits = word.map((character, at) => (alphabets[at] ?? []).indexOf(character));
    const shape = alphabets.map(([first, ...others]) => `${first}${others.length}`).join();
    const middle = Math.floor(places.length / 2);
    const [left, [pivot, ...right]] = [places.slice(0, middle), places.slice(middle)];
    if (pivot === undefined) return word;
    const valuesAt = (at: readonly number[]) => at.map((place) => digits[place]).join();
    const shift = (targets: readonly number[], round: string, by: readonly number[], least = 0) => {
      const numbers = this.#numbers(`${round} ${shape} ${valuesAt(by)}`, targets.length);
      targets.forEach((place, index) => {
        const radix = alphabets[place]?.length ?? 1;
        const step = least + ((numbers[index] ?? 0) % (radix - least));
        digits[place] = ((digits[place] ?? 0) + step) % radix;
      });
    };
    shift(left, "1", [pivot, ...right]);
    shift(right, "2", [...left, pivot]);
    shift(left, "3", [pivot, ...right]);
    shift(right, "4", [...left, pivot]);
    shift([pivot], "5", [...left, ...right], 1);
    return digits.map((digit, at) => alphabets[at]?.[digit] ?? "");
  }

  /** This many pseudorandom numbers, determined by the text and the key. */
  #numbers(text: string, count: number): number[] {
    const numbers: number[] = [];
    for (let part = 0; numbers.length < count; part += 1) {
      const digest = createHmac("sha256", this.#key).update(`${part} ${text}`).digest();
      for (let at = 0; at < digest.length; at += 2) numbers.push(digest.readUInt16BE(at));
    }
    return numbers;
  }

  /** The characters that may replace one: a number never starts with an extra zero, and marks and a last sigma stay. */
  #alphabetOf(character: string, place: "first" | "inside" | "last"): readonly string[] {
    const kept = { first: "0", inside: "", last: "σ" }[place];
    if (character === kept) return [character];
    const code = character.codePointAt(0) ?? 0;
    const kind = KINDS.findIndex((pattern) => pattern.test(character));
    if (kind < 0) return [character];
    const isCased = upper(character) !== character;
    const start = code - (code % BLOCK);
    const key = `${start} ${kind} ${isCased} ${place}`;
    let alphabet = this.#alphabets.get(key);
    if (alphabet === undefined) {
      alphabet = Array.from({ length: BLOCK }, (_, offset) => String.fromCodePoint(start + offset)).filter(
        (other) =>
          KINDS.findIndex((pattern) => pattern.test(other)) === kind &&
          folded(other) === other &&
          (upper(other) !== other) === isCased &&
          other !== kept,
      );
      this.#alphabets.set(key, alphabet);
    }
    return alphabet;
  }
}

/** A replacement in upper case, or as a last letter, if the original is. */
const cased = (standIn: string, own: string): string =>
  own === "ς" && standIn === "σ" ? own : folded(own) === own ? standIn : upper(standIn);
