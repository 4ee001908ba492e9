import { scanJson } from "./json-scan.js";
import { locationOf, locationsOf, type ParsedText } from "./location.js";
import { pathText } from "./path.js";

/** Reads a JSON text. Where it is none, the problem says more than `JSON.parse` does. */
export function readJson(text: string): ParsedText {
  try {
    return {
      value: JSON.parse(text),
      locationsOf: (parts) => locationsOf(text, scanJson(text, parts).offsets),
      duplicateKeys: () => {
        const { duplicates } = scanJson(text);
        const locations = locationsOf(
          text,
          duplicates.map(({ offset }) => offset),
        );
        return duplicates.map(({ path, message }, index) => ({
          ...locations[index],
          path: pathText(path),
          message,
          onKey: true,
        }));
      },
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
