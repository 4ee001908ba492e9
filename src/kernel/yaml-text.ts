import type { Document, ParsedNode } from "yaml";
import { isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
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
  const tooDeep = depthFault(text);
  if (tooDeep !== undefined) return unusable(tooDeep, `must not be nested deeper than ${MAX_DEPTH} levels`);
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: true, logLevel: "error" });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    const locations = locate(faults.map(({ pos }) => pos[0]));
    return {
      problems: faults.map(({ code, message, pos: [offset] }, index) => ({
        ...locations[index],
        path: "",
        message: code === "DUPLICATE_KEY" ? duplicateAt(text, offset) : message,
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
