import { BOUNDS } from "./bounds.js";
import { lazily, loadPackage } from "./load.js";

/** Most simulators never meet a regular expression. */
const engine = lazily(() => loadPackage<typeof import("re2js")>("re2js"));

/** Longer patterns take too long to compile, in characters; larger ones too long to run, in instructions. */
const MAX_PATTERN_LENGTH = BOUNDS.patternCharacters.limit;
const MAX_PROGRAM = BOUNDS.patternProgram.limit;
/** A test takes at most one step for each character of the text and each instruction: as many take half a second. */
const MAX_STEPS = BOUNDS.patternSteps.limit;

/** A test that takes time in proportion to the length of the text, whatever the expression. */
export interface LinearRegex {
  /** Whether the expression is found in a text; false for a text that is too long for it. */
  test(text: string): boolean;
}

/**
 * Compiles a regular expression that a user wrote, in RE2's syntax (https://github.com/google/re2/wiki/Syntax). RegExp can take
 * exponential time: `(a+)+$` on forty times `a` and a `!` blocks the process for hours. RE2 takes linear time; it has no
 * look-around, back-references and repetitions beyond 1000.
 *
 * @param flags of `i`, `m` and `s`
 * @throws Error that says why the pattern is refused
 */
export function linearRegex(pattern: string, flags = ""): LinearRegex {
  if (pattern.length > MAX_PATTERN_LENGTH) throw new Error(`is longer than ${MAX_PATTERN_LENGTH} characters`);
  const { RE2JS } = engine();
  const { CASE_INSENSITIVE, MULTILINE, DOTALL } = RE2JS;
  const options: Readonly<Record<string, number>> = { i: CASE_INSENSITIVE, m: MULTILINE, s: DOTALL };
  const compiled = RE2JS.compile(
    pattern,
    [...flags].reduce((all, flag) => all | (options[flag] ?? 0), 0),
  );
  const size = compiled.programSize();
  if (size > MAX_PROGRAM) throw new Error("repeats too much");
  return { test: (text) => text.length * size <= MAX_STEPS && compiled.test(text) };
}
