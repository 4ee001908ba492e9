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

/** Makes a copy of a value with its placeholders filled in. */
export type Template = (resolve: Resolve) => unknown;

/** Reads the placeholders of a value, which many copies can be made of. */
export function template(value: unknown, { onlyParams = false, at = [] }: FillOptions = {}): Template {
  if (typeof value === "string")
    return isPlaceholder(value) ? textTemplate(value, onlyParams, at) : () => value;
  if (typeof value !== "object" || value === null) return () => value;
  const inner = (item: unknown, key: string | number) => template(item, { onlyParams, at: [...at, key] });
  if (Array.isArray(value)) {
    const items = value.map(inner);
    return (resolve) => items.map((fill) => fill(resolve));
  }
  const entries = Object.entries(value).map(([key, item]) => [key, inner(item, key)] as const);
  return (resolve) => Object.fromEntries(entries.map(([key, fill]) => [key, fill(resolve)]));
}

function textTemplate(text: string, onlyParams: boolean, at: Path): Template {
  const isKept = ({ isParam }: Reference) => onlyParams && !isParam;
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) {
    const reference = readReference(whole);
    return (resolve) => (isKept(reference) ? text : resolve(reference, at));
  }
  const pieces: (string | Reference)[] = [];
  let end = 0;
  for (const { 0: written, 1: dollar, 2: inner = "", index } of text.matchAll(PLACEHOLDER)) {
    const reference = readReference(inner);
    pieces.push(text.slice(end, index));
    if (dollar !== "") pieces.push(onlyParams ? written : written.slice(1));
    else pieces.push(isKept(reference) ? written : reference);
    end = index + written.length;
  }
  pieces.push(text.slice(end));
  return (resolve) =>
    pieces.map((piece) => (typeof piece === "string" ? piece : asText(resolve(piece, at)))).join("");
}

/**
 * A copy of a value with its placeholders filled in. A text that is one placeholder takes the value as it is;
 * within other text scalars are written out and all else becomes JSON.
 */
export const fillIn = (value: unknown, resolve: Resolve, options?: FillOptions): unknown =>
  template(value, options)(resolve);

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
