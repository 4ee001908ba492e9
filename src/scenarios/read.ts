/** Reads scenarios: every problem at once, each with its location. Starts nothing. */
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join } from "node:path";
import { BOUNDS } from "../kernel/bounds.js";
import type { ParsedDocument } from "../kernel/document.js";
import { parseDocument } from "../kernel/document.js";
import { reasonOf } from "../kernel/errors.js";
import type { Path } from "../kernel/json.js";
import { isObject, pathText } from "../kernel/json.js";
import { omitUndefined } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt } from "../kernel/problems.js";
import { kindOf } from "../kernel/words.js";
import type { ScenarioFormat, TopLevel } from "./format.js";
import { FILE_NAME } from "./format.js";
import type { Params } from "./placeholders.js";
import { fillParams, placeholdersIn } from "./placeholders.js";
import { StepReader } from "./read-steps.js";
import type { StepLocation } from "./report.js";
import type { Fields, ParsedStep } from "./step.js";

export interface Scenario
  extends Omit<TopLevel, "$schema" | "name" | "fixtures" | "thread" | "params" | "steps"> {
  readonly name: string;
  readonly file?: string;
  readonly fixtures?: Fields;
  readonly fixturesFile?: string;
  readonly thread?: string;
  readonly params: Params;
  readonly steps: readonly ParsedStep[];
  /** Problems of the records that it names, given the fixture that it starts from. */
  readonly unknownReferences: (fixture: Fields) => Problem[];
  /** What its steps can hardly mean, given that fixture. */
  readonly doubts: (fixture: Fields) => Problem[];
  /** Adds file positions to problems that a simulator found in the scenario's start. */
  readonly locate: (problems: readonly Problem[]) => Problem[];
}

interface ReadOptions {
  /** The file's name in messages; `fixtures` and `behaviour` are relative to it. */
  readonly file?: string;
  readonly params?: Readonly<Record<string, string>>;
}

interface Unreadable {
  readonly scenario?: undefined;
  readonly problems: readonly Problem[];
  readonly fixturesFile?: string;
}

/** `document` is the scenario as written, parsed. */
type ReadScenario =
  | { readonly scenario: Scenario; readonly document: Fields; readonly problems?: undefined }
  | Unreadable;

/** @example const { scenario, problems } = await readScenarioFile(scenarioFormat(), "scenarios/window.yaml"); */
export async function readScenarioFile(
  format: ScenarioFormat,
  file: string,
  options: ReadOptions = {},
): Promise<ReadScenario> {
  try {
    return await readScenario(format, await readFile(file, "utf8"), { ...options, file });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const message = code === "ENOENT" ? reasonOf(error) : `cannot be read: ${reasonOf(error)}`;
    return { problems: [{ file, path: "", message }] };
  }
}

