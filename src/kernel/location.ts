import type { Path } from "./json.js";
import { lazily } from "./packages.js";
import type { Problem } from "./problems.js";

/** A location in a text; lines and columns (in UTF-16 code units) start at 1. */
export interface Location {
  line: number;
  column: number;
}

/** The result of reading a text in some format: its value, or all its problems. */
export type ParsedText =
  | { problems: Problem[] }
  | {
      problems?: undefined;
      value: unknown;
      /** Where the value at the path, or its key, begins; if the path does not exist, its nearest ancestor. */
      offsetOf: (path: Path, onKey?: boolean) => number;
      /** Duplicate keys of objects, each with its location. */
      duplicateKeys: () => Problem[];
    };

/** Finds the line and column of an offset into a text, or of its end. */
export function locator(text: string): (offset: number) => Location {
  const starts = lazily(() => {
    const found = [0];
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) found.push(at + 1);
    return found;
  });
  return (offset) => {
    const at = Math.min(offset, text.length);
    const line = starts().findLastIndex((start) => start <= at);
    return { line: line + 1, column: at - (starts()[line] ?? 0) + 1 };
  };
}
