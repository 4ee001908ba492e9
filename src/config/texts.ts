import { parseDocument } from "../kernel/document.js";
import { parsePath, pathText } from "../kernel/path.js";
import type { Problem } from "../kernel/problems.js";
import type { Schema } from "../kernel/schema.js";
import { describeSchema, preview } from "../kernel/words.js";
import { isRepeatable, type Option } from "./option.js";
import { type OptionName, SERVE_OPTIONS } from "./options.js";
import type { Source, SourceValue } from "./source.js";

/** A text is no value of its option; the message says why. */
class Unreadable extends Error {}

/**
 * Makes of the texts of one option, as flags and variables carry them, the value that a config file would hold. Of
 * several texts for an option with one value the last counts, as with other programs.
 *
 * @param label how the user gave it: `--port`, `MESSAGING_SIM_PORT`
 */
export async function valueOfTexts(
  name: OptionName,
  label: string,
  texts: readonly string[],
): Promise<Source> {
  try {
    const value = await read(SERVE_OPTIONS[name], texts);
    return { values: [{ name, value, locate: locatorOf(name, label) }], problems: [] };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { values: [], problems: [{ path: label, message: error.message }] };
  }
}

async function read(option: Option, texts: readonly string[]): Promise<unknown> {
  const { schema } = option;
  const last = texts.at(-1) ?? "";
  if (last === "" || (isRepeatable(option) && texts.includes(""))) throw new Unreadable("needs a value");
  if (schema.type === "object") return Object.fromEntries(await Promise.all(texts.map(readSetting)));
  if (schema.type === "array") return texts.map((text) => readScalar(schema.items ?? {}, text));
  return readScalar(schema, last);
}

function readScalar(schema: Schema, text: string): unknown {
  const types = (schema.anyOf ?? [schema]).map(({ type }) => type);
  if (types.includes("integer") && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (types.includes("boolean") && /^(true|1|false|0)$/.test(text)) return text === "true" || text === "1";
  if (types.includes("string")) return text;
  throw new Unreadable(`must be ${describeSchema(schema)}, but is ${preview(text)}`);
}

/** `key=value`, the value in YAML: `window.duration=24h`, `limits.rate={ requests: 5, per: 1m }`. */
async function readSetting(text: string): Promise<[string, unknown]> {
  const [, key, source] = /^\s*([^=]*[^=\s])\s*=([\s\S]*)$/.exec(text) ?? [];
  if (key === undefined || source === undefined)
    throw new Unreadable(`must be key=value, but is ${preview(text)}`);
  const document = await parseDocument(source, { file: "", format: "yaml" });
  if (document.problems)
    throw new Unreadable(`${key}: cannot be read as YAML: ${document.problems[0]?.message.split("\n")[0]}`);
  return [key, document.value];
}

/** Problems of flags and variables name what was typed: the option, for a setting also its key. */
function locatorOf(name: OptionName, label: string): SourceValue["locate"] {
  const { type } = SERVE_OPTIONS[name].schema;
  return ({ path, message }: Problem) => {
    const segments = parsePath(path);
    const [first] = type === "array" || type === "object" ? segments.splice(0, 1) : [];
    const rest = pathText(segments);
    return {
      path: type === "object" && first !== undefined ? `${label} ${first}` : label,
      message: rest === "" ? message : `${rest} ${message}`,
    };
  };
}

/** Takes a list apart at its commas and line breaks, except inside of brackets, braces and quotes. */
export function splitItems(text: string): string[] {
  const items: string[] = [""];
  let depth = 0;
  let quote = "";
  let before = "";
  for (const character of text) {
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (/["']/.test(character) && (before === "" || /[\s=[{:,]/.test(before))) quote = character;
    else if (/[[{]/.test(character)) depth += 1;
    else if (/[\]}]/.test(character)) depth -= 1;
    before = character;
    if (depth <= 0 && quote === "" && /[,\n]/.test(character)) items.push("");
    else items[items.length - 1] += character;
  }
  return items.map((item) => item.trim()).filter((item) => item !== "");
}
