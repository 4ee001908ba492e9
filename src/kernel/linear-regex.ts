/** Regular expressions that a user writes, matched in linear time. */
import { BOUNDS } from "./bounds.js";
import type { Path } from "./json.js";
import { lazily, loadPackage } from "./packages.js";
import { type Problem, problemAt } from "./problems.js";

/** Loaded on demand: most simulators never use a regular expression. */
const engine = lazily(() => loadPackage<typeof import("re2js")>("re2js").RE2JS);

const { patternProgram, regexSteps, regexTextCharacters } = BOUNDS;

export const TOO_LONG = `more than ${patternProgram.limit} characters, with repetitions written out`;

/** Whether an expression matches somewhere in a text, which may be as long as `BOUNDS` says; no longer text matches. */
export type LinearRegex = (text: string) => boolean;

/**
 * Compiles a user's regular expression, in RE2's syntax (https://github.com/google/re2/wiki/Syntax). RegExp can take
 * exponential time: `(a+)+$` on forty times `a` and a `!` blocks the process for hours. RE2 takes linear time; it has no
 * look-around and no back-references.
 *
 * @throws Error with the reason why the pattern is refused
 */
export function linearRegex(pattern: string): LinearRegex {
  const program = programOf(pattern);
  if (program > patternProgram.limit) throw new Error(`has ${TOO_LONG}`);
  const longest = Math.min(regexTextCharacters.limit, regexSteps.limit / program);
  const compiled = engine().compile(pattern);
  return (text) => text.length <= longest && compiled.test(text);
}

const IGNORING_CASE = "(?i)";

export const caseless = (pattern: string): string => IGNORING_CASE + pattern;

/** Why an expression that ignores case is refused. */
export function expressionProblems(pattern: string | undefined, at: Path): Problem[] {
  try {
    if (pattern !== undefined) linearRegex(caseless(pattern));
    return [];
  } catch (error) {
    // Some messages quote the whole expression: it must be as its author wrote it.
    const reason = (error as Error).message.replace(IGNORING_CASE, "");
    return [problemAt(at, `must be a regular expression: ${reason}`)];
  }
}

/** How many characters an expression has at most with its repetitions written out. Compiling it to find out could take seconds. */
export function programOf(pattern: string): number {
  let [written, nested] = [pattern.length, 1];
  for (const { 1: from, 2: to, index } of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    const times = Math.max(1, Number(from), Number(to ?? 0));
    // Only what ends like this, or with \\E, can hold other repetitions.
    if (/[)}*+?E]/.test(pattern[index - 1] ?? ")")) nested *= times;
    else written += times;
  }
  return written * nested;
}
