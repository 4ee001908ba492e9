import type { Alias, CST, Document, ParsedNode, YAMLMap } from "yaml";
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser, visit } from "yaml";
import { BOUNDS } from "./bounds.js";
import type { Path } from "./json.js";
import { MAX_DEPTH, sizeProblem } from "./json.js";
import { type Location, locationsOf, type ParsedText } from "./location.js";
import { preview } from "./words.js";
import { slipNear } from "./yaml-slips.js";

interface Fault {
  readonly offset: number;
  readonly message: string;
}

/** Reads a YAML 1.2 text. A text in which a mapping has a key twice is unusable. */
export function readYaml(text: string): ParsedText {
  const locate = (offsets: readonly number[]): Location[] =>
    locationsOf(
      text,
      offsets.map((offset) => Math.min(offset, text.length)),
    );
  const unusable = (faults: readonly Fault[]): ParsedText => {
    const locations = locate(faults.map(({ offset }) => offset));
    return { problems: faults.map(({ message }, index) => ({ ...locations[index], path: "", message })) };
  };
  const tooLarge = sizeFault(text);
  if (tooLarge !== undefined) return unusable([tooLarge]);
  const tokens = [...new Parser().parse(text)];
  const tooDeep = depthFault(tokens);
  if (tooDeep !== undefined) return unusable([tooDeep]);
  const { document, faults, alias } = composed(tokens, text);
  if (faults.length > 0) return unusable(faults);
  try {
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    if (
      alias !== undefined &&
      sizeProblem(value, { values: yamlValues.limit, depth: MAX_DEPTH }) !== undefined
    ) {
      const message = `aliases must not make more than ${yamlValues.limit} values of the text, nor stand inside of what they name`;
      return unusable([{ offset: offsetOf(alias), message }]);
    }
    return {
      value,
      locationsOf: (parts) =>
        locate(parts.map(({ path, onKey }) => offsetIn(document, path, onKey === true))),
      duplicateKeys: () => [],
    };
  } catch (error) {
    return unusable([{ offset: 0, message: (error as Error).message }]);
  }
}

const { yamlCharacters, yamlNodes, yamlValues } = BOUNDS;
/** The lexer announces the text of a scalar, the beginning of a document and an error with a sign of its own. */
const [SCALAR, DOCUMENT, ERROR] = ["\u{1f}", "\u{2}", "\u{18}"];

/** The package looks for what an alias names among all that have a name. */
const NODES_OF_ALIAS = 10;
/** Spaces, ends of lines and texts of scalars are as cheap as they are many. */
const BLANKS_OF_NODE = 5;

/** What makes a text too large, found before anything is built from it. */
function sizeFault(text: string): Fault | undefined {
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

/**
 * Where tokens go deeper than `MAX_DEPTH`, if they do. What composes a document calls itself for each level: at the end of the
 * stack it takes the whole process with it, so nothing deeper may reach it.
 */
function depthFault(tokens: readonly CST.Token[]): Fault | undefined {
  const left = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { token } = next;
    const depth = "items" in token ? next.depth + 1 : next.depth;
    if (depth > MAX_DEPTH)
      return { offset: token.offset, message: `must not be nested deeper than ${MAX_DEPTH} levels` };
    const inner =
      "items" in token
        ? token.items.flatMap(({ key, value }) => [key ?? [], value ?? []].flat())
        : token.type === "document"
          ? (token.value ?? [])
          : [];
    for (const part of [inner].flat()) left.push({ token: part, depth });
  }
  return undefined;
}

/** The document of tokens, what its syntax forbids, and its first alias. */
function composed(tokens: readonly CST.Token[], text: string) {
  // The package looks for a repeated key by comparing each key with each other one.
  const composer = new Composer<ParsedNode>({ uniqueKeys: false, logLevel: "error" });
  const [document, second] = [...composer.compose(tokens, true, text.length)] as [
    Document.Parsed<ParsedNode>,
    Document.Parsed<ParsedNode>?,
  ];
  const { errors, warnings } = document;
  const faults: Fault[] = [...errors, ...warnings].map(({ message, pos: [offset] }) => ({ offset, message }));
  const [first] = faults;
  const slip = first && slipNear(text, first);
  // What follows from a slip says nothing more.
  if (slip !== undefined) faults.splice(0, faults.length, slip);
  if (second !== undefined) faults.push({ offset: second.range[0], message: "must be a single document" });
  const anchors = new Set<string>();
  let alias: Alias | undefined;
  visit(document, {
    Node: (_, node) => {
      if (isMap(node)) faults.push(...keyFaults(node));
      if (!isAlias(node)) return void (node.anchor !== undefined && anchors.add(node.anchor));
      alias ??= node;
      if (anchors.has(node.source)) return;
      const message = `there is no anchor &${node.source} before the alias *${node.source}: a text that begins with * must be in quotes`;
      faults.push({ offset: offsetOf(node), message });
    },
  });
  return { document, faults, alias };
}

function keyFaults({ items }: YAMLMap): Fault[] {
  const seen = new Set<unknown>();
  return items.flatMap(({ key }) => {
    if (!isScalar(key)) return [];
    const isRepeated = seen.has(key.value);
    seen.add(key.value);
    const offset = key.range?.[0] ?? 0;
    const slip =
      key.type === "PLAIN" && /^-\w/.test(String(key.value))
        ? [{ offset, message: "a space must follow the dash" }]
        : [];
    const message = `duplicate key ${preview(String(key.value ?? ""))}`;
    return isRepeated ? [...slip, { offset, message }] : slip;
  });
}

const offsetOf = ({ range }: Alias): number => range?.[0] ?? 0;

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
