/** The common slips in handwritten YAML, in plain words: the parser only reports where it got stuck, in its own terms. */
import { preview } from "./words.js";

interface Slip {
  readonly offset: number;
  readonly message: string;
}

/** A line of a text that is neither empty nor a comment. */
interface Line {
  readonly number: number;
  readonly offset: number;
  readonly indent: number;
  /** Whether it starts with a dash, followed by its key. */
  readonly isItem: boolean;
  /** The column of its key: after the indent, and after the dash of an item. */
  readonly column: number;
  readonly rest: string;
  readonly key: string | undefined;
  /** The text after the colon; empty if the value is on the next lines. */
  readonly value: string;
}

const BEGINS_OTHERWISE = /^["'{[|>&*!]/;

/** The slip near the place where the parser got stuck; undefined if it is none of the known ones. */
export function slipNear(text: string, { offset, message: said }: Slip): Slip | undefined {
  const end = text.indexOf("\n", offset);
  const tab = /^[^\S\n]*\t/m.exec(text);
  if (tab !== null && (end < 0 || tab.index <= end))
    return { offset: tab.index + tab[0].length - 1, message: "this line is indented with a tab: use spaces" };
  const [, flow] = /^Flow (map|sequence) in block collection/.exec(said) ?? [];
  if (flow !== undefined)
    return { offset, message: `${flow === "map" ? "a { has no }" : "a [ has no ]"} before this line` };
  const lines = linesOf(text);
  const stuck = lines.findLastIndex((line) => line.offset <= offset);
  // An unclosed quote swallows the rest of the text.
  const unclosed = /closing ["']quote/.test(said) ? lines.findIndex(isUnclosed) : -1;
  for (const index of [unclosed, stuck, stuck + 1, stuck - 1]) {
    const line = lines[index];
    if (line === undefined) continue;
    const found = slipIn(line) ?? misplaced(line, lines.slice(0, index));
    if (found) return { offset: line.offset + found.column, message: found.message };
  }
  return undefined;
}

function linesOf(text: string): Line[] {
  let offset = 0;
  return text.split("\n").flatMap((raw, index) => {
    const start = offset;
    offset += raw.length + 1;
    const [, before = "", dash = "", rest = ""] = /^( *)(- +)?(.*)$/.exec(raw.trimEnd()) ?? [];
    if (rest === "" || rest.startsWith("#")) return [];
    const [, key, value = ""] = /^([\w.-]+):(?:\s+(.*))?$/.exec(rest) ?? [];
    const column = before.length + dash.length;
    const isItem = dash !== "";
    return [{ number: index + 1, offset: start, indent: before.length, isItem, column, rest, key, value }];
  });
}

const isUnclosed = ({ value }: Line): boolean => /^(["'])(?!.*\1)/.test(value);

function slipIn(line: Line) {
  const { indent, column, rest, key, value } = line;
  if (/^-\w/.test(rest)) return { column: indent, message: "a space must follow the dash" };
  const [, name, glued = ""] = /^(\w+):([^\s/].*)$/.exec(rest) ?? [];
  if (name !== undefined) return { column, message: `a space must follow the colon: ${name}: ${glued}` };
  const message = key === undefined ? undefined : slipInValue(line);
  return message === undefined ? undefined : { column: column + rest.length - value.length, message };
}

function slipInValue(line: Line): string | undefined {
  const { key, value } = line;
  const quoted = `${key}: ${JSON.stringify(value)}`;
  if (!BEGINS_OTHERWISE.test(value) && /:(\s|$)/.test(value))
    return `a text with a colon must be in quotes: ${quoted}`;
  const [sign = ""] = /^["'@`%*&!]/.exec(value) ?? [];
  if (sign === "") return undefined;
  if (sign !== '"' && sign !== "'")
    return `a text that begins with ${preview(sign)} must be in quotes: ${quoted}`;
  if (isUnclosed(line)) return `the text has no closing ${sign === '"' ? "double" : "single"} quote`;
  const inner = value.replace(/^(["'])(.*)\1$/, "$2");
  // Doubled or escaped, a quote does not end the text.
  if (!inner.replace(/\\.|''/g, "").includes(sign)) return undefined;
  const other = sign === '"' ? "'" : '"';
  const whole = inner.includes(other) ? JSON.stringify(inner) : `${other}${inner}${other}`;
  return `the text ends at its second quote: write ${key}: ${whole}`;
}

/** A line whose column differs from those that it belongs with. */
function misplaced({ indent, isItem, key, column }: Line, above: readonly Line[]) {
  const before = above.at(-1);
  if (before === undefined) return undefined;
  if (isItem) {
    const item = above.findLast((line) => line.isItem);
    if (item === undefined || above.some((line) => line.isItem && line.indent === indent)) return undefined;
    const where = `column ${item.indent + 1}, like the dash of line ${item.number}`;
    return { column: indent, message: `this dash must be in ${where}` };
  }
  if (key === undefined) return undefined;
  const fits = above.some((line) => line.column === column && line.key !== undefined);
  // Nothing can be nested below a value that ends on its own line.
  if ((fits && indent <= before.column) || (before.value === "" && indent > before.indent)) return undefined;
  const where = `column ${before.column + 1}, below ${preview(before.key ?? before.rest)} of line ${before.number}`;
  return { column: indent, message: `${preview(key)} must be in ${where}` };
}
