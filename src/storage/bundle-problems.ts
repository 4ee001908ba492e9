import type { ValidateFunction } from "ajv";
import { createAjv } from "../kernel/ajv.js";
import type { Chunked } from "../kernel/chunked.js";
import { isObject, valueAt } from "../kernel/json.js";
import { keysOf } from "../kernel/keys.js";
import type { Path } from "../kernel/path.js";
import type { Problem } from "../kernel/problems.js";
import { ProblemList, problemAt, under } from "../kernel/problems.js";
import { LAST_WRITABLE } from "../kernel/realtime.js";
import type { Schema } from "../kernel/schema.js";
import { schemaProblems } from "../kernel/schema-problems.js";
import type { FaultInput } from "../sandbox/faults.js";
import { MAX_FAULTS, problemsOf } from "../sandbox/faults.js";
import { MAX_SNAPSHOTS } from "../sandbox/snapshots.js";
import type { BehaviourChecker } from "../service/behaviour/check.js";
import type { SimulatorSection, StartSection } from "./base-document.js";
import { allValuesSchema, SectionChecker } from "./base-document.js";
import type { BundleDocument } from "./bundle-schemas.js";
import { journalSchema, LOGS } from "./bundle-schemas.js";

/** The largest number of an id, so that those after it are exact. */
const MAX_ID = 1e15;

/** Checks bundles. Its validators are compiled at their first use and kept. */
export class BundleChecker {
  readonly #behaviour: BehaviourChecker;
  readonly #ajv = createAjv();
  readonly #sections = new SectionChecker();

  constructor(behaviour: BehaviourChecker) {
    this.#behaviour = behaviour;
  }

  /** What is wrong with a bundle beside its state, before anything is made of it. */
  *problemsOf(input: unknown): Chunked<Problem[]> {
    const { simulator, journal } = (isObject(input) ? input : {}) as Partial<BundleDocument>;
    if (simulator === undefined || journal === undefined) {
      const missing = simulator === undefined ? "simulator" : "journal";
      return [problemAt([], `is no bundle of messaging-sim state --bundle: it has no "${missing}"`)];
    }
    // Ajv keeps what it compiled by the schema.
    const outer = [
      ...this.#sections.problemsOf(simulator),
      ...this.#check(allValuesSchema, valueAt(simulator, ["values"]), ["simulator", "values"]),
      ...this.#check(journalSchema, journal, ["journal"]),
    ];
    if (outer.length > 0) return outer;
    const problems = new ProblemList({ endsWhenFull: true });
    const note = (found: readonly Problem[]) => {
      for (const problem of found) problems.add(() => problem);
    };
    note(settingsProblems(simulator, this.#behaviour));
    for (const log of keysOf(LOGS)) {
      // How many changes of threads there were is not kept: their ids begin anew with each process.
      const total = log === "changes" ? MAX_ID : simulator.values.run.logs[log];
      const validate = this.#ajv.compile(LOGS[log].schema);
      yield* logProblems(log, journal[log] ?? [], total, validate, note, () => problems.isFull);
    }
    return problems.all;
  }

  #check(schema: Schema, value: unknown, path: Path): Problem[] {
    const validate = this.#ajv.compile(schema);
    return validate(value) ? [] : schemaProblems(validate.errors, value, path);
  }
}

/** Behaviour values, faults and names that their schemas accept. */
function settingsProblems(
  { start, run, values, snapshots }: BundleDocument["simulator"],
  checker: BehaviourChecker,
): Problem[] {
  const faults = Object.entries(values.faults);
  const names = snapshots.map(({ name }) => name);
  return [
    ...startProblems(start, ["simulator", "start"], checker),
    ...(run === null ? [] : startProblems(run, ["simulator", "run"], checker)),
    ...behaviourProblems(values.behaviour, ["simulator", "values", "behaviour"], checker),
    ...faults.flatMap(([id, rule]) =>
      problemsOf(rule as FaultInput).map((problem) => under(["simulator", "values", "faults", id], problem)),
    ),
    ...faults.flatMap(([id, rule]) =>
      rule.id === id ? [] : [problemAt(["simulator", "values", "faults", id, "id"], `must be "${id}"`)],
    ),
    ...atMost(faults.length, MAX_FAULTS, ["simulator", "values", "faults"]),
    ...atMost(names.length, MAX_SNAPSHOTS, ["simulator", "snapshots"]),
    ...names.flatMap((name, index) =>
      names.indexOf(name) === index
        ? []
        : [problemAt(["simulator", "snapshots", index, "name"], "is the name of an earlier one")],
    ),
  ];
}

const startProblems = (
  { behaviour, faults }: Pick<StartSection, "behaviour" | "faults">,
  path: Path,
  checker: BehaviourChecker,
): Problem[] => [
  ...behaviourProblems(behaviour, [...path, "behaviour"], checker),
  ...faults.flatMap((fault, index) =>
    problemsOf(fault).map((problem) => under([...path, "faults", index], problem)),
  ),
  ...atMost(faults.length, MAX_FAULTS, [...path, "faults"]),
];

const behaviourProblems = (
  values: SimulatorSection["start"]["behaviour"],
  path: Path,
  checker: BehaviourChecker,
): Problem[] => (checker.check(values).problems ?? []).map((problem) => under(path, problem));

const atMost = (count: number, limit: number, path: Path): Problem[] =>
  count <= limit ? [] : [problemAt(path, `must be at most ${limit}, but are ${count}`)];

/** Entries that are right, in the order of their ids, none beyond what the log says that it had. */
function* logProblems(
  log: keyof typeof LOGS,
  entries: readonly unknown[],
  total: number,
  validate: ValidateFunction,
  note: (problems: readonly Problem[]) => void,
  isFull: () => boolean,
): Chunked<void> {
  const { prefix } = LOGS[log];
  const id = new RegExp(`^${prefix}([1-9]\\d{0,15})$`);
  let last = 0;
  for (let index = 0; index < entries.length && !isFull(); index += 1) {
    const entry = entries[index];
    const path: Path = ["journal", log, index];
    if (validate(entry)) {
      const { id: given, ...rest } = entry as { readonly id: string };
      const number = Number(id.exec(given)?.[1] ?? 0);
      if (number <= last || number > total)
        note([problemAt([...path, "id"], idProblem(given, prefix, last, total))]);
      else last = number;
      note(instantProblems(rest, path));
    } else note(schemaProblems(validate.errors, entry, path));
    yield;
  }
}

const idProblem = (given: string, prefix: string, last: number, total: number): string =>
  `must be an id between ${prefix}${last + 1} and ${prefix}${total}, in the order of the log, but is "${given}"`;

/** An instant that no calendar has makes whoever shows it fail. */
function instantProblems(entry: object, path: Path): Problem[] {
  const {
    at,
    nextAttemptAt,
    attempts = [],
  } = entry as {
    readonly at?: number;
    readonly nextAttemptAt?: number | null;
    readonly attempts?: readonly { readonly at: number }[];
  };
  const instants: [Path, number | null | undefined][] = [
    [["at"], at],
    [["nextAttemptAt"], nextAttemptAt],
    ...attempts.map((attempt, index): [Path, number] => [["attempts", index, "at"], attempt.at]),
  ];
  return instants.flatMap(([field, instant]) =>
    typeof instant === "number" && !(instant >= 0 && instant <= LAST_WRITABLE)
      ? [problemAt([...path, ...field], `must be an instant: from 0 to ${LAST_WRITABLE}`)]
      : [],
  );
}
