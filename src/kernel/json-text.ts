import { depthFault, MAX_DEPTH } from "./json-depth.js";
import { scanJson } from "./json-scan.js";
import { locationOf, locationsOf, type ParsedText } from "./location.js";
import { pathText } from "./path.js";

/** Reads a JSON text. Where it is none, the problem says more than `JSON.parse` does. */
export function readJson(text: string): ParsedText {
  try {
    const value: unknown = JSON.parse(text);
    // Going through a large text by its signs takes longer than parsing it.
    const isPlain = fieldsOf(value) === namesIn(text);
    const tooDeep = isPlain ? undefined : depthFault(text);
    if (tooDeep !== undefined) {
      const message = `must not be nested deeper than ${MAX_DEPTH} levels`;
      return { problems: [{ ...locationOf(text, tooDeep), path: "", message }] };
    }
    return {
      value,
      locationsOf: (parts) => locationsOf(text, scanJson(text, parts).offsets),
      duplicateKeys: () => (isPlain ? [] : duplicateKeysOf(text)),
    };
  } catch (error) {
    const { offset, path, message } = scanJson(text).syntax ?? {
      offset: 0,
      path: [],
      message: String(error),
    };
    return { problems: [{ ...locationOf(text, offset), path: pathText(path), message }] };
  }
}

function duplicateKeysOf(text: string) {
  const { duplicates } = scanJson(text);
  const locations = locationsOf(
    text,
    duplicates.map(({ offset }) => offset),
  );
  return duplicates.map(({ path, message }, index) => ({
    ...locations[index],
    path: pathText(path),
    message,
    onKey: true as const,
  }));
}

type RawObject = Readonly<Record<string, unknown>>;

/** How many fields all objects of a value have together; not a number where it goes deeper than `MAX_DEPTH`. */
function fieldsOf(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth === MAX_DEPTH) return Number.NaN;
  let fields = 0;
  if (Array.isArray(value)) for (const item of value) fields += fieldsOf(item, depth + 1);
  // A list of the values of each of a million objects takes four times as long. What JSON makes inherits no names.
  else for (const name in value) fields += 1 + fieldsOf((value as RawObject)[name], depth + 1);
  return fields;
}

const [QUOTE, SPACE] = [0x22, 0x20] as const;

/** How many colons of a JSON text follow a quote: one for each name, a name that comes twice included, and few others. */
function namesIn(text: string): number {
  let names = 0;
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    let before = colon - 1;
    while (text.charCodeAt(before) <= SPACE) before -= 1;
    if (text.charCodeAt(before) === QUOTE) names += 1;
  }
  return names;
}
