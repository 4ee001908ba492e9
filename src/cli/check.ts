import { readFile } from "node:fs/promises";
import { controlApi } from "../client/transport.js";
import type { FixtureDocument } from "../client/types.js";
import type { ParsedDocument } from "../kernel/document.js";
import { reasonOf } from "../kernel/errors.js";
import { valueAt } from "../kernel/json.js";
import { printable } from "../kernel/printable.js";
import { formatProblem, type Problem, problemAt } from "../kernel/problems.js";
import { counted, singular } from "../kernel/words.js";
import { resolveServeOptions } from "../server/config/serve.js";
import { shippedFixture } from "../server/start.js";
import { baseAddress, command, controlToken, optional, type Values, words } from "./command.js";
import { type DocumentKindName, isForeign, judgeDocument } from "./document-kinds.js";
import { readDocument } from "./files.js";
import { documentsIn, type StandardFixture, scenarioProblems } from "./scenario-files.js";
import { OK, refuse, type Terminal, UNUSABLE } from "./terminal.js";

/** A kind of file that `check` knows. */
interface DocumentKind {
  readonly name: string;
  /** The problems of a document of this kind, with locations. */
  readonly check: (document: ParsedDocument, standard: StandardFixture) => Promise<readonly Problem[]>;
  /** A summary of a valid document: `3 threads, 1 webhook`. */
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
      const { FixtureLoader } = await import("../service/world/load.js");
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
    check: async (document) => (await import("../storage/open-bundle.js")).bundleFileProblems(document),
    summary: (value) =>
      Object.entries(valueAt(value, ["journal"]) ?? {})
        .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
        .map(([log, { length }]) => counted(length, ...(LOG_WORDS[log] ?? [log])))
        .join(", "),
  },
  scenario: {
    check: (document, standard) => scenarioProblems(document.file, standard),
    summary: (value) => counted(Object.keys(valueAt(value, ["steps"]) ?? []).length, "step"),
  },
  config: {
    check: configProblems,
    summary: (value) => countKeys(value, "option"),
  },
  behaviour: {
    check: async (document) => (await import("../server/config/files.js")).behaviourFileProblems(document),
    summary: (value) => countKeys(value, "key"),
  },
  faults: {
    check: async (document) => (await import("../server/config/files.js")).faultFileProblems(document),
    summary: (value) => counted(Array.isArray(value) ? value.length : 1, "fault"),
  },
};

/** The kind of a document and its checker, or why the kind is unclear. */
function kindOfDocument(document: ParsedDocument): DocumentKind | Problem {
  const judged = judgeDocument(document);
  return typeof judged === "string" ? { name: judged, ...DOCUMENT_KINDS[judged] } : judged;
}

/** The problems of a config file, and of the files that it names. */
async function configProblems({ file, locate }: ParsedDocument): Promise<readonly Problem[]> {
  const resolved = await resolveServeOptions({ config: [file] }, {}, (name) => readFile(name, "utf8"));
  if (resolved.problems !== undefined) return resolved.problems;
  const { fixtures } = resolved.options;
  if (fixtures === undefined) return [];
  let text: string;
  try {
    text = await readFile(fixtures, "utf8");
  } catch (error) {
    return locate([problemAt(["fixtures"], `cannot read ${fixtures}: ${reasonOf(error)}`)]);
  }
  const { FixtureLoader } = await import("../service/world/load.js");
  return (await new FixtureLoader().readFixtureText(text, fixtures)).problems ?? [];
}

const CHECK_OPTIONS = {
  file: words("JSON or YAML files, or folders of them"),
  url: optional(
    "simulator whose state scenarios without a fixture start from (default: the fixture that ships)",
    baseAddress,
  ),
  "control-token": controlToken("its control token"),
};

/** `messaging-sim check <file…>`: prints a line for each problem, or for each valid file. */
export const CHECK = command({
  options: CHECK_OPTIONS,
  examples: {
    "messaging-sim check acme.json greeting.yaml": "one line for each valid file, or for each problem",
    "messaging-sim check scenarios/": "the files of a folder",
  },
  exits: { 0: "every file is valid", 2: "a file is not" },
  run: async (values, terminal) => {
    const standard = standardFixture(values);
    let code = OK;
    for (const path of values.file) {
      const files = await documentsIn(path);
      if (files.length === 0)
        code = refuse(terminal, [{ file: path, path: "", message: "has no JSON or YAML files" }]);
      for (const file of files)
        if (!(await checkFile(file, file !== path, standard, terminal))) code = UNUSABLE;
    }
    return code;
  },
});

/** The start of scenarios without a fixture; read once. */
function standardFixture({ url, controlToken }: Values<typeof CHECK_OPTIONS>): StandardFixture {
  const read = async () =>
    url === undefined
      ? shippedFixture()
      : controlApi(url, { controlToken }).call<FixtureDocument>("GET", "/state");
  let fixture: ReturnType<typeof read> | undefined;
  return {
    fixture: async () => ({ ...(await (fixture ??= read())) }),
    name:
      url === undefined
        ? "with the fixture that ships; --url checks with the state of a simulator"
        : `at ${url}`,
  };
}

async function checkFile(
  file: string,
  inFolder: boolean,
  standard: StandardFixture,
  { out }: Terminal,
): Promise<boolean> {
  const checked = await examine(file, inFolder, standard);
  if (typeof checked === "string") out(`${printable(`${file}  ${checked}`)}\n`);
  else out(checked.map((problem) => `${formatProblem(problem)}\n`).join(""));
  return typeof checked === "string";
}

/** What the file is, as a phrase; or its problems. */
async function examine(
  file: string,
  inFolder: boolean,
  standard: StandardFixture,
): Promise<string | readonly Problem[]> {
  const document = await readDocument(file);
  if (document.problems) return document.problems;
  if (inFolder && isForeign(document)) return "skipped: another program's file";
  const kind = kindOfDocument(document);
  if ("message" in kind) return [kind];
  const problems = await kind.check(document, standard);
  if (problems.length > 0) return problems;
  const summary = kind.summary(Object(document.value));
  return `ok (${summary === "" ? kind.name : `${kind.name}: ${summary}`})`;
}
