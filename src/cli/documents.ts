import { BEHAVIOUR_KEYS } from "../behaviour/table.js";
import { namesIn } from "../config/options.js";
import type { ParsedDocument } from "../kernel/document.js";
import { valueAt } from "../kernel/json.js";
import type { Problem } from "../kernel/problems.js";
import { keyProblemAt, problemAt } from "../kernel/problems.js";
import { either, kindOf, nearest, preview } from "../kernel/words.js";
import { COLLECTIONS } from "../world/records.js";

/** A kind of file that `check` knows. */
interface DocumentKind {
  readonly name: string;
  /** The keys that tell the kind: of the document, or of the items of a list. */
  readonly keys: readonly string[];
  /** What is wrong with a document of the kind, with locations. */
  readonly check: (document: ParsedDocument) => Promise<readonly Problem[]>;
  /** What a good document holds: `3 threads, 1 webhook`. */
  readonly summary: (value: object) => string;
}

const counted = (count: number, one: string): string =>
  `${count} ${count === 1 ? one : one.endsWith("s") ? `${one}es` : `${one}s`}`;
const countKeys = (value: object, word: string): string => counted(Object.keys(value).length, word);

/** Where two kinds know as many keys of a document, the earlier one has it. */
const DOCUMENT_KINDS: readonly DocumentKind[] = [
  {
    name: "fixture",
    keys: COLLECTIONS,
    check: async (document) => {
      const { FixtureLoader } = await import("../world/load.js");
      const { problems = [] } = new FixtureLoader().loadFixture(document.value);
      return document.locate([...document.duplicateKeys(), ...problems]);
    },
    summary: (value) =>
      Object.entries(value)
        .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 0)
        .map(([collection, { length }]) => counted(length, collection.replace(/(ss)es$|s$/, "$1")))
        .join(", "),
  },
  {
    name: "scenario",
    keys: ["steps", "name", "thread", "within", "params", "token"],
    check: async (document) => (await import("./scenario-files.js")).scenarioProblems(document.file),
    summary: (value) => counted(Object.keys(valueAt(value, ["steps"]) ?? []).length, "step"),
  },
  {
    name: "config",
    keys: namesIn("file"),
    check: async (document) => (await (await import("../config/file.js")).readConfig(document)).problems,
    summary: (value) => countKeys(value, "option"),
  },
  {
    name: "behaviour",
    keys: BEHAVIOUR_KEYS,
    check: async (document) => (await import("../config/files.js")).behaviourFileProblems(document),
    summary: (value) => countKeys(value, "key"),
  },
  {
    name: "faults",
    keys: ["on", "then", "match", "times", "after", "every", "probability"],
    check: async (document) => (await import("../config/files.js")).faultFileProblems(document),
    summary: (value) => counted(Array.isArray(value) ? value.length : 1, "fault"),
  },
];

/** What kind of document it is, or why that cannot be told. */
export function kindOfDocument(document: ParsedDocument): DocumentKind | Problem {
  const { value } = document;
  const sample: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof sample !== "object" || sample === null)
    return located(
      document,
      problemAt([], `must be an object or a list of objects, but is ${kindOf(value)}`),
    );
  const keys = Object.keys(sample);
  const scores = DOCUMENT_KINDS.map((kind) => keys.filter((key) => kind.keys.includes(key)).length);
  const best = Math.max(...scores);
  const found = best > 0 ? DOCUMENT_KINDS[scores.indexOf(best)] : undefined;
  if (found !== undefined) return found;

  const kinds = either(DOCUMENT_KINDS.map(({ name }) => name));
  const known = DOCUMENT_KINDS.flatMap((kind) => kind.keys);
  const key = keys.find((candidate) => nearest(candidate, known) !== undefined) ?? keys[0];
  if (key === undefined) return located(document, problemAt([], `is empty: it could be any of ${kinds}`));
  const meant = nearest(key, known);
  return located(
    document,
    keyProblemAt(
      Array.isArray(value) ? [0, key] : [key],
      `is a key of no ${kinds} file${meant === undefined ? "" : `: did you mean ${preview(meant)}?`}`,
    ),
  );
}

const located = (document: ParsedDocument, problem: Problem): Problem =>
  document.locate([problem])[0] ?? problem;
