/** Reads scenarios: every problem at once, each with its location. Starts nothing. */
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join } from "node:path";
import type { ParsedDocument } from "../kernel/document.js";
import { parseDocument } from "../kernel/document.js";
import type { Duration } from "../kernel/duration.js";
import { given } from "../kernel/given.js";
import { isObject } from "../kernel/json.js";
import { reasonOf } from "../kernel/os-errors.js";
import type { Path } from "../kernel/path.js";
import { pathText } from "../kernel/path.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt } from "../kernel/problems.js";
import { kindOf } from "../kernel/words.js";
import type { ScenarioFormat } from "./format.js";
import { fillParams, type Params } from "./params.js";
import { StepReader } from "./read-steps.js";
import type { Remark, StepLocation } from "./report.js";
import type { ParsedStep } from "./step.js";

type Fields = Readonly<Record<string, unknown>>;

/** What stands at the top of a scenario and is taken as it is. */
interface TopLevel {
  readonly behaviour?: string | Fields;
  readonly clock?: string | number;
  readonly seed?: string | number;
  readonly token?: string;
  readonly within?: Duration;
  /** Names or patterns of challenges that a system under test must hold against, and of those that it need not. */
  readonly survives?: readonly string[];
  readonly tolerates?: readonly string[];
}

/** A scenario that can be run. */
export interface Scenario extends TopLevel {
  readonly name: string;
  readonly file?: string;
  readonly fixtures?: Fields;
  /** The file that `fixtures` was read from. */
  readonly fixturesFile?: string;
  readonly thread?: string;
  readonly params: Params;
  readonly steps: readonly ParsedStep[];
  readonly unusedCaptures: readonly Remark[];
  /** What is wrong with the records that it names, where it starts from a fixture. */
  readonly unknownReferences: (fixture: Fields) => Problem[];
  /** Locates problems that a simulator found in `fixtures`, `behaviour`, `clock` or `seed` in the files. */
  readonly locate: (problems: readonly Problem[]) => Problem[];
}

interface ReadOptions {
  /** The file's name, as messages show it and as `fixtures` is seen from. */
  readonly file?: string;
  /** Parameters in place of the scenario's defaults. */
  readonly params?: Readonly<Record<string, string>>;
}

type ReadScenario =
  | { readonly scenario: Scenario; readonly problems?: undefined }
  | { readonly problems: readonly Problem[] };

/** @example const { scenario, problems } = await readScenarioFile(new ScenarioFormat(), "scenarios/window.yaml"); */
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

/** Reads a scenario: a YAML or JSON text, or the object that one would give. */
export async function readScenario(
  format: ScenarioFormat,
  source: unknown,
  { file, params = {} }: ReadOptions = {},
): Promise<ReadScenario> {
  const read = await documentOf(source, file);
  if (read.problems !== undefined) return read;
  const { document } = read;
  const filled = fillParams(read.value, params);
  const { steps: written, $schema: _, name, thread, fixtures: named, ...rest } = filled.value;
  const reader = new StepReader(format, thread, (path) => locationIn(document, path));
  const { records } = reader;
  records.add({ collection: "tokens", name: rest.token, at: ["token"] });
  records.add({ collection: "threads", name: thread, at: ["thread"] });
  const steps = reader.read(written, ["steps"]);
  const problems = [...filled.problems, ...format.topProblems(filled.value), ...reader.problems];
  if (problems.length > 0) return { problems: document.locate(problems) };
  const nameProblems = reader.nameProblems();
  if (nameProblems.length > 0) return { problems: document.locate(nameProblems) };

  const fixture = await fixtureOf(document, named, file);
  if ("problems" in fixture) return fixture;
  return {
    scenario: {
      ...(rest as TopLevel),
      name: name === undefined ? nameFrom(file) : String(name),
      ...given({
        file,
        thread: thread === undefined ? undefined : String(thread),
        fixtures: fixture.value,
        fixturesFile: fixture.document?.file,
      }),
      params: filled.params,
      steps,
      unusedCaptures: reader.unusedCaptures(),
      unknownReferences: (fixture) => document.locate(records.problemsIn(fixture)),
      locate: (found) => found.flatMap((problem) => locatedIn(document, fixture.document, problem)),
    },
  };
}

/** What a scenario is written in: an object, each of whose keys stands in it once. */
async function documentOf(
  source: unknown,
  file = "scenario",
): Promise<
  | { readonly document: Document; readonly value: Fields; readonly problems?: undefined }
  | { readonly problems: readonly Problem[] }
> {
  const document = typeof source === "string" ? await parseDocument(source, { file }) : withoutLines(source);
  if (document.problems !== undefined) return { problems: document.problems };
  const problems = document.duplicateKeys();
  if (problems.length > 0) return { problems };
  const { value } = document;
  if (isObject(value)) return { document, value };
  return {
    problems: document.locate([problemAt([], `must be a scenario with steps, but is ${kindOf(value)}`)]),
  };
}

/** A document with lines, or an object that has none. */
type Document = Pick<ParsedDocument, "value" | "locate" | "duplicateKeys" | "problems"> &
  Partial<Pick<ParsedDocument, "locationOf" | "file">>;

const withoutLines = (value: unknown): Document => ({
  value,
  locate: (problems) => [...problems],
  duplicateKeys: () => [],
});

const locationIn = ({ file, locationOf }: Document, path: Path): StepLocation => ({
  ...(locationOf && given({ file, ...locationOf(path) })),
  path: pathText(path),
});

const nameFrom = (file: string | undefined): string =>
  file === undefined ? "scenario" : basename(file, extname(file));

type Fixture =
  | { readonly value: Fields | undefined; readonly document?: Document }
  | { readonly problems: readonly Problem[] };

/** The fixture that a scenario holds, or names as a file. */
async function fixtureOf(document: Document, named: unknown, file: string | undefined): Promise<Fixture> {
  if (typeof named !== "string") return { value: isObject(named) ? named : undefined };
  const at = (message: string) => ({ problems: document.locate([problemAt(["fixtures"], message)]) });
  if (file === undefined)
    return at("must be a fixture here: a path needs a scenario file that it is seen from");
  const path = isAbsolute(named) ? named : join(dirname(file), named);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    return at(`the file ${path} cannot be read: ${reasonOf(error)}`);
  }
  const fixture = await parseDocument(text, { file: path });
  if (fixture.problems !== undefined) return { problems: fixture.problems };
  const { value } = fixture;
  if (!isObject(value)) return at(`${path} must hold a fixture, but holds ${kindOf(value)}`);
  return { value, document: fixture };
}

function locatedIn(scenario: Document, fixture: Document | undefined, problem: Problem): Problem[] {
  if (fixture === undefined || !/^fixtures\b/.test(problem.path)) return scenario.locate([problem]);
  return fixture.locate([{ ...problem, path: problem.path.replace(/^fixtures\.?/, "") }]);
}
