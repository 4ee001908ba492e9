/** The part of docs/architecture.md with the table of rooms. */
import { LAYERS, type Layer } from "../layers.js";
import { code, table } from "./markdown.js";

const BEGIN = "<!-- layers: written by `npm run docs` from scripts/layers.ts -->";
const END = "<!-- /layers -->";

/** The text of docs/architecture.md with the current table. @throws where the marks are missing */
export function withLayers(text: string): string {
  const [before, rest = ""] = text.split(BEGIN);
  const after = rest.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/architecture.md needs the lines ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n\n${layerTable()}\n\n${END}${after}`;
}

function layerTable(): string | undefined {
  const rows = Object.entries(LAYERS).map(([name, layer]) => [
    code(name),
    layer.holds,
    layer.never,
    importsOf(name, layer),
  ]);
  return table(["layer", "holds", "never", "imports"], rows);
}

/** Longer lists are abbreviated. */
const MAX_LISTED = 4;

function importsOf(name: string, { imports, importsAllTypes }: Layer): string {
  if (importsAllTypes) return "types only";
  const others = imports.filter((other) => other !== name);
  if (others.length <= MAX_LISTED) return listed(others) || "nothing";
  const base = others.find((other) => isSame([other, ...(LAYERS[other]?.imports ?? [])], others));
  if (base !== undefined) return `${code(base)} and what it imports`;
  const rest = Object.keys(LAYERS).filter((other) => other !== name && !others.includes(other));
  return rest.length < others.length ? ["all", listed(rest)].filter(Boolean).join(" but ") : listed(others);
}

const listed = (names: readonly string[]): string => names.map(code).join(", ");
const isSame = (names: readonly string[], others: readonly string[]): boolean =>
  names.length === others.length && names.every((name) => others.includes(name));
