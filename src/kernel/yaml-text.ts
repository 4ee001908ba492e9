import type { Alias, CST, Document, ParsedNode, YAMLMap } from "yaml";
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser, visit } from "yaml";
import { BOUNDS } from "./bounds.js";
import type { Path } from "./json.js";
import { MAX_DEPTH, sizeProblem } from "./json.js";
import type { Problem } from "./problems.js";
import { locator } from "./problems.js";
import { preview } from "./words.js";

interface Fault {
  readonly offset: number;
  readonly message: string;
}

/** The result of reading a text in some format: its value, or all its problems. */
export type ParsedText =
  | { problems: Problem[] }
  | {
      problems?: undefined;
      value: unknown;
      /** Where the value at the path, or its key, begins; if the path does not exist, its nearest ancestor. */
      offsetOf: (path: Path, onKey?: boolean) => number;
    };

/** Parses a YAML 1.2 text. A text in which a mapping has duplicate keys is refused. */
export function readYaml(text: string): ParsedText {
  const unusable = (faults: readonly Fault[]): ParsedText => {
    const locate = locator(text);
    return { problems: faults.map(({ offset, message }) => ({ ...locate(offset), path: "", message })) };
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
      const message = `aliases must not expand to more than ${yamlValues.limit} values, nor refer to a value that contains them`;
      return unusable([{ offset: offsetOf(alias), message }]);
    }
    return { value, offsetOf: (path, onKey) => offsetIn(document, path, onKey) };
  } catch (error) {
    return unusable([{ offset: 0, message: (error as Error).message }]);
  }
}

const { yamlCharacters, yamlNodes, yamlValues } = BOUNDS;
/** The lexer's marker tokens, before a scalar's text, at the start of a document, and for an error. */
const [SCALAR, DOCUMENT, ERROR] = ["\u{1f}", "\u{2}", "\u{18}"];

/** The package resolves an alias by searching all anchors, so the product is limited. */
const NODES_OF_ALIAS = 10;
/** Tokens that do not count: spaces, line ends and the texts of scalars are cheap. */
const BLANKS_OF_NODE = 5;

/** The limit that a text exceeds, found before anything is built from it. */
export function sizeFault(text: string): Fault | undefined {
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
 * Where tokens are nested deeper than `MAX_DEPTH`, if they are. Composing a document is recursive, and a stack overflow there
 * would end the whole process, so nothing deeper may reach it.
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

/** The composed document, its syntax errors, and its first alias. */
function composed(tokens: readonly CST.Token[], text: string) {
  // The package finds duplicate keys by comparing every pair, and its tags such as !!binary make what is not JSON.
  const options = { uniqueKeys: false, resolveKnownTags: false, logLevel: "error" } as const;
  const documents = [...new Composer<ParsedNode>(options).compose(tokens, true, text.length)];
  const [document, second] = documents as [Document.Parsed<ParsedNode>, Document.Parsed<ParsedNode>?];
  const { errors, warnings } = document;
  const found = [...errors, ...warnings].map(({ message, pos: [offset] }) => ({ offset, message }));
  const slip = found[0] && slipAt(text, found[0].offset);
  // Errors that follow from a known slip add nothing.
  const faults: Fault[] = slip === undefined ? found : [slip];
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
    const message = `duplicate key ${preview(String(key.value ?? ""))}`;
    return isRepeated ? [{ offset: key.range?.[0] ?? 0, message }] : [];
  });
}

const offsetOf = ({ range }: Alias): number => range?.[0] ?? 0;

/** Where the part at the path, or its key, starts; if the path does not exist, the nearest ancestor. */
function offsetIn(document: Document.Parsed<ParsedNode>, path: Path, onKey = false): number {
  let node: ParsedNode | null = document.contents;
  let offset = node?.range[0] ?? 0;
  for (const [depth, segment] of path.entries()) {
    // Every alias is defined: a document with an undefined one is refused.
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

/** The three commonest slips in handwritten YAML, in plain words: the parser only says where it got stuck, in its own terms. */
const SLIPS: readonly {
  readonly line: RegExp;
  readonly message: (key: string, text: string) => string;
}[] = [
  {
    line: /^[\s-]*([\w.-]+): +([^\s"'{[|>&*!#].*?:(?:\s.*)?)$/,
    message: (key, text) => `a text with a colon must be in quotes: ${key}: ${JSON.stringify(text)}`,
  },
  {
    line: /^[\s-]*([\w.-]+):([^\s/].*)$/,
    message: (key, text) => `a space must follow the colon: ${key}: ${text}`,
  },
  {
    line: /^[\s-]*([\w.-]+): +(?:'(.*'.*)'|"(.*".*)")$/,
    message: (key, text) => `the text ends at its second quote: write ${key}: ${JSON.stringify(text)}`,
  },
];

/** Longer lines are not looked at: the parser's own words must do. */
const MAX_LINE = 1_000;

/** The slip in the line where the parser got stuck; undefined if it is none of the known ones. */
function slipAt(text: string, offset: number): Fault | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const [line = ""] = text.slice(start, start + MAX_LINE).split(/\s*(?:\n|$)/, 1);
  for (const slip of SLIPS) {
    const [, key, ...texts] = slip.line.exec(line) ?? [];
    const written = texts.find((one) => one !== undefined);
    if (key !== undefined && written !== undefined)
      return { offset: start + line.indexOf(key), message: slip.message(key, written) };
  }
  return undefined;
}
