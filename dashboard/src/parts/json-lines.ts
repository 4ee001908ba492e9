/** How a value is shown, which decides its colour; `open` and `folded` stand for an object or a list. */
type Shown = "string" | "number" | "literal" | "open" | "folded" | "close";

/** A line of a JSON value, as `JSON.stringify` with two spaces writes it. */
export interface JsonLine {
  /** Where the value is, as a JSON pointer. */
  readonly path: string;
  readonly indent: string;
  /** The key with its quotes and colon; empty for an item of a list. */
  readonly key: string;
  readonly text: string;
  readonly shown: Shown;
}

/** Values below this depth stand on one line. */
const MAX_DEPTH = 60;

/** Where a part of a value is. */
const pathTo = (path: string, name: string | number): string =>
  `${path}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The first lines of a value that take so many characters, those of folded parts left out, and whether these are all. */
export function jsonLines(
  value: unknown,
  folded: ReadonlySet<string>,
  max: number,
): { readonly lines: readonly JsonLine[]; readonly isWhole: boolean } {
  const lines: JsonLine[] = [];
  let left = max;
  for (const line of linesOf(value, folded, { path: "", key: "", indent: "", comma: "" }, 0)) {
    if (left < 0) return { lines, isWhole: false };
    const { indent, key, text } = line;
    const length = indent.length + key.length + text.length;
    if (length > left) {
      const cut = (part: string, before: number) => part.slice(0, Math.max(0, left - before));
      const within = {
        indent: cut(indent, 0),
        key: cut(key, indent.length),
        text: cut(text, indent.length + key.length),
      };
      lines.push({ ...line, ...within });
      return { lines, isWhole: false };
    }
    lines.push(line);
    left -= length + 1;
  }
  return { lines, isWhole: true };
}

interface Place {
  readonly path: string;
  readonly key: string;
  readonly indent: string;
  readonly comma: string;
}

function* linesOf(
  value: unknown,
  folded: ReadonlySet<string>,
  { path, key, indent, comma }: Place,
  depth: number,
): Generator<JsonLine> {
  const line = (text: string, shown: Shown): JsonLine => ({ path, indent, key, text: text + comma, shown });
  if (!isContainer(value)) {
    const shown = typeof value === "string" ? "string" : typeof value === "number" ? "number" : "literal";
    return yield line(JSON.stringify(value) ?? "null", shown);
  }
  const isList = Array.isArray(value);
  const [opening, closing] = isList ? ["[", "]"] : ["{", "}"];
  const entries = Object.entries(value);
  if (entries.length === 0) return yield line(opening + closing, "literal");
  if (depth >= MAX_DEPTH) return yield line(JSON.stringify(value), "literal");
  if (folded.has(path)) return yield line(`${opening} ${entries.length} … ${closing}`, "folded");
  yield { ...line(opening, "open"), text: opening };
  for (const [at, [name, part]] of entries.entries()) {
    const place = {
      path: pathTo(path, name),
      key: isList ? "" : `${JSON.stringify(name)}: `,
      indent: `${indent}  `,
      comma: at < entries.length - 1 ? "," : "",
    };
    yield* linesOf(part, folded, place, depth + 1);
  }
  yield { path, indent, key: "", text: closing + comma, shown: "close" };
}

/** A part of a value that is another than before; undefined where there is none. */
export interface JsonChange {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What changed from one value to another: at most so many parts, each as deep as both have it. */
export function jsonChanges(from: unknown, to: unknown, max: number): readonly JsonChange[] {
  const changes: JsonChange[] = [];
  const compare = (path: string, one: unknown, other: unknown, depth: number): void => {
    if (changes.length >= max || one === other) return;
    const areAlike = isContainer(one) && isContainer(other) && Array.isArray(one) === Array.isArray(other);
    if (!areAlike || depth >= MAX_DEPTH) {
      if (depth < MAX_DEPTH || JSON.stringify(one) !== JSON.stringify(other))
        changes.push({ path, from: one, to: other });
      return;
    }
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)]))
      compare(pathTo(path, name), Reflect.get(one, name), Reflect.get(other, name), depth + 1);
  };
  compare("", from, to, 0);
  return changes;
}
