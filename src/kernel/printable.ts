/** What moves a cursor, starts a line, hides text or turns its direction: controls (C0, DEL, C1), separators, bidirectional marks. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const ESC = "\u001b";
/** What a command itself may write to a terminal: lines, the colours of a report, a line written anew. */
const OWN = `${ESC}\\[(?:[012]|3[12])m|\\r${ESC}\\[K|\\r(?=\\d+ of )|[\\n\\t]`;
const OWN_OR_UNPRINTABLE = new RegExp(`(${OWN})|${UNPRINTABLE.source}`, "gu");

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A text in one line, with everything escaped as in JSON that would do more than show a character. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);

/** The same of a text of several lines. JSON stays the same JSON. */
export const printableLines = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => (character === "\n" ? character : escaped(character)));

/** The same of all that a command writes, which may be in colour. */
export const printableOutput = (text: string): string =>
  text.replace(OWN_OR_UNPRINTABLE, (found, own?: string) => own ?? escaped(found));

export const isPrintable = (text: string): boolean => printable(text) === text;

/** Fields whose texts have lines, such as transcripts: each line is escaped by itself. */
const LINES = ["transcript", "unchanged", "notes"];
/** Fields of any value, which reports show as JSON that is made printable then. */
const VALUES = ["expected", "seen", "simulator", "other", "values", "body", "response"];

/** A report or record with every text in it made printable, keys included. */
export function printableIn<T>(value: T, key = ""): T {
  const made = (): unknown => {
    if (VALUES.includes(key)) return value;
    if (typeof value === "string") return LINES.includes(key) ? printableLines(value) : printable(value);
    if (Array.isArray(value)) return value.map((item: unknown) => printableIn(item, key));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [printable(name), printableIn(part, name)]),
    );
  };
  // Only texts change, and keys that no type names.
  return made() as T;
}
