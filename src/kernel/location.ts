import type { Path } from "./json.js";
import type { Problem } from "./problems.js";

/** A location in a text; lines and columns (in UTF-16 code units) start at 1. */
export interface Location {
  line: number;
  column: number;
}

export interface Part {
  path: Path;
  onKey?: boolean | undefined;
}

/** The result of reading a text in some format: its value, or all its problems. */
export type ParsedText =
  | { problems: Problem[] }
  | {
      problems?: undefined;
      value: unknown;
      /** Where each part begins; if the path does not exist, its nearest ancestor. */
      locationsOf: (parts: readonly Part[]) => Location[];
      /** Duplicate keys of objects, each with its location. */
      duplicateKeys: () => Problem[];
    };

/** Lines and columns of offsets into a text, in one pass over its line breaks. */
export function locationsOf(text: string, offsets: readonly number[]): Location[] {
  const locations: Location[] = [];
  let line = 1;
  let start = 0;
  let lineBreak = text.indexOf("\n");
  for (const [offset, index] of offsets.map((offset, index) => [offset, index] as const).sort(byOffset)) {
    while (lineBreak >= 0 && lineBreak < offset) {
      line += 1;
      start = lineBreak + 1;
      lineBreak = text.indexOf("\n", start);
    }
    locations[index] = { line, column: offset - start + 1 };
  }
  return locations;
}

const byOffset = ([a]: readonly [number, number], [b]: readonly [number, number]): number => a - b;

export const locationOf = (text: string, offset: number): Location =>
  locationsOf(text, [offset])[0] ?? { line: 1, column: 1 };
