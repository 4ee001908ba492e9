import type { RE2JS } from "re2js";
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
 * Compiles a regular expression that a user wrote. RegExp can take exponential time: `(a+)+$` on forty times `a` and
 * a `!` blocks the process for hours. RE2, the engine behind this function, takes linear time. It has no look-ahead,
 * look-behind, back-references and repetitions beyond 1000: patterns with these are refused.
 *
 * @param flags of `i`, `m` and `s`; with `m`, lines end at `\n` or `\r\n`
 * @throws Error that says why the pattern is refused
 */
export function linearRegex(pattern: string, flags = ""): LinearRegex {
  if (pattern.length > MAX_PATTERN_LENGTH) throw new Error(`is longer than ${MAX_PATTERN_LENGTH} characters`);
  const { RE2JS: Engine } = engine();
  const regex = parsed(pattern, flags);
  // Where a dot is no sign at all, the translation has replaced it.
  let options: number = Engine.DOTALL;
  if (regex.ignoreCase) options |= Engine.CASE_INSENSITIVE;
  if (regex.multiline) options |= Engine.MULTILINE;
  const compiled: RE2JS = Engine.compile(Engine.translateRegExp(translated(regex)), options);
  const size = compiled.programSize();
  if (size > MAX_PROGRAM) throw new Error("repeats too much");
  return { test: (text) => text.length * size <= MAX_STEPS && compiled.test(text) };
}

/** With Unicode rules where the expression allows them, else by the older, more lenient ones. */
function parsed(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, `u${flags}`);
  } catch {
    return new RegExp(pattern, flags);
  }
}

/** Where RE2 reads the same sign differently: an escape, the brackets of a class, a dot, the end of a line. */
const SIGN = /\\.|\[\^?\]?|\]|[.$]/gs;
/** Letters behind a backslash that mean something to RegExp. Any other stands for itself, and is none of RE2's own. */
const MEANINGFUL = /[bBcdDfnpPrtuvwWx]/;
const LINE_ENDS = "\\n\\r\\x{2028}\\x{2029}";
const SPACES =
  "\\t-\\r \\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}";
const NO_SPACES =
  "\\x{0}-\\x{8}\\x{E}-\\x{1F}!-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}" +
  "\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}";

/** What is an escape with Unicode rules alone. By the older ones, the letter stands for itself. */
const UNICODE_ESCAPE = /\\(?:u\{|[pP])/y;

/** The expression in RE2's dialect, as far as RE2's own translation leaves a difference. */
function translated({ source, dotAll, multiline, unicode }: RegExp): string {
  let inClass = false;
  return source.replace(SIGN, (sign, offset: number) => {
    if (sign.startsWith("\\")) {
      UNICODE_ESCAPE.lastIndex = offset;
      return !unicode && UNICODE_ESCAPE.test(source) ? sign.slice(1) : escapeOf(sign.slice(1), inClass);
    }
    if (inClass) {
      inClass = !sign.endsWith("]");
      return sign.replace("[", "\\[");
    }
    if (sign === ".") return dotAll ? sign : `[^${LINE_ENDS}]`;
    if (sign === "$") return multiline ? "(?:\\r?$)" : sign;
    inClass = !sign.endsWith("]");
    return sign;
  });
}

function escapeOf(letter: string, inClass: boolean): string {
  if (letter === "s" || letter === "S") {
    const set = letter === "s" ? SPACES : NO_SPACES;
    return inClass ? set : `[${set}]`;
  }
  if (letter === "b" && inClass) return "\\x08";
  if (letter === "k") throw new Error("has a back-reference");
  return /[A-Za-z]/.test(letter) && !MEANINGFUL.test(letter) ? letter : `\\${letter}`;
}
