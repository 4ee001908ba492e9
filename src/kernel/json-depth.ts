/** Documents that people write are not nested deeper; what is much deeper exhausts the stack of whatever walks it. */
export const MAX_DEPTH = 200;

const SIGN = /["[\]{}]/g;

/** Where a valid JSON text goes deeper than `MAX_DEPTH`, if it does. */
export function depthFault(text: string): number | undefined {
  let depth = 0;
  const sign = new RegExp(SIGN);
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    const [character] = found;
    if (character === '"') sign.lastIndex = endOfText(text, found.index) + 1;
    else if (character === "]" || character === "}") depth -= 1;
    else if ((depth += 1) > MAX_DEPTH) return found.index;
  }
  return undefined;
}

/** Where the text that begins at a quote ends. */
function endOfText(text: string, quote: number): number {
  let end = text.indexOf('"', quote + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}
