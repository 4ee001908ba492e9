/** Reads scenarios: every problem at once, each with its place. Starts nothing. */
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import type { ParsedDocument } from "../kernel/document.js";
import { parseDocument } from "../kernel/document.js";
import type { Duration } from "../kernel/duration.js";
import type { Path } from "../kernel/path.js";
import { pathText } from "../kernel/path.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt } from "../kernel/problems.js";
import { kindOf } from "../kernel/words.js";
import type { ScenarioFormat } from "./format.js";
import { nameProblems } from "./names.js";
import { filledWithParams, type Params } from "./params.js";
import { readSteps } from "./read-steps.js";
import type { StepPlace } from "./report.js";
import type { ParsedStep } from "./step.js";

/** A scenario that can be run. */
export interface Scenario {
  readonly name: string;
  readonly file?: string;
  readonly fixtures?: Readonly<Record<string, unknown>>;
  /** The file that `fixtures` was read from. */
  readonly fixturesFile?: string;
  readonly behaviour?: string | Readonly<Record<string, unknown>>;
  readonly clock?: string | number;
  readonly seed?: string | number;
  readonly token?: string;
  readonly thread?: string;
  readonly within?: Duration;
  readonly params: Params;
  readonly steps: readonly ParsedStep[];
  /** Puts problems that a simulator found in `fixtures`, `behaviour`, `clock` or `seed` at their places in the files. */
  readonly locate: (problems: readonly Problem[]) => Problem[];
}

export interface ReadOptions {
  /** The file's name, as messages show it and as `fixtures` is seen from. */
  readonly file?: string;
  /** Parameters in place of the scenario's defaults. */
  readonly params?: Readonly<Record<string, string>>;
}

export type ReadScenario =
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
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return {
      problems: [
        {
          file,
          path: "",
          message: code === "ENOENT" ? "there is no such file" : `cannot be read: ${message}`,
        },
      ],
    };
  }
}

/** Reads a scenario: a YAML or JSON text, or the object that one would give. */
export async function readScenario(
  format: ScenarioFormat,
  source: unknown,
  { file, params = {} }: ReadOptions = {},
): Promise<ReadScenario> {
  const document =
    typeof source === "string"
      ? await parseDocument(source, { file: file ?? "scenario" })
      : placeless(source);
  if (document.problems !== undefined) return { problems: document.problems };
  const twice = document.duplicateKeys();
  if (twice.length > 0) return { problems: twice };
  const { value } = document;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return {
      problems: document.locate([problemAt([], `must be a scenario with steps, but is ${kindOf(value)}`)]),
    };

  const filled = filledWithParams(value as Record<string, unknown>, params);
  const top = format.topProblems(filled.value);
  const steps = readSteps(format, filled.value, (path) => placeIn(document, path));
  const problems = [...filled.problems, ...top, ...steps.problems];
  if (problems.length > 0) return { problems: document.locate(problems) };
  const dangling = nameProblems(filled.value.steps as unknown[], filled.value.thread !== undefined);
  if (dangling.length > 0) return { problems: document.locate(dangling) };

  const {
    steps: _,
    $schema: __,
    name,
    thread,
    fixtures: named,
    ...rest
  } = filled.value as Record<string, never>;
  const fixture = await fixtureOf(document, named, file);
  if ("problems" in fixture) return { problems: fixture.problems };
  return {
    scenario: {
      ...(rest as object),
      name: name ?? nameFrom(file),
      ...(file === undefined ? {} : { file }),
      ...(thread === undefined ? {} : { thread: String(thread) }),
      ...(fixture.value === undefined ? {} : { fixtures: fixture.value }),
      ...(fixture.document === undefined ? {} : { fixturesFile: fixture.document.file as string }),
      params: filled.params,
      steps: steps.steps,
      locate: (found) => found.flatMap((problem) => locatedIn(document, fixture.document, problem)),
    },
  };
}

type Document = Pick<ParsedDocument, "value" | "locate" | "duplicateKeys" | "problems"> &
  Partial<Pick<ParsedDocument, "locationOf" | "file">>;

/** An object has no lines. */
const placeless = (value: unknown): Document => ({
  value,
  locate: (problems) => [...problems],
  duplicateKeys: () => [],
});

function placeIn(document: Document, path: Path): StepPlace {
  const place = document.locationOf?.(path);
  return {
    ...(place === undefined ? {} : { file: document.file, ...place }),
    path: pathText(path),
  } as StepPlace;
}

const nameFrom = (file: string | undefined): string =>
  file === undefined ? "scenario" : basename(file, extname(file));

type Fixture =
  | {
      readonly value?: Readonly<Record<string, unknown>> | undefined;
      readonly document?: Document | undefined;
    }
  | { readonly problems: readonly Problem[] };

async function fixtureOf(document: Document, named: unknown, file: string | undefined): Promise<Fixture> {
  if (typeof named !== "string") return { value: named as Readonly<Record<string, unknown>> | undefined };
  const at = (message: string) => ({ problems: document.locate([problemAt(["fixtures"], message)]) });
  if (file === undefined)
    return at("must be a fixture here: a path needs a scenario file that it is seen from");
  const path = join(dirname(file), named);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return at(`there is no file ${path} that could be read`);
  }
  const fixture = await parseDocument(text, { file: path });
  if (fixture.problems !== undefined) return { problems: fixture.problems };
  const { value } = fixture;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return at(`${path} must hold a fixture, but holds ${kindOf(value)}`);
  return { value: value as Readonly<Record<string, unknown>>, document: fixture };
}

function locatedIn(scenario: Document, fixture: Document | undefined, problem: Problem): Problem[] {
  if (fixture === undefined || !/^fixtures\b/.test(problem.path)) return scenario.locate([problem]);
  return fixture.locate([{ ...problem, path: problem.path.replace(/^fixtures\.?/, "") }]);
}
