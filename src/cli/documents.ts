import type { ParsedDocument } from "../kernel/document.js";
import { valueAt } from "../kernel/json.js";
import type { Problem } from "../kernel/problems.js";
import { counted, singular } from "../kernel/words.js";
import { type DocumentKindName, judgeDocument } from "./document-kinds.js";
import type { StandardFixture } from "./scenario-files.js";

/** A kind of file that `check` knows. */
interface DocumentKind {
  readonly name: string;
  /** What is wrong with a document of the kind, with locations. */
  readonly check: (document: ParsedDocument, standard: StandardFixture) => Promise<readonly Problem[]>;
  /** What a good document holds: `3 threads, 1 webhook`. */
  readonly summary: (value: object) => string;
}

const countKeys = (value: object, word: string): string => counted(Object.keys(value).length, word);

const LOG_WORDS: Readonly<Record<string, readonly [one: string, many?: string]>> = {
  requests: ["call"],
  deliveries: ["delivery", "deliveries"],
  warnings: ["warning"],
  controls: ["control call"],
  changes: ["change of a thread", "changes of threads"],
};

/** Every kind of file. */
export const DOCUMENT_KINDS: Readonly<Record<DocumentKindName, Omit<DocumentKind, "name">>> = {
  fixture: {
    check: async (document) => {
      const { FixtureLoader } = await import("../world/load.js");
      const { problems = [] } = new FixtureLoader().loadFixture(document.value);
      return document.locate([...document.duplicateKeys(), ...problems]);
    },
    summary: (value) =>
      Object.entries(value)
        .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 0)
        .map(([collection, { length }]) => counted(length, singular(collection)))
        .join(", "),
  },
  bundle: {
    check: async (document) => (await import("../persistence/open-bundle.js")).bundleFileProblems(document),
    summary: (value) =>
      Object.entries(valueAt(value, ["journal"]) ?? {})
        .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
        .map(([log, { length }]) => counted(length, ...(LOG_WORDS[log] ?? [log])))
        .join(", "),
  },
  scenario: {
    check: async (document, standard) =>
      (await import("./scenario-files.js")).scenarioProblems(document.file, standard),
    summary: (value) => counted(Object.keys(valueAt(value, ["steps"]) ?? []).length, "step"),
  },
  config: {
    check: async (document) => (await import("./config-problems.js")).configProblems(document),
    summary: (value) => countKeys(value, "option"),
  },
  behaviour: {
    check: async (document) => (await import("../config/files.js")).behaviourFileProblems(document),
    summary: (value) => countKeys(value, "key"),
  },
  faults: {
    check: async (document) => (await import("../config/files.js")).faultFileProblems(document),
    summary: (value) => counted(Array.isArray(value) ? value.length : 1, "fault"),
  },
};

/** What kind of document it is, with how it is checked; or why that cannot be told. */
export function kindOfDocument(document: ParsedDocument): DocumentKind | Problem {
  const judged = judgeDocument(document);
  return typeof judged === "string" ? { name: judged, ...DOCUMENT_KINDS[judged] } : judged;
}
