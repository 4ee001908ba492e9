/** The way from the top of a value to one of its parts: keys of objects, positions in arrays. */
export type Path = readonly (string | number)[];

const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/**
 * A path as text: `threads[0].status`; keys that are no plain names stand quoted in brackets:
 * `["window.duration"].value`. The top itself is the empty text.
 */
export function pathText(path: Path): string {
  let text = "";
  for (const segment of path) {
    if (!PLAIN_KEY.test(String(segment))) text += `[${JSON.stringify(segment)}]`;
    else text += text === "" ? segment : `.${segment}`;
  }
  return text;
}

/** Reads what {@link pathText} wrote. */
export function parsePath(text: string): (string | number)[] {
  const path: (string | number)[] = [];
  for (const [, quoted, position, key] of text.matchAll(/\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]|([^.[]+)/g)) {
    if (quoted !== undefined) path.push(JSON.parse(quoted));
    else path.push(position !== undefined ? Number(position) : (key ?? ""));
  }
  return path;
}

/**
 * The segments of a JSON pointer. Digits are a position where `value`, the top of the value pointed into,
 * has an array there, or where nothing is known of it.
 */
export function pointerPath(pointer: string, value?: unknown): (string | number)[] {
  if (pointer === "") return [];
  let current = value;
  return pointer
    .slice(1)
    .split("/")
    .map((part) => {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      const known = typeof current === "object" && current !== null;
      const isPosition = known ? Array.isArray(current) : /^\d+$/.test(key);
      current = known ? (current as Record<string, unknown>)[key] : undefined;
      return isPosition ? Number(key) : key;
    });
}
