type Scalar = string | number | boolean | null;

/** A plain value that an entry must have at one location: less than a whole match, and much cheaper to compare. */
export interface Literal<E> {
  /** Two literals with the same location read the same part of an entry. */
  readonly location: string;
  readonly value: Scalar;
  readonly read: (entry: E) => unknown;
}

/** How many literals of a match are used: more of them would not narrow it down further. */
const MAX_LITERALS = 8;
const MAX_DEPTH = 4;

/** The plain values that a pattern holds, sorted by their locations. */
export function literalsOf<E>(pattern: object): Literal<E>[] {
  const found: Literal<E>[] = [];
  collect(pattern, [], found);
  return found.sort((a, b) => (a.location < b.location ? -1 : 1)).slice(0, MAX_LITERALS);
}

function collect<E>(pattern: object, above: readonly string[], found: Literal<E>[]): void {
  for (const [key, value] of Object.entries(pattern)) {
    const keys = [...above, key];
    if (key.startsWith("$") || Array.isArray(value) || value === undefined) continue;
    if (typeof value === "object" && value !== null) {
      if (keys.length < MAX_DEPTH) collect(value, keys, found);
    } else {
      found.push({ location: keys.join("\n"), value: value as Scalar, read: (entry) => partOf(entry, keys) });
    }
  }
}

function partOf(entry: unknown, keys: readonly string[]): unknown {
  let part = entry;
  for (const key of keys) {
    if (typeof part !== "object" || part === null) return undefined;
    part = (part as Record<string, unknown>)[key];
  }
  return part;
}

/** What a path pattern says literally: the whole path, or the segments that are no `*`, `:name` or `**`. */
export function pathLiteral(pattern: unknown): Literal<{ readonly path: string }>[] {
  if (typeof pattern !== "string") return [];
  const segments = trimmed(pattern).split("/");
  const open = segments.at(-1) === "**";
  const fixed = segments.flatMap((segment, index) => (isFree(segment) ? [] : [index]));
  if (fixed.length === segments.length) {
    return [{ location: "path", value: trimmed(pattern), read: ({ path }) => trimmed(path) }];
  }
  const least = open ? segments.length - 1 : segments.length;
  return [
    {
      location: `path ${open ? "from " : ""}${least} ${fixed}`,
      value: textAt(segments, fixed),
      read: ({ path }) => {
        const parts = trimmed(path).split("/");
        if (parts.length < least || (!open && parts.length > least)) return undefined;
        return textAt(parts, fixed);
      },
    },
  ];
}

const isFree = (segment: string): boolean => segment === "*" || segment === "**" || /^:./.test(segment);
const textAt = (segments: readonly string[], positions: readonly number[]): string =>
  positions.map((position) => segments[position]).join("/");
const trimmed = (path: string): string => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path);
