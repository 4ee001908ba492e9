import { BOUNDS } from "./bounds.js";

/** Documents that people write are not nested deeper; what is much deeper exhausts the stack of whatever walks it. */
export const MAX_DEPTH = BOUNDS.jsonDepth.limit;

const [QUOTE, BACKSLASH] = [0x22, 0x5c] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** Where a JSON text goes deeper than `MAX_DEPTH`, if it does. Of a text that is no JSON, what its signs say. */
export function depthFault(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1;
    else if ((code === OPEN_ARRAY || code === OPEN_OBJECT) && (depth += 1) > MAX_DEPTH) return at;
  }
  return undefined;
}

/** Where the text that begins at a quote ends; the end of everything where it does not. */
function endOfText(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end >= 0; end = text.indexOf('"', end + 1))
    if (!isEscaped(text, end)) return end;
  return text.length;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}
