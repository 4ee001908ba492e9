/** Placeholders in scenario values: `${thread}`, `${param:name}`, `${id.body.items[0].id}`; `$${` stands for a plain `${`. */
import type { Path } from "../kernel/path.js";
import { parsePath } from "../kernel/path.js";

const PLACEHOLDER = /\$(\$?)\{([^{}]*)\}/g;
const WHOLE = /^\$\{([^{}]*)\}$/;
const PARAM = "param:";

/** What a placeholder asks for. */
export interface Reference {
  /** As it is written between the braces. */
  readonly text: string;
  /** The first name: a step's id, a capture, `thread`; of a parameter the parameter's name. */
  readonly name: string;
  readonly isParam: boolean;
  /** The way from what the name stands for to the part that is meant. */
  readonly path: Path;
}

/** A placeholder and the place of the text that holds it. */
export interface PlacedReference extends Reference {
  readonly at: Path;
}

/** Reads what stands between the braces. */
export function readReference(text: string): Reference {
  const inner = text.trim();
  if (inner.startsWith(PARAM)) return { text, name: inner.slice(PARAM.length), isParam: true, path: [] };
  const [name = "", ...path] = parsePath(inner);
  return { text, name: String(name), isParam: false, path };
}

/** Every placeholder in a value, in order. */
export function referencesIn(value: unknown, at: Path = []): PlacedReference[] {
  if (typeof value === "string") {
    return [...value.matchAll(PLACEHOLDER)]
      .filter(([, dollar]) => dollar === "")
      .map(([, , text = ""]) => ({ ...readReference(text), at }));
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => referencesIn(item, [...at, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => referencesIn(item, [...at, key]));
}

export type Resolve = (reference: Reference) => unknown;

/**
 * A copy of a value with its placeholders filled in. A text that is one placeholder takes the value as it is;
 * within other text scalars are written out and all else becomes JSON. With `onlyParams` all others, and what
 * is escaped, stay for a later pass.
 */
export function fillIn(value: unknown, resolve: Resolve, onlyParams = false): unknown {
  if (typeof value === "string") return value.includes("${") ? fillText(value, resolve, onlyParams) : value;
  if (Array.isArray(value)) return value.map((item) => fillIn(item, resolve, onlyParams));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillIn(item, resolve, onlyParams)]),
  );
}

function fillText(text: string, resolve: Resolve, onlyParams: boolean): unknown {
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) {
    const reference = readReference(whole);
    return onlyParams && !reference.isParam ? text : resolve(reference);
  }
  return text.replace(PLACEHOLDER, (written: string, dollar: string, inner: string) => {
    if (dollar !== "") return onlyParams ? written : written.slice(1);
    const reference = readReference(inner);
    return onlyParams && !reference.isParam ? written : asText(resolve(reference));
  });
}

/** A value in which every placeholder is escaped, so that a later pass leaves it as it is. */
export const escaped = (value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("${", () => "$${") : value;

const asText = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);

/** The part of a value at the end of a path; undefined where it leads nowhere. */
export function partOf(value: unknown, path: Path): unknown {
  let part = value;
  for (const segment of path) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, segment)) return undefined;
    part = (part as Record<string | number, unknown>)[segment];
  }
  return part;
}
