import type { BehaviourValues, ProfileName } from "../behaviour/table.js";
import type { ParsedDocument } from "../kernel/document.js";
import { parseDocument } from "../kernel/document.js";
import { isObject } from "../kernel/json.js";
import { reasonOf } from "../kernel/os-errors.js";
import type { Problem } from "../kernel/problems.js";
import { nearest } from "../kernel/words.js";
import type { FaultInput } from "../sandbox/faults.js";
import { checkBehaviour, isProfile, PROFILE_NAMES } from "./behaviour.js";
import { checkFaults } from "./faults.js";
import type { OptionName } from "./options.js";
import type { SourceValue } from "./source.js";

/** The text of a file. Rejects with the system's error. */
export type ReadFile = (file: string) => Promise<string>;

function noProfile(name: string): string {
  const meant = nearest(name, PROFILE_NAMES);
  const suggestion = meant === undefined ? "" : `: did you mean "${meant}"?`;
  return `none of the profiles ${PROFILE_NAMES.join(", ")}${suggestion}`;
}

/** Reads the files that options name, and remembers what is wrong with them. */
export class OptionFiles {
  readonly problems: Problem[] = [];

  /** `values` holds the value that won for each option. */
  constructor(
    private readonly read: ReadFile,
    private readonly values: ReadonlyMap<OptionName, SourceValue>,
  ) {}

  /** Notes a problem of the value that was given for an option. */
  refuse(name: OptionName, message: string, path = ""): void {
    const problem: Problem = { path, message };
    this.problems.push(this.values.get(name)?.locate(problem) ?? { path: `--${name}`, message });
  }

  /** The text of a file; undefined when it cannot be read. */
  async text(name: OptionName, file: string | undefined, path = ""): Promise<string | undefined> {
    if (file === undefined) return undefined;
    try {
      return await this.read(file);
    } catch (error) {
      const others = name === "behaviour" ? ` (and it is ${noProfile(file)})` : "";
      const why = `cannot read ${file}: ${reasonOf(error)}${others}`;
      this.refuse(name, why, path);
      return undefined;
    }
  }

  async #document(name: OptionName, file: string, path = ""): Promise<ParsedDocument | undefined> {
    const text = await this.text(name, file, path);
    if (text === undefined) return undefined;
    const document = await parseDocument(text, { file });
    if (!document.problems) return document;
    this.problems.push(...document.problems);
    return undefined;
  }

  /** The profile, or the values of the file. */
  async behaviour(value: string | undefined): Promise<ProfileName | Partial<BehaviourValues> | undefined> {
    if (value === undefined || isProfile(value)) return value;
    const document = await this.#document("behaviour", value);
    if (document === undefined) return undefined;
    const { problems, values } = await checkedBehaviour(document);
    this.problems.push(...problems);
    return values;
  }

  /** The faults of all files, in order. */
  async faults(files: readonly string[]): Promise<FaultInput[]> {
    const lists = await Promise.all(
      files.map(async (file, index) => {
        const document = await this.#document("fault", file, `[${index}]`);
        if (document === undefined) return [];
        const { problems, faults } = await checkedFaults(document);
        this.problems.push(...problems);
        return faults;
      }),
    );
    return lists.flat();
  }
}

/** The values of a behaviour file; `$schema` is for editors, an empty file has none. */
function behaviourIn({ value }: ParsedDocument): unknown {
  if (value === null || value === undefined) return {};
  if (!isObject(value)) return value;
  const { $schema: _, ...values } = value;
  return values;
}

async function checkedBehaviour(document: ParsedDocument) {
  const { problems = [], values } = await checkBehaviour(behaviourIn(document));
  return { problems: document.locate([...document.duplicateKeys(), ...problems]), values };
}

/** What is wrong with a file of behaviour keys, with locations. */
export const behaviourFileProblems = async (document: ParsedDocument): Promise<Problem[]> =>
  (await checkedBehaviour(document)).problems;

async function checkedFaults(
  document: ParsedDocument,
): Promise<{ problems: Problem[]; faults: FaultInput[] }> {
  const { value } = document;
  const { problems, faults } = await checkFaults(isObject(value) ? [value] : value);
  const found = isObject(value)
    ? problems.map((problem) => ({ ...problem, path: problem.path.replace(/^\[0\]\.?/, "") }))
    : problems;
  return { problems: document.locate([...document.duplicateKeys(), ...found]), faults };
}

/** What is wrong with a file of faults, a list or one on its own, with locations. */
export const faultFileProblems = async (document: ParsedDocument): Promise<Problem[]> =>
  (await checkedFaults(document)).problems;
