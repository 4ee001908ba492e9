import type { Document, Node, Pair, ParsedNode } from "yaml";
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Location, ParsedText } from "./document.js";
import type { Path } from "./path.js";
import { preview } from "./words.js";

/** A key as it stands in a text. */
const KEY = /"[^"]*"|'[^']*'|[^\s:]+/y;

/** Reads a YAML 1.2 text: its value and the places of its parts, or all that is wrong with it. */
export function readYaml(text: string, file: string): ParsedText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const placeOf = (offset: number): Location => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problems = [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
    file,
    ...placeOf(pos[0]),
    path: "",
    message: code === "DUPLICATE_KEY" ? duplicateAt(text, pos[0]) : message,
  }));
  if (problems.length > 0) return { problems };
  try {
    const value: unknown = document.toJS();
    return {
      value,
      places: (paths) => paths.map(({ path, onKey }) => placeOf(offsetIn(document, path, onKey === true))),
    };
  } catch (error) {
    return { problems: [{ file, line: 1, column: 1, path: "", message: (error as Error).message }] };
  }
}

function duplicateAt(text: string, offset: number): string {
  KEY.lastIndex = offset;
  const [key = ""] = KEY.exec(text) ?? [];
  return `duplicate key ${preview(key.replace(/^(["'])(.*)\1$/, "$2"))}`;
}

/** Where the part at the path begins, or its key; the nearest part around it where the path leads nowhere. */
function offsetIn(document: Document.Parsed<ParsedNode>, path: Path, onKey: boolean): number {
  let node: Node | null = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const [depth, segment] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document) ?? null;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => keyText(key) === String(segment)) as
        | Pair<Node, Node | null>
        | undefined;
      if (pair === undefined) return offset;
      const key = pair.key.range?.[0] ?? offset;
      if (onKey && depth === path.length - 1) return key;
      node = pair.value;
      offset = node?.range?.[0] ?? key;
    } else if (isSeq(node) && typeof segment === "number") {
      node = (node.items[segment] as Node | undefined) ?? null;
      offset = node?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

const keyText = (key: unknown): string => String(isScalar(key) ? key.value : key);
