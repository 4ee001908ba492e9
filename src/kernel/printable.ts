/** Characters that move the cursor, start a line, hide text or change its direction: controls (C0, DEL, C1), separators, bidirectional marks. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const ESC = "\u001b";
/** What a command itself may write to a terminal: line breaks, the colours of a report, a rewritten line. */
const OWN = `${ESC}\\[(?:[012]|3[12])m|\\r${ESC}\\[K|\\r(?=\\d+ of )|[\\n\\t]`;
const OWN_OR_UNPRINTABLE = new RegExp(`(${OWN})|${UNPRINTABLE.source}`, "gu");

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A text on one line, with all such characters escaped as in JSON. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);

/** The same for a text of several lines. JSON stays the same JSON. */
export const printableLines = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => (character === "\n" ? character : escaped(character)));

/** The same for all output of a command, which may be in colour. */
export const printableOutput = (text: string): string =>
  text.replace(OWN_OR_UNPRINTABLE, (found, own?: string) => own ?? escaped(found));

export const isPrintable = (text: string): boolean => printable(text) === text;

/** Fields with multi-line texts, such as transcripts: each line is escaped separately. */
const LINES = ["transcript", "unchanged", "notes"];
/** Fields with arbitrary values, which reports show as JSON that is escaped later. */
const VALUES = ["expected", "seen", "simulator", "other", "values", "body", "response"];

/** A report or record with all of its texts escaped, keys included. */
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

/** A report as JSON. */
export const jsonText = (report: unknown): string => printableLines(`${JSON.stringify(report, null, 2)}\n`);

export const markdownTable = (heads: readonly string[], rows: readonly (readonly unknown[])[]): string[] =>
  [heads, heads.map(() => "-"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);

/** A sentence of a diagnosis, written to follow a colon. */
export const inSentence = (text: string): string =>
  text.replace(/^(The|Your|Webhook|Fault|No)\b/, (word) => word.toLowerCase()).replace(/\.$/, "");