/** Reads a scenario from YAML or JSON text, or from the parsed object. */
export async function readScenario(
  format: ScenarioFormat,
  source: unknown,
  { file, params = {} }: ReadOptions = {},
): Promise<ReadScenario> {
  const read = await documentOf(source, file);
  if (read.problems !== undefined) return read;
  const { document } = read;
  const folder = file === undefined ? undefined : dirname(file);
  const filled = fillParams(read.value, params);
  const top = { ...filled.value };
  const { behaviour } = top;
  if (typeof behaviour === "string" && FILE_NAME.test(behaviour)) {
    const values = await fileOf(document, "behaviour", behaviour, folder);
    if (values.problems !== undefined) return values;
    top.behaviour = values.value;
  }
  const { steps: written, $schema: _, name, thread, fixtures: named, ...rest } = top;
  const reader = new StepReader(format, thread, (path) => locationIn(document, path));
  reader.noteRecord({ collection: "tokens", name: rest.token, path: "token" });
  reader.noteRecord({ collection: "threads", name: thread, path: "thread" });
  const steps = reader.read(written, ["steps"]);
  const problems = [...filled.problems, ...format.topProblems(top), ...reader.problems];
  if (problems.length > 0) return { problems: document.locate(problems) };
  const { nameProblems } = reader;
  if (nameProblems.length > 0) return { problems: document.locate(nameProblems) };

  const fixturesFile = typeof named === "string" ? pathOf(named, folder) : undefined;
  const fixture =
    typeof named === "string"
      ? await fileOf(document, "fixtures", named, folder)
      : { value: isObject(named) ? named : undefined, document: undefined, problems: undefined };
  if (fixture.problems !== undefined) return { ...fixture, ...omitUndefined({ fixturesFile }) };
  return {
    document: read.value,
    scenario: {
      ...rest,
      name: String(name ?? basename(file ?? "scenario", extname(file ?? ""))),
      ...omitUndefined({
        file,
        thread: thread === undefined ? undefined : String(thread),
        fixtures: fixture.value,
        fixturesFile,
      }),
      params: filled.params,
      steps,
      unknownReferences: (fixture) => document.locate(reader.unknownRecords(fixture)),
      doubts: (fixture) => document.locate(reader.doubts(fixture)),
      locate: (found) => found.flatMap((problem) => locatedIn(document, fixture.document, problem)),
    },
  };
}

/** The document of a scenario: an object. */
async function documentOf(source: unknown, file = "scenario"): Promise<ReadFile | Unreadable> {
  const document: Document | Unreadable =
    typeof source === "string"
      ? await parseDocument(source, { file })
      : { value: source, locate: (problems) => [...problems] };
  if (document.problems !== undefined) return { problems: document.problems };
  const { value } = document;
  const isFull = placeholdersIn(value) > BOUNDS.placeholders.limit;
  if (isObject(value) && !isFull) return { document, value };
  const kind = `must be a scenario with steps, but is ${kindOf(value)}`;
  const message = isFull ? `must have at most ${BOUNDS.placeholders.limit} placeholders` : kind;
  return { problems: document.locate([problemAt([], message)]) };
}

interface ReadFile {
  readonly value: Fields;
  readonly document: Document;
  readonly problems?: undefined;
}

/** A parsed document with lines, or an object without. */
type Document = Pick<ParsedDocument, "value" | "locate" | "problems"> &
  Partial<Pick<ParsedDocument, "locationOf" | "file">>;

const locationIn = ({ file, locationOf }: Document, path: Path): StepLocation => ({
  ...(locationOf && omitUndefined({ file, ...locationOf(path) })),
  path: pathText(path),
});

const pathOf = (named: string, folder: string | undefined): string | undefined =>
  folder === undefined ? undefined : isAbsolute(named) ? named : join(folder, named);

const WHAT = { fixtures: "a fixture", behaviour: "values of the behaviour table" } as const;

/** The object in a file that the scenario names, relative to its own. */
async function fileOf(
  document: Document,
  key: keyof typeof WHAT,
  named: string,
  folder: string | undefined,
): Promise<ReadFile | Unreadable> {
  const at = (message: string) => ({ problems: document.locate([problemAt([key], message)]) });
  const path = pathOf(named, folder);
  if (path === undefined)
    return at(`must be ${WHAT[key]} here: a path needs a scenario file that it is seen from`);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    return at(`the file ${path} cannot be read: ${reasonOf(error)}`);
  }
  const read = await parseDocument(text, { file: path });
  if (read.problems !== undefined) return { problems: read.problems };
  const { value } = read;
  if (!isObject(value)) return at(`${path} must hold ${WHAT[key]}, but holds ${kindOf(value)}`);
  return { value, document: read };
}

function locatedIn(scenario: Document, fixture: Document | undefined, problem: Problem): Problem[] {
  if (fixture === undefined || !/^fixtures\b/.test(problem.path)) return scenario.locate([problem]);
  return fixture.locate([{ ...problem, path: problem.path.replace(/^fixtures\.?/, "") }]);
}
