import type { Document, ParsedNode } from "yaml";
import { isAlias, isMap, isScalar, isSeq, Lexer, parseDocument, visit } from "yaml";
import { BOUNDS } from "./bounds.js";
import { MAX_DEPTH } from "./json-depth.js";
import { type Location, locationsOf, type ParsedText } from "./location.js";
import type { Path } from "./path.js";
import { preview } from "./words.js";
import { excessIn } from "./yaml-aliases.js";
import { depthFault } from "./yaml-depth.js";

/** A key as it stands in a text. */
const KEY = /"[^"]*"|'[^']*'|[^\s:]+/y;

/** Reads a YAML 1.2 text. A text in which a mapping has a key twice is unusable. */
export function readYaml(text: string): ParsedText {
  const locate = (offsets: readonly number[]): Location[] =>
    locationsOf(
      text,
      offsets.map((offset) => Math.min(offset, text.length)),
    );
  const unusable = (offset: number, message: string): ParsedText => ({
    problems: [{ ...locate([offset])[0], path: "", message }],
  });
  const tooLarge = sizeFault(text);
  if (tooLarge !== undefined) return unusable(tooLarge.offset, tooLarge.message);
  const tooDeep = depthFault(text);
  if (tooDeep !== undefined) return unusable(tooDeep, `must not be nested deeper than ${MAX_DEPTH} levels`);
  // The package looks for a repeated key by comparing each key with each other one.
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, logLevel: "error" });
  const faults = [...document.errors, ...document.warnings, ...repeatedKeys(document)];
  if (faults.length > 0) {
    const locations = locate(faults.map(({ pos }) => pos[0]));
    return {
      problems: faults.map(({ code, message, pos: [offset] }, index) => ({
        ...locations[index],
        path: "",
        message: code === REPEATED ? duplicateAt(text, offset) : message,
      })),
    };
  }
  const excess = excessIn(document);
  if (excess !== undefined) return unusable(excess.offset, excess.message);
  try {
    return {
      value: document.toJS({ maxAliasCount: -1 }),
      locationsOf: (parts) =>
        locate(parts.map(({ path, onKey }) => offsetIn(document, path, onKey === true))),
      duplicateKeys: () => [],
    };
  } catch (error) {
    return { problems: [{ line: 1, column: 1, path: "", message: (error as Error).message }] };
  }
}

const { yamlCharacters, yamlNodes } = BOUNDS;
/** The lexer announces the text of a scalar, the beginning of a document and an error with a sign of its own. */
const [SCALAR, DOCUMENT, ERROR] = ["\u{1f}", "\u{2}", "\u{18}"];

/** The package looks for what an alias names among all that have a name. */
const NODES_OF_ALIAS = 10;
/** Spaces, ends of lines and texts of scalars are as cheap as they are many. */
const BLANKS_OF_NODE = 5;

/** What makes a text too large, found before anything is built from it. */
function sizeFault(text: string): { readonly offset: number; readonly message: string } | undefined {
  if (text.length > yamlCharacters.limit)
    return { offset: 0, message: `must have at most ${yamlCharacters.limit} characters; JSON may have more` };
  let [offset, nodes, blanks] = [0, 0, 0];
  let previous = "";
  for (const token of new Lexer().lex(text)) {
    if (token !== SCALAR && token !== DOCUMENT && token !== ERROR) offset += token.length;
    if (previous !== SCALAR && token.trim() !== "") nodes += token.startsWith("*") ? NODES_OF_ALIAS : 1;
    else blanks += 1;
    if (nodes > yamlNodes.limit || blanks > BLANKS_OF_NODE * yamlNodes.limit)
      return { offset, message: `must have at most ${yamlNodes.limit} values and keys; JSON may have more` };
    previous = token;
  }
  return undefined;
}

const REPEATED = "DUPLICATE_KEY";

/** The keys that a mapping has twice, in the order of the text. */
function repeatedKeys(document: Document.Parsed<ParsedNode>) {
  const found: {
    readonly code: typeof REPEATED;
    readonly pos: readonly [number];
    readonly message: string;
  }[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) found.push({ code: REPEATED, pos: [key.range?.[0] ?? 0], message: "" });
        seen.add(key.value);
      }
    },
  });
  return found;
}

function duplicateAt(text: string, offset: number): string {
  KEY.lastIndex = offset;
  const [key = ""] = KEY.exec(text) ?? [];
  return `duplicate key ${preview(key.replace(/^(["'])(.*)\1$/, "$2"))}`;
}

/** Where the part at the path begins, or its key; the nearest part around it where the path leads nowhere. */
function offsetIn(document: Document.Parsed<ParsedNode>, path: Path, onKey: boolean): number {
  let node: ParsedNode | null = document.contents;
  let offset = node?.range[0] ?? 0;
  for (const [depth, segment] of path.entries()) {
    // Every alias names something: a document in which one does not is refused.
    if (isAlias(node)) node = node.resolve(document) as ParsedNode;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => keyText(key) === String(segment));
      if (pair === undefined) return offset;
      const [onItsKey] = pair.key.range;
      if (onKey && depth === path.length - 1) return onItsKey;
      node = pair.value;
      offset = node?.range[0] ?? onItsKey;
    } else if (isSeq(node) && typeof segment === "number") {
      node = node.items[segment] ?? null;
      offset = node?.range[0] ?? offset;
    } else return offset;
  }
  return offset;
}

const keyText = (key: unknown): string => String(isScalar(key) ? key.value : key);
