/** Placeholders in scenario values: `${thread}`, `${param:name}`, `${id.body.items[0].id}`; `$${` stands for a plain `${`. */
import type { Path } from "../kernel/path.js";
import { parsePath } from "../kernel/path.js";

/** A placeholder, or with a second $ what only looks like one. */
export const PLACEHOLDER = /\$(\$?)\{([^{}]*)\}/g;
const WHOLE = /^\$\{([^{}]*)\}$/;
const PARAM = "param:";

/** Whether a text is filled in when the step runs. */
export const isPlaceholder = (text: string): boolean => text.includes("${");

/** What a placeholder asks for. */
interface Reference {
  /** As it is written between the braces. */
  readonly text: string;
  /** The first name: a step's id, a capture, `thread`; of a parameter the parameter's name. */
  readonly name: string;
  readonly isParam: boolean;
  /** The way from what the name stands for to the part that is meant. */
  readonly path: Path;
}

/** Reads what stands between the braces. */
function readReference(text: string): Reference {
  const inner = text.trim();
  if (inner.startsWith(PARAM)) return { text, name: inner.slice(PARAM.length), isParam: true, path: [] };
  const [name = "", ...path] = parsePath(inner);
  return { text, name: String(name), isParam: false, path };
}

/** What a reference stands for; `at`: the path of the text that holds it. */
export type Resolve = (reference: Reference, at: Path) => unknown;

interface FillOptions {
  /** Leaves all other placeholders, and what is escaped, to a later pass. */
  readonly onlyParams?: boolean;
  /** Where the value itself stands. */
  readonly at?: Path;
}

/**
 * A copy of a value with its placeholders filled in. A text that is one placeholder takes the value as it is;
 * within other text scalars are written out and all else becomes JSON.
 */
export function fillIn(
  value: unknown,
  resolve: Resolve,
  { onlyParams = false, at = [] }: FillOptions = {},
): unknown {
  if (typeof value === "string")
    return value.includes("${") ? fillText(value, resolve, onlyParams, at) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value))
    return value.map((item, index) => fillIn(item, resolve, { onlyParams, at: [...at, index] }));
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, fillIn(item, resolve, { onlyParams, at: [...at, key] })]),
  );
}

function fillText(text: string, resolve: Resolve, onlyParams: boolean, at: Path): unknown {
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) {
    const reference = readReference(whole);
    return onlyParams && !reference.isParam ? text : resolve(reference, at);
  }
  return text.replace(PLACEHOLDER, (written: string, dollar: string, inner: string) => {
    if (dollar !== "") return onlyParams ? written : written.slice(1);
    const reference = readReference(inner);
    return onlyParams && !reference.isParam ? written : asText(resolve(reference, at));
  });
}

/** Calls `see` with every placeholder in a value, in order. */
export const eachReference = (
  value: unknown,
  at: Path,
  see: (reference: Reference, at: Path) => void,
): void => void fillIn(value, see, { at });

/** A text in which every placeholder is escaped, so that filling it in gives back the text. */
export const escaped = (text: string): string => text.replace(PLACEHOLDER, (written) => `$${written}`);

const asText = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
