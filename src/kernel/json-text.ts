import { depthFault, MAX_DEPTH } from "./json-depth.js";
import { scanJson } from "./json-scan.js";
import { locationOf, locationsOf, type ParsedText } from "./location.js";
import { pathText } from "./path.js";

/** Reads a JSON text. Where it is none, the problem says more than `JSON.parse` does. */
export function readJson(text: string): ParsedText {
  try {
    const value: unknown = JSON.parse(text);
    const tooDeep = depthFault(text);
    if (tooDeep !== undefined) {
      const message = `must not be nested deeper than ${MAX_DEPTH} levels`;
      return { problems: [{ ...locationOf(text, tooDeep), path: "", message }] };
    }
    return {
      value,
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
