import { readJson } from "./json-text.js";
import type { Location } from "./location.js";
import type { Path } from "./path.js";
import { parsePath } from "./path.js";
import type { Problem } from "./problems.js";

export type TextFormat = "json" | "yaml";

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

/**
 * Reads a JSON or YAML text, or says what is wrong with it. Without a format the file's name decides, then the text:
 * one that begins with a brace or bracket is JSON. Lines and columns are worked out when they are asked for.
 *
 * @example
 * const document = await parseDocument('{ "port": "x" }', { file: "sim.json" });
 * if (document.problems) throw new UnusableDocument(document.problems);
 * document.locationOf(["port"]); // { line: 1, column: 11 }
 */
export async function parseDocument(
  source: string,
  { file, format = formatOf(source, file) }: { file: string; format?: TextFormat | undefined },
): Promise<ParsedDocument | { readonly problems: Problem[] }> {
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  const inFile = (problems: readonly Problem[]) => problems.map((problem) => ({ file, ...problem }));
  const parsed = format === "json" ? readJson(text) : (await import("./yaml-text.js")).readYaml(text);
  if (parsed.problems !== undefined) return { problems: inFile(parsed.problems) };
  const { value, locationsOf, duplicateKeys } = parsed;
  const locate = (problems: readonly Problem[]): Problem[] => {
    const locations = locationsOf(problems.map(({ path, onKey }) => ({ path: parsePath(path), onKey })));
    return inFile(problems.map((problem, index) => ({ ...locations[index], ...problem }))).sort(inOrder);
  };
  return {
    file,
    value,
    locationOf: (path, onKey) => locationsOf([{ path, onKey }])[0] ?? { line: 1, column: 1 },
    locate,
    duplicateKeys: () => inFile(duplicateKeys()),
  };
}

const inOrder = (a: Problem, b: Problem): number =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);

function formatOf(source: string, file: string): TextFormat {
  if (/\.json$/i.test(file)) return "json";
  if (/\.ya?ml$/i.test(file)) return "yaml";
  return /^\uFEFF?\s*[[{]/.test(source) ? "json" : "yaml";
}
