import type { CST } from "yaml";
import { Parser } from "yaml";
import { MAX_DEPTH } from "./json-depth.js";

/** The indentation and the signs with which a line goes deeper: as many levels it has at most. */
const LINE_START = /^[ \t?-]*/gm;

/**
 * Where a YAML text goes deeper than `MAX_DEPTH`, if it does. What makes values of YAML calls itself for each level: at
 * the end of the stack it takes the whole process with it, so nothing deeper may reach it.
 */
export function depthFault(text: string): number | undefined {
  if (!mayBeDeep(text)) return undefined;
  const left: { readonly token: CST.Token; readonly depth: number }[] = [];
  for (const token of new Parser().parse(text)) left.push({ token, depth: 0 });
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { token, depth } = next;
    const own = "items" in token ? depth + 1 : depth;
    if (own > MAX_DEPTH) return token.offset;
    for (const inner of partsOf(token)) left.push({ token: inner, depth: own });
  }
  return undefined;
}

/** A look at the signs alone: no text goes deeper than they say. Closing ones count for nothing, they may stand in a text. */
function mayBeDeep(text: string): boolean {
  // A text that is not indented may be one collection.
  let levels = 1;
  for (const [start] of text.matchAll(LINE_START)) levels = Math.max(levels, start.length + 1);
  for (const _sign of text.matchAll(/[[{]/g)) levels += 1;
  return levels > MAX_DEPTH;
}

function partsOf(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key ?? [], value ?? []].flat());
}
