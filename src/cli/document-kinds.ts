/** Recognizes the kind of a file, for `check` and `run`. */

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ParsedDocument } from "../kernel/document.js";
import { isObject } from "../kernel/json.js";
import { keysOf } from "../kernel/objects.js";
import { keyProblemAt, type Problem, problemAt } from "../kernel/problems.js";
import { either, kindOf, MAX_LISTED, nearest, preview } from "../kernel/words.js";
import { SCENARIO_KEYS } from "../scenarios/format.js";
import { namesIn } from "../server/config/options.js";
import { BEHAVIOUR_KEYS, OBSERVED } from "../service/behaviour/table.js";
import { COLLECTIONS } from "../service/world/records.js";
import { readDocument } from "./files.js";

/** The keys of each kind of file: of the document, or of the items of a list. If there is a tie, the earlier kind wins. */
const KEYS = {
  fixture: COLLECTIONS,
  // Before scenarios, which share the keys of their start with it: without `steps`, these are options.
  config: namesIn("file"),
  scenario: SCENARIO_KEYS,
  behaviour: [...BEHAVIOUR_KEYS, OBSERVED],
  faults: ["on", "then", "match", "times", "after", "every", "forMs", "probability"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type DocumentKindName = keyof typeof KEYS;

const KINDS = keysOf(KEYS);
const ALL_KEYS: readonly string[] = KINDS.flatMap((kind) => KEYS[kind]);
/** The key that a key is or, if it is misspelt, was most likely meant to be. */
const meantBy = (key: string): string | undefined => (ALL_KEYS.includes(key) ? key : nearest(key, ALL_KEYS));

/** A file with its kind, if it could be read; `foreign`: another program's. */
export type JudgedFile =
  | { readonly file: string; readonly problems: readonly Problem[] }
  | {
      readonly file: string;
      readonly problems?: undefined;
      readonly document: ParsedDocument;
      readonly kind: DocumentKindName | "foreign";
    };

/** A file, or the JSON and YAML files of a folder, by name. */
export async function judgedFiles(path: string): Promise<JudgedFile[]> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder) return [await judgeFile(path)];
  const names = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/i.test(name)).sort();
  return Promise.all(names.map((name) => judgeFile(join(path, name), { inFolder: true })));
}

async function judgeFile(file: string, { inFolder = false } = {}): Promise<JudgedFile> {
  const document = await readDocument(file);
  if (document.problems !== undefined) return { file, problems: document.problems };
  const kind = inFolder && isForeign(document) ? "foreign" : judgeDocument(document);
  return typeof kind === "string" ? { file, document, kind } : { file, problems: [kind] };
}

/** Whether a JSON file found in a folder is another program's, such as `package.json`: most of its keys are unknown. */
function isForeign({ file, value }: ParsedDocument): boolean {
  const keys = isObject(value) && /\.json$/i.test(file) ? Object.keys(value).slice(0, MAX_LISTED) : [];
  return keys.filter((key) => meantBy(key) !== undefined).length * 2 < keys.length;
}

/** The kind of a document, or why it is unclear. A misspelt key counts as the nearest one. */
export function judgeDocument(document: ParsedDocument): DocumentKindName | Problem {
  const { value } = document;
  const sample: unknown = Array.isArray(value) ? value[0] : value;
  const located = (problem: Problem): Problem => document.locate([problem])[0] ?? problem;
  const kinds = either(KINDS);
  const keys = Object.keys(Object(sample));
  if (sample == null || (isObject(sample) && keys.length === 0))
    return located(problemAt([], `is empty: it could be any of ${kinds}`));
  if (!isObject(sample))
    return located(problemAt([], `must be an object or a list of objects, but is ${kindOf(value)}`));
  // A config file names a fixture; only a scenario may contain one.
  if (isObject(sample.fixtures)) return "scenario";
  const meant = keys.map((key, index) => (index >= MAX_LISTED ? key : meantBy(key)));
  const score = (known: readonly string[]) => meant.filter((key) => known.includes(key ?? "")).length;
  const scores = KINDS.map((kind) => score(KEYS[kind]));
  const best = Math.max(...scores);
  const found = KINDS[scores.indexOf(best)];
  if (best > 0 && found !== undefined && keys.some((key) => ALL_KEYS.includes(key))) return found;

  const key = keys.find((_, index) => meant[index] !== undefined) ?? (keys[0] as string);
  const suggestion = nearest(key, ALL_KEYS);
  return located(
    keyProblemAt(
      Array.isArray(value) ? [0, key] : [key],
      `is a key of no ${kinds} file${suggestion === undefined ? "" : `: did you mean ${preview(suggestion)}?`}`,
    ),
  );
}
