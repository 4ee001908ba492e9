import type { Node, ParseErrorCode } from "jsonc-parser";
import type { Path } from "./json.js";
import { MAX_DEPTH, parsePath, pathText, sizeFault } from "./json.js";
import { lazily, loadPackage } from "./packages.js";
import type { Location, Problem } from "./problems.js";
import { keyProblemAt, locator } from "./problems.js";
import { preview } from "./words.js";
import type { ParsedText } from "./yaml-text.js";

type TextFormat = "json" | "yaml";

/** A parsed JSON or YAML text, which can map its value back to lines. */
export interface ParsedDocument {
  readonly problems?: undefined;
  readonly file: string;
  readonly value: unknown;
  /** Where the value at the path, or its key, begins; if the path does not exist, the nearest ancestor. */
  locationOf(path: Path, onKey?: boolean): Location;
  /** The same problems with file, line and column, in text order. */
  locate(problems: readonly Problem[]): Problem[];
}

/**
 * Parses a JSON or YAML text, or says what is wrong with it: an object with duplicate keys too. Without a format, the file's name
 * decides, then the text: if it begins with a brace or bracket, it is JSON. JSON in a YAML file is read as JSON, which may be larger.
 */
export async function parseDocument(
  source: string,
  { file, format = formatOf(source, file) }: { file: string; format?: TextFormat | undefined },
): Promise<ParsedDocument | { readonly problems: Problem[] }> {
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  const inFile = (problems: readonly Problem[]) => problems.map((problem) => ({ file, ...problem }));
  const parsed = format === "json" ? readJson(text) : (await import("./yaml-text.js")).readYaml(text);
  if (parsed.problems !== undefined) return { problems: inFile(parsed.problems) };
  const { value, offsetOf } = parsed;
  const locate = locator(text);
  const locationOf = (path: Path, onKey?: boolean) => locate(offsetOf(path, onKey));
  return {
    file,
    value,
    locationOf,
    locate: (problems) =>
      inFile(
        problems.map((problem) => ({ ...locationOf(parsePath(problem.path), problem.onKey), ...problem })),
      ).sort(inOrder),
  };
}

const inOrder = (a: Problem, b: Problem): number =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);

function formatOf(source: string, file: string): TextFormat {
  if (/\.json$/i.test(file)) return "json";
  if (!/^\uFEFF?\s*[[{]/.test(source)) return "yaml";
  return /\.ya?ml$/i.test(file) && !isJson(source) ? "yaml" : "json";
}

function isJson(source: string): boolean {
  try {
    JSON.parse(source.replace(/^\uFEFF/, ""));
    return true;
  } catch {
    return false;
  }
}

/** Finds locations in a text. Only needed when something is wrong with it. */
const parser = () => loadPackage<typeof import("jsonc-parser")>("jsonc-parser");

function readJson(text: string): ParsedText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problems: [tooDeep(text) ?? syntaxFault(text) ?? { path: "", message: String(error) }] };
  }
  // Tokenizing a large text takes longer than parsing it.
  if (fieldsOf(value) !== namesIn(text)) {
    const deep = tooDeep(text);
    const problems = deep === undefined ? duplicateKeysOf(text) : [deep];
    if (problems.length > 0) return { problems };
  }
  const tree = lazily(() => parser().parseTree(text) as Node);
  return { value, offsetOf: (path, onKey) => offsetIn(tree(), path, onKey) };
}

function tooDeep(text: string): Problem | undefined {
  const fault = sizeFault(text);
  return fault && { ...locator(text)(fault.offset), path: "", message: fault.problem };
}

/** The message for a syntax error, by the parser's name for it; any other error means an unexpected token. */
const FAULTS: Readonly<Record<string, string>> = {
  PropertyNameExpected: "expected a key in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: 'expected ":" after the key',
  CommaExpected: 'expected "," or a closing bracket',
  CloseBraceExpected: "the text ends inside an object",
  CloseBracketExpected: "the text ends inside an array",
  EndOfFileExpected: "unexpected text after the end of the value",
  InvalidCommentToken: "JSON does not allow comments",
  UnexpectedEndOfString: "the string is not closed on its line",
  InvalidUnicode: "unknown escape in a string",
  InvalidEscapeCharacter: "unknown escape in a string",
  InvalidCharacter: "control characters must be escaped in a string",
};

function syntaxFault(text: string) {
  const { visit, getLocation, printParseErrorCode } = parser();
  let found: { readonly offset: number; readonly message: string } | undefined;
  const onError = (code: ParseErrorCode, offset: number, length: number) => {
    const unexpected = `unexpected ${preview(text.slice(offset, offset + length))}`;
    found ??= { offset, message: FAULTS[printParseErrorCode(code)] ?? unexpected };
  };
  visit(text, { onError }, { disallowComments: true });
  if (found === undefined) return undefined;
  const { offset, message } = found;
  // If the key is still missing, it is the empty one.
  const path = getLocation(text, offset).path.filter((segment) => segment !== "");
  return { ...locator(text)(offset), path: pathText(path), message };
}

function duplicateKeysOf(text: string): Problem[] {
  const found: Problem[] = [];
  const open: Set<string>[] = [];
  const locate = locator(text);
  parser().visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key, offset, _length, _line, _character, pathOf) => {
      const keys = open.at(-1);
      if (keys?.has(key))
        found.push({
          ...locate(offset),
          ...keyProblemAt([...pathOf(), key], `duplicate key ${preview(key)}`),
        });
      keys?.add(key);
    },
  });
  return found;
}

function offsetIn(root: Node, path: Path, onKey = false): number {
  const node = parser().findNodeAtLocation(root, [...path]);
  if (node === undefined) return offsetIn(root, path.slice(0, -1));
  return (onKey ? node.parent : node)?.offset ?? 0;
}

/** The total number of fields in all objects of a value; NaN if it is nested deeper than `MAX_DEPTH`. */
function fieldsOf(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth === MAX_DEPTH) return Number.NaN;
  let fields = 0;
  if (Array.isArray(value)) for (const item of value) fields += fieldsOf(item, depth + 1);
  // With a million objects, `Object.values` takes four times as long. Objects from JSON inherit no enumerable keys.
  else for (const name in value) fields += 1 + fieldsOf((value as Record<string, unknown>)[name], depth + 1);
  return fields;
}

/** How many colons in a JSON text follow a quote: about one for each key, duplicates included. */
function namesIn(text: string): number {
  const name = /"\s*:/g;
  let names = 0;
  while (name.test(text)) names += 1;
  return names;
}
