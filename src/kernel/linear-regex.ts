/** What comparing may cost, and regular expressions that keep to it. */
import { BOUNDS } from "./bounds.js";
import type { Path } from "./json.js";
import { lazily, loadPackage } from "./packages.js";
import { type Problem, problemAt } from "./problems.js";

/** Loaded on demand: most simulators never use a regular expression. */
const engine = lazily(() => loadPackage<typeof import("re2js")>("re2js"));

const { patternCharacters, patternProgram, matchSteps } = BOUNDS;

/** What one call may spend on comparing, in steps of at most about 0.1 µs. */
export class MatchBudget {
  #left = matchSteps.limit;

  /** `at` is where the caller wrote what is compared. */
  constructor(private readonly at = "") {}

  /** @throws CostlyMatch if less is left */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new CostlyMatch(this.at);
  }

  /** The value of a JSON text. Reading many parts takes longer than reading many characters. @throws CostlyMatch */
  parse(text: string): unknown {
    this.spend(text.length / 16);
    this.spend(5 * (text.match(/[,:[{]/g)?.length ?? 0));
    return JSON.parse(text);
  }

  /** Counts a search for a part of so many characters, which are compared at each position of some texts. @throws CostlyMatch */
  search(text: string, characters: number): void {
    this.spend((text.length * (characters + 12)) / 200);
  }
}

/** Comparing takes more than `BOUNDS.matchSteps`. */
export class CostlyMatch extends Error {
  override readonly name = "CostlyMatch";

  constructor(readonly path: string) {
    super(`is too expensive: comparing takes more than ${matchSteps.limit} steps`);
  }
}

/** Whether an expression matches somewhere in a text, in time linear in its length. @throws CostlyMatch */
export type LinearRegex = (text: string, budget?: MatchBudget) => boolean;

/** A state of the engine's automaton: the instructions at which the expression may be. */
type State = { readonly nfaStates: readonly number[] } | null;

/**
 * Compiles a user's regular expression, in RE2's syntax (https://github.com/google/re2/wiki/Syntax). RegExp can take
 * exponential time: `(a+)+$` on forty times `a` and a `!` blocks the process for hours. RE2 takes linear time; it has no
 * look-around, no back-references and no repetitions beyond 1000.
 *
 * @param flags any of `i`, `m` and `s`
 * @throws Error with the reason why the pattern is refused
 */
export function linearRegex(pattern: string, flags = ""): LinearRegex {
  const { limit } = patternCharacters;
  if (pattern.length > limit) throw new Error(`is longer than ${limit} characters`);
  if (instructionsOf(pattern) > patternProgram.limit) throw new Error("repeats too much");
  const compiled = compile(pattern, flags);
  const size = compiled.programSize();
  const { dfa } = compiled.re2();
  const { step, match } = dfa;
  let [budget, characters] = [new MatchBudget(), 0];
  const literal = Math.max(pattern.length, String(compiled.re2().prefix).length);
  // A known state takes almost no time; a new one takes as long as it has instructions.
  dfa.step = (state: State, ...input) => {
    const next: State = step.call(dfa, state, ...input);
    budget.spend(1 + (state?.nfaStates.length ?? 0) + (next?.nfaStates.length ?? 0));
    return next;
  };
  dfa.match = (...input) => {
    const found: boolean | null = match.apply(dfa, input);
    // The engine goes on without states, so each character may take all instructions.
    if (found === null) budget.spend(characters * size);
    return found;
  };
  return (text, given = new MatchBudget()) => {
    [budget, characters] = [given, text.length];
    budget.search(text, literal);
    return compiled.test(text);
  };
}

/** Why an expression that ignores case is refused. */
export function expressionProblems(pattern: string | undefined, at: Path): Problem[] {
  try {
    if (pattern !== undefined) linearRegex(pattern, "i");
    return [];
  } catch (error) {
    return [problemAt(at, `must be a regular expression: ${(error as Error).message}`)];
  }
}

function compile(pattern: string, flags: string) {
  const flagged = flags === "" ? pattern : `(?${flags})${pattern}`;
  try {
    return engine().RE2JS.compile(flagged);
  } catch (error) {
    const { message } = error as Error;
    // Some messages quote the whole expression: it must be as its author wrote it.
    throw new Error(
      message.replace(flagged, () => pattern),
      { cause: error },
    );
  }
}

/** RE2 allows no more, nested repetitions multiplied. */
const MAX_REPETITIONS = 1000;

/** Case folding ends with this character. */
const LAST_FOLDED = 0x1e943;

/**
 * How many instructions an expression has at most, with its repetitions written out; large classes of characters, which take
 * long to compile, count as many. Compiling it to find out could take seconds.
 */
export function instructionsOf(pattern: string): number {
  let [written, nested] = [pattern.length, 1];
  for (const { 1: from, 2: to, index } of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    const times = Math.max(1, Number(from), 2 * Number(to ?? 0));
    // Only what ends like this, or with \\E, can hold other repetitions.
    if (/[)}*+?E]/.test(pattern[index - 1] ?? ")")) nested *= times;
    else written += times;
  }
  let classes = 30 * (pattern.split(/\\p/i).length - 1);
  for (const [, hex, letter = ""] of pattern.matchAll(/-(?:\\x\{?([\da-f]+)|([^\0-\x7f]))/giu))
    classes += Math.min(LAST_FOLDED, hex ? Number.parseInt(hex, 16) : (letter.codePointAt(0) ?? 0)) / 40;
  return written * Math.min(MAX_REPETITIONS, nested) + classes;
}
