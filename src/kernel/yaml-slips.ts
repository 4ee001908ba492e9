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

/** How many lines around the place where the parser got stuck are searched for the slip. */
const AROUND = 1;
const RESERVED = /^[@`%*&!]/;
const BEGINS_OTHERWISE = /^["'{[|>&*!]/;

/** The slip near the place where the parser got stuck; undefined if it is none of the known ones. */
export function slipNear(text: string, { offset, message: said }: Slip): Slip | undefined {
  const lines = linesOf(text);
  const tab = /^[^\S\n]*\t/m.exec(text);
  if (tab !== null && tab.index <= endOfLine(text, offset)) {
    const at = tab.index + tab[0].length - 1;
    return { offset: at, message: "this line is indented with a tab: use spaces" };
  }
  const stuck = lines.findLastIndex((line) => line.offset <= offset);
  // An unclosed quote swallows the rest of the text.
  const unquoted = /closing ["']quote/.test(said)
    ? lines.find((line) => unclosed(line) !== undefined)
    : undefined;
  if (unquoted !== undefined)
    return {
      offset: unquoted.offset + unquoted.column + unquoted.rest.indexOf(unquoted.value),
      message: unclosed(unquoted) ?? said,
    };
  const [, kind] = /^Flow (map|sequence) in block collection/.exec(said) ?? [];
  if (kind !== undefined)
    return { offset, message: `${kind === "map" ? "a { has no }" : "a [ has no ]"} before this line` };
  const near = [stuck, stuck + AROUND, stuck - AROUND].flatMap((index) => {
    const line = lines[index];
    return line === undefined ? [] : [{ line, above: lines.slice(0, index) }];
  });
  for (const { line, above } of near) {
    const found = slipIn(line) ?? misplaced(line, above);
    if (found !== undefined) return { offset: line.offset + found.column, message: found.message };
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

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end;
}

function slipIn({ indent, column, rest, key, value }: Line) {
  if (/^-\w/.test(rest)) return { column: indent, message: "a space must follow the dash" };
  const [, name, glued = ""] = /^(\w+):([^\s/].*)$/.exec(rest) ?? [];
  if (name !== undefined) return { column, message: `a space must follow the colon: ${name}: ${glued}` };
  if (key === undefined) return undefined;
  const at = column + rest.indexOf(value, key.length + 1);
  const quoted = `${key}: ${JSON.stringify(value)}`;
  if (!BEGINS_OTHERWISE.test(value) && /:(\s|$)/.test(value))
    return { column: at, message: `a text with a colon must be in quotes: ${quoted}` };
  const [quote] = /^["']/.exec(value) ?? [];
  const inner = value.replace(/^(["'])(.*)\1$/, "$2");
  // Doubled or escaped, a quote does not end the text.
  if (quote !== undefined && inner.replace(/\\.|''/g, "").includes(quote)) {
    const other = quote === '"' ? "'" : '"';
    const whole = inner.includes(other) ? JSON.stringify(inner) : `${other}${inner}${other}`;
    return { column: at, message: `the text ends at its second quote: write ${key}: ${whole}` };
  }
  const [sign] = RESERVED.exec(value) ?? [];
  if (sign !== undefined)
    return {
      column: at,
      message: `a text that begins with ${preview(sign)} must be in quotes: ${quoted}`,
    };
  return undefined;
}

/** The message for a text with a single quote at its start. */
function unclosed({ value }: Line): string | undefined {
  const [quote] = /^["']/.exec(value) ?? [];
  if (quote === undefined || value.lastIndexOf(quote) > 0) return undefined;
  return `the text has no closing ${quote === '"' ? "double" : "single"} quote`;
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
