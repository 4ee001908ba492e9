import { createContext, runInContext } from "node:vm";

/** How long one test may take, ms, and after how many that took longer no long text is tried any more. */
const MAX_TEST_MS = 200;
const MAX_OVERRUNS = 3;
/** About as many steps as take no time worth speaking of. */
const MAX_STEPS = 10_000_000;
/** Up to this many characters even an expression that tries every way to divide a text comes to an end. */
const SHORT_TEXT = 12;

/**
 * A regular expression that somebody else wrote. Some take longer than anybody lives on an innocent text
 * (`(a+)+$` on forty times `a` and a `!`), and nothing else happens meanwhile. Here such a test is broken off,
 * and the text counts as not matching.
 */
export class BoundedRegex {
  readonly #regex: RegExp;
  readonly #quantifiers: number;
  readonly #nested: boolean;
  #context: { regex: RegExp; text: string } | undefined;
  #overruns = 0;

  constructor(regex: RegExp) {
    this.#regex = regex;
    const bare = regex.source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, "x");
    this.#quantifiers = bare.match(/[*+]|\{\d*,?\d*\}/g)?.length ?? 0;
    this.#nested = /\)(?:[*+]|\{)/.test(bare);
  }

  /** Whether the expression is found in a text; false when that could not be told in reasonable time. */
  test(text: string): boolean {
    if (!this.#mayTakeLong(text)) return this.#regex.test(text);
    if (this.#overruns >= MAX_OVERRUNS) return false;
    this.#context ??= createContext({ regex: this.#regex, text }) as { regex: RegExp; text: string };
    this.#context.text = text;
    try {
      return runInContext("regex.test(text)", this.#context, { timeout: MAX_TEST_MS }) as boolean;
    } catch {
      this.#overruns += 1;
      return false;
    }
  }

  #mayTakeLong({ length }: string): boolean {
    return this.#nested ? length > SHORT_TEXT : length * divisions(length, this.#quantifiers) > MAX_STEPS;
  }
}

/** In how many ways quantifiers that stand one after the other can divide a text, as far as that is few. */
function divisions(length: number, quantifiers: number): number {
  const least = Math.min(length, quantifiers);
  let ways = 1;
  for (let step = 1; step <= least && ways <= MAX_STEPS; step += 1)
    ways = (ways * (Math.max(length, quantifiers) + step)) / step;
  return ways;
}
