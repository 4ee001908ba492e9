import type { Node, ParseErrorCode } from "jsonc-parser";
import type { Path } from "./json.js";
import { MAX_DEPTH, parsePath, pathText, sizeFault } from "./json.js";
import type { Location, ParsedText, Part } from "./location.js";
import { locationOf, locationsOf } from "./location.js";
import { loadPackage } from "./packages.js";
import type { Problem } from "./problems.js";
import { preview } from "./words.js";

export type TextFormat = "json" | "yaml";

/** A parsed JSON or YAML text, which can map its value back to lines. */
export interface ParsedDocument {
  readonly problems?: undefined;
  readonly file: string;
  readonly value: unknown;
  /** Where the value at the path, or its key, begins; if the path does not exist, the nearest ancestor. */
  locationOf(path: Path, onKey?: boolean): Location;
  /** The same problems with file, line and column, in text order. One pass, however many there are. */
  locate(problems: readonly Problem[]): Problem[];
  /** Duplicate keys of an object. YAML texts that have any are refused as a whole. */
  duplicateKeys(): Problem[];
}

/**
 * Parses a JSON or YAML text, or says what is wrong with it. Without a format, the file's name decides, then the text:
 * if it begins with a brace or bracket, it is JSON. JSON in a YAML file is read as JSON, which may be larger. Lines and columns
 * are computed on demand.
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
  try {
    const value: unknown = JSON.parse(text);
    // Tokenizing a large text takes longer than parsing it.
    const isPlain = fieldsOf(value) === namesIn(text);
    return (
      (isPlain ? undefined : tooDeep(text)) ?? {
        value,
        locationsOf: (parts) => locationsOf(text, offsetsIn(text, parts)),
        duplicateKeys: () => (isPlain ? [] : duplicateKeysOf(text)),
      }
    );
  } catch (error) {
    return tooDeep(text) ?? { problems: [syntaxFault(text) ?? { path: "", message: String(error) }] };
  }
}

function tooDeep(text: string): ParsedText | undefined {
  const fault = sizeFault(text);
  return fault && { problems: [{ ...locationOf(text, fault.offset), path: "", message: fault.problem }] };
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

export function syntaxFault(text: string) {
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
  return { ...locationOf(text, offset), path: pathText(path), message };
}

function duplicateKeysOf(text: string) {
  const found: { readonly offset: number; readonly path: Path; readonly message: string }[] = [];
  const open: Set<string>[] = [];
  parser().visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key, offset, _length, _line, _character, pathOf) => {
      const keys = open.at(-1);
      if (keys?.has(key))
        found.push({ offset, path: [...pathOf(), key], message: `duplicate key ${preview(key)}` });
      keys?.add(key);
    },
  });
  const locations = locationsOf(
    text,
    found.map(({ offset }) => offset),
  );
  return found.map(({ path, message }, index) => ({
    ...locations[index],
    path: pathText(path),
    message,
    onKey: true as const,
  }));
}

/** Where each part begins; if the path does not exist, its nearest ancestor. */
function offsetsIn(text: string, parts: readonly Part[]): number[] {
  const root = parser().parseTree(text);
  const members = new Map<Node, ReadonlyMap<string, Node>>();
  const membersOf = (object: Node): ReadonlyMap<string, Node> => {
    const known =
      members.get(object) ?? new Map(object.children?.map((member) => [member.children?.[0]?.value, member]));
    members.set(object, known);
    return known;
  };
  return parts.map(({ path, onKey }) => {
    let part = root;
    for (const [depth, segment] of path.entries()) {
      const member = part?.type === "object" ? membersOf(part).get(String(segment)) : undefined;
      if (onKey === true && member !== undefined && depth === path.length - 1) return member.offset;
      const next = part?.type === "array" ? part.children?.[Number(segment)] : member?.children?.[1];
      if (next === undefined) break;
      part = next;
    }
    return part?.offset ?? 0;
  });
}

type RawObject = Readonly<Record<string, unknown>>;

/** The total number of fields in all objects of a value; NaN if it is nested deeper than `MAX_DEPTH`. */
function fieldsOf(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth === MAX_DEPTH) return Number.NaN;
  let fields = 0;
  if (Array.isArray(value)) for (const item of value) fields += fieldsOf(item, depth + 1);
  // With a million objects, `Object.values` takes four times as long. Objects from JSON inherit no enumerable keys.
  else for (const name in value) fields += 1 + fieldsOf((value as RawObject)[name], depth + 1);
  return fields;
}

const [QUOTE, SPACE] = [0x22, 0x20] as const;

/** How many colons in a JSON text follow a quote: about one for each key, duplicates included. */
function namesIn(text: string): number {
  let names = 0;
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    let before = colon - 1;
    while (text.charCodeAt(before) <= SPACE) before -= 1;
    if (text.charCodeAt(before) === QUOTE) names += 1;
  }
  return names;
}
