import { readJson } from "./json-text.js";
import type { Path } from "./path.js";
import { parsePath, pathText } from "./path.js";
import type { Problem } from "./problems.js";

export type TextFormat = "json" | "yaml";

/** A place in a text; lines and columns (in UTF-16 code units) are counted from 1. */
export interface Location {
  line: number;
  column: number;
}

/** A part of the value whose place is asked for, or the key of that part. */
export interface Part {
  path: Path;
  onKey?: boolean | undefined;
}

/** What the reader of a format made of a text. */
export type ParsedText =
  | { problems: Problem[] }
  | { problems?: undefined; value: unknown; places: (parts: readonly Part[]) => Location[] };

/** A JSON or YAML text that was read, and the way back from its value to its lines. */
export interface ParsedDocument {
  readonly problems?: undefined;
  readonly file: string;
  readonly value: unknown;
  /** Where the value at the path begins, or its key; for a path that leads nowhere, the nearest part around it. */
  locationOf(path: Path, onKey?: boolean): Location;
  /** The same problems with file, line and column, in the order of the text. One pass, whatever their number. */
  locate(problems: readonly Problem[]): Problem[];
  /** Keys that an object has twice. YAML texts with one are no documents at all. */
  duplicateKeys(): Problem[];
}

/** A text that is neither: what is wrong, each problem with its place. */
export interface UnreadableText {
  readonly problems: Problem[];
}

/**
 * Reads a JSON or YAML text. Without a format the file's name decides, then the text: one that
 * begins with a brace or bracket is JSON. Lines and columns are worked out when they are asked for.
 *
 * @example
 * const document = await parseDocument('{ "port": "x" }', { file: "sim.json" });
 * if (document.problems) throw new UnusableDocument(document.problems);
 * document.place(["port"]); // { line: 1, column: 11 }
 */
export async function parseDocument(
  source: string,
  { file, format = formatOf(source, file) }: { file: string; format?: TextFormat | undefined },
): Promise<ParsedDocument | UnreadableText> {
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  const parsed =
    format === "json" ? parseJson(text, file) : (await import("./yaml-text.js")).readYaml(text, file);
  if (parsed.problems !== undefined) return parsed;
  const { value, places } = parsed;
  return {
    file,
    value,
    locationOf: (path, onKey) => places([{ path, onKey }])[0] as Location,
    locate: (problems) => {
      const found = places(problems.map(({ path, onKey }) => ({ path: parsePath(path), onKey })));
      return problems
        .map((problem, index) => ({ file, ...(found[index] as Location), ...problem }))
        .sort((a, b) => a.line - b.line || a.column - b.column);
    },
    duplicateKeys: () => (format === "json" ? duplicatesIn(text, file) : []),
  };
}

function formatOf(source: string, file: string): TextFormat {
  if (/\.json$/i.test(file)) return "json";
  if (/\.ya?ml$/i.test(file)) return "yaml";
  return /^\uFEFF?\s*[[{]/.test(source) ? "json" : "yaml";
}

function parseJson(text: string, file: string): ParsedText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const { offset, path, message } = readJson(text).syntax ?? {
      offset: 0,
      path: [],
      message: (error as Error).message,
    };
    return {
      problems: [{ file, ...(placesOf(text, [offset])[0] as Location), path: pathText(path), message }],
    };
  }
  return {
    value,
    places: (parts) => {
      const { spots } = readJson(
        text,
        parts.map(({ path }) => path),
      );
      return placesOf(
        text,
        spots.map(({ value: offset, key }, index) => (parts[index]?.onKey ? (key ?? offset) : offset)),
      );
    },
  };
}

function duplicatesIn(text: string, file: string): Problem[] {
  const { duplicates } = readJson(text);
  const places = placesOf(
    text,
    duplicates.map(({ offset }) => offset),
  );
  return duplicates.map(({ path, message }, index) => ({
    file,
    ...(places[index] as Location),
    path: pathText(path),
    message,
    onKey: true,
  }));
}

/** Lines and columns of offsets into a text, in one pass over its line breaks. */
function placesOf(text: string, offsets: readonly number[]): Location[] {
  const places: Location[] = [];
  let line = 1;
  let start = 0;
  let lineBreak = text.indexOf("\n");
  for (const index of [...offsets.keys()].sort((a, b) => (offsets[a] as number) - (offsets[b] as number))) {
    const offset = offsets[index] as number;
    while (lineBreak >= 0 && lineBreak < offset) {
      line += 1;
      start = lineBreak + 1;
      lineBreak = text.indexOf("\n", start);
    }
    places[index] = { line, column: offset - start + 1 };
  }
  return places;
}
