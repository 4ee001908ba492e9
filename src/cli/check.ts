import { readFile } from "node:fs/promises";
import { controlApi } from "../client/transport.js";
import type { FixtureDocument } from "../client/types.js";
import type { ParsedDocument } from "../kernel/document.js";
import { reasonOf } from "../kernel/errors.js";
import { valueAt } from "../kernel/json.js";
import { printable } from "../kernel/printable.js";
import { formatProblem, type Problem, problemAt } from "../kernel/problems.js";
import { counted, singular } from "../kernel/words.js";
import { readScenarioFile } from "../scenarios/read.js";
import { resolveServeOptions } from "../server/config/serve.js";
import { scenarioFormat } from "../server/scenario-format.js";
import { shippedFixture } from "../server/start.js";
import { baseAddress, command, controlToken, optional, words } from "./command.js";
import { type DocumentKindName, type JudgedFile, judgedFiles } from "./document-kinds.js";
import { type StandardFixture, scenarioDoubts, scenarioProblems } from "./scenario-files.js";
import { OK, refuse, UNUSABLE } from "./terminal.js";

/** What is found in a document, with locations. */
interface Findings {
  readonly problems: readonly Problem[];
  /** What a valid one can hardly mean. */
  readonly doubts?: readonly Problem[];
}

/** What `check` does with a kind of file. */
interface DocumentKind {
  readonly check: (document: ParsedDocument, standard: StandardFixture) => Promise<Findings>;
  /** A summary of a valid document: `3 threads, 1 webhook`. */
  readonly summary: (value: object) => string;
}

const countKeys = (value: object, word: string): string => counted(Object.keys(value).length, word);

const countRecords = (fixture: object): string =>
  Object.entries(fixture)
    .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 0)
    .map(([collection, { length }]) => counted(length, singular(collection)))
    .join(", ");

/** Every kind of file. */
export const DOCUMENT_KINDS: Readonly<Record<DocumentKindName, DocumentKind>> = {
  fixture: {
    check: async (document) => {
      const { FixtureLoader } = await import("../service/world/load.js");
      const { problems = [] } = new FixtureLoader().loadFixture(document.value);
      return { problems: document.locate(problems) };
    },
    summary: countRecords,
  },
  scenario: {
    check: async ({ file }, standard) => {
      const read = await readScenarioFile(scenarioFormat(), file);
      const problems = await scenarioProblems(read, standard);
      return problems.length > 0 ? { problems } : { problems, doubts: await scenarioDoubts(read, standard) };
    },
    summary: (value) => counted(Object.keys(valueAt(value, ["steps"]) ?? []).length, "step"),
  },
  config: {
    check: async (document) => ({ problems: await configProblems(document) }),
    summary: (value) => countKeys(value, "option"),
  },
  behaviour: {
    check: async (document) => {
      const { behaviourIn } = await import("../server/config/files.js");
      return behaviourIn(document);
    },
    summary: (value) => countKeys(value, "key"),
  },
  faults: {
    check: async (document) => {
      const { faultsIn } = await import("../server/config/files.js");
      return faultsIn(document);
    },
    summary: (value) => counted(Array.isArray(value) ? value.length : 1, "fault"),
  },
};

/** The problems of a config file, and of the files that it names. */
async function configProblems({ file, locate }: ParsedDocument): Promise<readonly Problem[]> {
  const resolved = await resolveServeOptions({ config: [file] }, {}, (name) => readFile(name, "utf8"));
  if (resolved.problems !== undefined) return resolved.problems;
  const { fixtures } = resolved.options;
  if (fixtures === undefined || fixtures === "empty") return [];
  let text: string;
  try {
    text = await readFile(fixtures, "utf8");
  } catch (error) {
    return locate([problemAt(["fixtures"], `cannot read ${fixtures}: ${reasonOf(error)}`)]);
  }
  const { FixtureLoader } = await import("../service/world/load.js");
  return (await new FixtureLoader().readFixtureText(text, fixtures)).problems ?? [];
}

/** `messaging-sim check <file…>`: prints a line for each problem, or for each valid file. */
export const CHECK = command({
  options: {
    file: words("JSON or YAML files, or folders of them"),
    url: optional(
      "simulator whose state is used for scenarios without a fixture (default: the built-in fixture)",
      baseAddress,
    ),
    "control-token": controlToken("control token of that simulator"),
  },
  examples: {
    "messaging-sim check acme.json greeting.yaml": "one line for each valid file, or for each problem",
    "messaging-sim check scenarios/": "the files of a folder",
  },
  exits: { 0: "every file is valid", 2: "a file is invalid" },
  run: async ({ file: paths, url, controlToken }, terminal) => {
    const standard = standardFixture(url, controlToken);
    let code = OK;
    for (const path of paths) {
      const files = await judgedFiles(path);
      if (files.length === 0)
        code = refuse(terminal, [{ file: path, path: "", message: "has no JSON or YAML files" }]);
      for (const judged of files) {
        const { problems, summary, doubts = [] } = await examine(judged, standard);
        if (problems !== undefined) code = UNUSABLE;
        else terminal.out(`${printable(`${judged.file}  ${summary}`)}\n`);
        for (const problem of problems ?? doubts.map(asWarning)) terminal.out(`${formatProblem(problem)}\n`);
      }
    }
    return code;
  },
});

/** The start of scenarios without a fixture; read once. */
function standardFixture(url: string | undefined, controlToken: string | undefined): StandardFixture {
  const read = async () =>
    url === undefined
      ? shippedFixture()
      : controlApi(url, { controlToken }).call<FixtureDocument>("GET", "/state");
  let fixture: ReturnType<typeof read> | undefined;
  return {
    fixture: async () => ({ ...(await (fixture ??= read())) }),
    name:
      url === undefined
        ? "checked with the built-in fixture; --url checks with the state of a simulator"
        : `at ${url}`,
  };
}

const asWarning = (doubt: Problem): Problem => ({ ...doubt, message: `warning: ${doubt.message}` });

interface Examined extends Partial<Findings> {
  /** What the file is, as a phrase. */
  readonly summary?: string;
}

async function examine(judged: JudgedFile, standard: StandardFixture): Promise<Examined> {
  if (judged.problems !== undefined) return judged;
  const { kind, document } = judged;
  if (kind === "foreign") return { summary: "skipped: another program's file" };
  const { check, summary } = DOCUMENT_KINDS[kind];
  const { problems, doubts = [] } = await check(document, standard);
  if (problems.length > 0) return { problems };
  const what = summary(Object(document.value));
  return { summary: `ok (${what === "" ? kind : `${kind}: ${what}`})`, doubts };
}
