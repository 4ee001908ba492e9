import { PLACEHOLDER } from "../scenarios/placeholders.js";

/** A number that only a placeholder within a text can stand for. */
export class NumberIn {
  constructor(readonly placeholder: string) {}
}

/** A body as a scenario writes it: as it is, or as JSON text where a number in it comes from a text. */
export function writtenBody(value: unknown): unknown {
  const placeholders: string[] = [];
  let isText = false;
  const marked = (placeholder: string) => `\u0000${placeholders.push(placeholder) - 1}\u0000`;
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof NumberIn) {
      isText = true;
      return `\u0001${marked(part.placeholder)}\u0001`;
    }
    if (typeof part !== "string") return part;
    return part.replace(PLACEHOLDER, (found, dollar) => (dollar === "" ? marked(found) : found.slice(1)));
  });
  if (!isText) return value;
  const placeholderAt = (_mark: string, index: string) => placeholders[Number(index)] ?? "";
  // Written as an escape no $ of the text itself can be taken for a placeholder's.
  return text
    .replaceAll("$", "\\u0024")
    .replace(/"\\u0001\\u0000(\d+)\\u0000\\u0001"/g, placeholderAt)
    .replace(/\\u0000(\d+)\\u0000/g, placeholderAt);
}
