import { BOUNDS } from "../kernel/bounds.js";
import type { Path } from "../kernel/json.js";
import { isObject } from "../kernel/json.js";
import { masked } from "../kernel/masking.js";
import { programsIn } from "../kernel/matching.js";
import { omitUndefined } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { keyProblemAt, problemAt, problemsOfFirst, under } from "../kernel/problems.js";
import { describeSchema, kindOf, MAX_LISTED, preview, singular, unknownKey } from "../kernel/words.js";
import type { ScenarioFormat } from "./format.js";
import { STEP_KEYS } from "./format.js";
import { eachReference, isPlaceholder } from "./placeholders.js";
import type { StepLocation } from "./report.js";
import type { Fields, NamedRecord, ParsedStep, Properties, StepKind } from "./step.js";
import { ANY, MAX_STEPS_LISTED } from "./step.js";
import { STEPS } from "./steps/index.js";

const MAX_LABEL = 100;
const KIND_KEYS = STEPS.map(({ key }) => key);
const RESERVED = ["thread", "round"];

type LocatedRecord = Omit<NamedRecord, "at"> & { readonly path: string };

/** Reads steps once, in order, and collects their problems. */
export class StepReader {
  readonly #format: ScenarioFormat;
  readonly #thread: unknown;
  readonly #locationOf: (path: Path) => StepLocation;
  readonly #problems: Problem[] = [];
  #programs = 0;
  // Placeholders.
  /** The names that are known to the step being read. */
  readonly #known = new Set<string>();
  /** Lazy: the messages depend on names that come later. */
  readonly #nameProblems: (() => Problem)[] = [];
  // Records.
  readonly #records: (LocatedRecord & { readonly name: string })[] = [];
  /** Collections, and names in them, that earlier steps may have created: what later steps name of these is not checked. */
  readonly #created = new Set<string>();

  /** @param thread the scenario's */
  constructor(format: ScenarioFormat, thread: unknown, locationOf: (path: Path) => StepLocation) {
    this.#format = format;
    this.#thread = thread;
    this.#locationOf = locationOf;
    if (thread !== undefined) this.#known.add("thread");
  }

  read(steps: unknown, base: Path): ParsedStep[] {
    // The list's schema reports a list that is too long.
    if (!Array.isArray(steps) || steps.length > MAX_STEPS_LISTED) return [];
    return steps.flatMap((step, index) => this.#one(step, [...base, index]));
  }

  get problems(): readonly Problem[] {
    return problemsOfFirst(this.#problems, (problem) => [problem]);
  }

  /** Problems of the names in placeholders, worth reporting once there are no others. */
  get nameProblems(): Problem[] {
    return problemsOfFirst(this.#nameProblems, (make) => [make()]);
  }

  #one(step: unknown, path: Path): ParsedStep[] {
    if (this.#problems.length > MAX_LISTED) return [];
    const kind = kindOfStep(step, path);
    if (!isObject(step) || "path" in kind) {
      if ("path" in kind) this.#problems.push(kind);
      return [];
    }
    const input = inputOf(kind, step, this.#thread);
    const problems = this.#problemsIn(step, kind, input, path);
    for (const problem of problems) this.#problems.push(problem);
    const { id, name, ...parts } = step;
    const { steps: inner, ...own } = input;
    if (kind.verbatim) delete parts[kind.key];
    this.#readPlaceholders(inner === undefined ? parts : { [kind.key]: own }, path);
    const steps = inner === undefined ? undefined : this.#rounds(inner, [...path, kind.key, "steps"]);
    if (problems.length === 0) this.#noteRecords(kind, input, step, path);
    // An invalid step may create anything.
    const created = problems.length > 0 ? [ANY] : (kind.creates?.(input) ?? []);
    for (const collection of created) this.#created.add(collection);
    if (typeof id === "string") this.#give(id, [...path, "id"]);
    for (const captured of isObject(step.capture) ? Object.keys(step.capture) : [])
      this.#give(captured, [...path, "capture", captured]);
    const parsed: ParsedStep = {
      kind,
      input: own,
      name: typeof name === "string" ? name : labelOf(kind, step, input),
      id: typeof id === "string" ? id : undefined,
      place: this.#locationOf(path),
      ...omitUndefined({ steps }),
    };
    return [parsed];
  }

  /** The steps of a `repeat`, in which `${round}` is known. */
  #rounds(steps: unknown, path: Path): ParsedStep[] {
    const isOuter = !this.#known.has("round");
    this.#known.add("round");
    const read = this.read(steps, path);
    if (isOuter) this.#known.delete("round");
    return read;
  }

  /** Finds names that are unknown, or that come later: they are problems before anything runs. */
  #readPlaceholders(value: unknown, at: Path): void {
    eachReference(value, at, ({ text, name, isParam }, location) => {
      if (isParam) return;
      if (this.#known.has(name)) return;
      const round = this.#known.has("round") ? ["round"] : [];
      this.#nameProblems.push(() => problemAt(location, `\${${text}}: ${this.#whyUnknown(name, round)}`));
    });
  }

  /** Called once all names are known but for `${round}`, which is only known inside a `repeat`. */
  #whyUnknown(name: string, round: readonly string[]): string {
    if (name === "thread") return "the scenario names no thread";
    if (name === "round") return 'there is no "round" outside a repeat';
    if (this.#known.has(name)) return `"${name}" comes later`;
    return unknownKey("name", name, [...this.#known, ...round]);
  }

  #give(name: string, at: Path): void {
    if (RESERVED.includes(name) || this.#known.has(name))
      this.#nameProblems.push(() => problemAt(at, `there is already a "${name}"`));
    this.#known.add(name);
  }

  #noteRecords(kind: StepKind, input: Fields, step: Fields, path: Path): void {
    const value = step[kind.key];
    const thread = kind.inThread && isObject(value) ? value.thread : undefined;
    const inThread = { collection: "threads", name: thread, at: ["thread"] };
    for (const { at, ...named } of [inThread, ...(kind.references?.(input) ?? [])])
      this.noteRecord({ ...named, path: located(problemAt(at, ""), step, kind, path).path });
  }

  noteRecord({ collection, name, ...more }: LocatedRecord): void {
    const isPlain = typeof name === "number" || (typeof name === "string" && !isPlaceholder(name));
    const mayBeCreated = [ANY, collection, `${collection}/${name}`].some((one) => this.#created.has(one));
    if (isPlain && !mayBeCreated) this.#records.push({ collection, name: String(name), ...more });
  }

  /** References to records that a fixture lacks. */
  unknownRecords(fixture: Fields): Problem[] {
    return this.#records.flatMap(({ collection, name, path, doubt }) => {
      const known = namesIn(fixture, collection);
      if (doubt !== undefined || known.includes(name)) return [];
      return [{ path, message: unknownKey(singular(collection), name, known) }];
    });
  }

  /** What steps can hardly mean, with a fixture. */
  doubts(fixture: Fields): Problem[] {
    return this.#records.flatMap(({ collection, name, path, doubt }) => {
      const message = doubt?.(recordsIn(fixture, collection).find(({ id }) => id === name));
      return message === undefined ? [] : [{ path, message }];
    });
  }

  #problemsIn(step: Fields, kind: StepKind, input: Fields, path: Path): readonly Problem[] {
    // A compiled expression takes memory.
    this.#programs += programsIn({ ...input, steps: [], $regex: input.matches });
    if (this.#programs > BOUNDS.scenarioPrograms.limit)
      return [problemAt(path, "makes the texts to look for in the scenario too long in total")];
    const beside = this.#besideProblems(step, kind, path);
    // If the value of a step is not indented below it, report only that.
    const isOutside = step[kind.key] === null && beside.length > 0;
    const found = [...beside, ...(isOutside ? [] : this.#valueProblems(step, kind, path))];
    if (found.length > 0) return found;
    if (kind.inThread && input.thread === undefined)
      return [problemAt(path, `${kind.key} needs a thread: name one here or for the whole scenario`)];
    return (kind.problems?.(input, this.#format.known) ?? []).map((problem) =>
      located(problem, step, kind, path),
    );
  }

  #besideProblems(step: Fields, { key, beside }: StepKind, path: Path): Problem[] {
    const { [key]: value, ...others } = step;
    const known: Properties = { ...STEP_KEYS, ...beside };
    return Object.entries(others).flatMap(([other, given]) => {
      const schema = Object.hasOwn(known, other) ? known[other] : undefined;
      const at = [...path, other];
      if (schema !== undefined) return this.#format.problems(schema, given, at);
      const message =
        value === null
          ? `must be indented further than "${key}", to which it belongs`
          : unknownKey("key", other, Object.keys(known));
      return [keyProblemAt(at, message)];
    });
  }

  #valueProblems(step: Fields, kind: StepKind, path: Path): Problem[] {
    const { key, short } = kind;
    const { [key]: value } = step;
    const at = [...path, key];
    const isLong = typeof value === "object" && value !== null;
    const { required = [] } = kind.long;
    if (isLong || (short === undefined && required.length === 0))
      return this.#format.problems(this.#format.longOf(kind), value, at);
    if (short !== undefined && this.#format.problems(short.schema, value, at).length === 0) return [];
    const form =
      short === undefined
        ? `an object such as { ${required.map((name) => `${name}: …`).join(", ")} }`
        : `${describeSchema(short.schema)}, or an object`;
    const given = typeof value === "string" ? preview(value) : kindOf(value);
    const seen = value === null ? "empty (a text that begins with # must be in quotes)" : given;
    return [problemAt(at, `must be ${form}, but is ${seen}`)];
  }
}

/** The kind of a step, or what is wrong with it. A key such as `expect` beside `request` is no kind of its own. */
function kindOfStep(step: unknown, path: Path): StepKind | Problem {
  if (!isObject(step)) {
    const [, key, text] = (typeof step === "string" && /^(\w+):(\S.*)$/.exec(step)) || [];
    return key === undefined
      ? problemAt(path, `must be a step such as { customer: Hello }, but is ${kindOf(step)}`)
      : problemAt(path, `a space must follow the colon: ${key}: ${text}`);
  }
  const named = STEPS.filter(({ key }) => Object.hasOwn(step, key));
  const kinds = named.filter(
    ({ key }) => !named.some((other) => other.key !== key && Object.hasOwn(other.beside ?? {}, key)),
  );
  const [kind, second] = kinds;
  if (second !== undefined) {
    const all = kinds.map(({ key }) => key).join(" and ");
    const message = `a step has one action, but this one has ${all}: start each with its own dash`;
    return keyProblemAt([...path, second.key], message);
  }
  if (kind !== undefined) return kind;
  const unknown = Object.keys(step).find((key) => !Object.hasOwn(STEP_KEYS, key));
  if (unknown === undefined)
    return problemAt(path, `has no action: a step has one of ${KIND_KEYS.join(", ")}`);
  return keyProblemAt([...path, unknown], unknownKey("step", unknown, KIND_KEYS));
}

/** Fields other than `id` that identify records. */
const OTHER_NAMES: Readonly<Record<string, string>> = { templates: "title", webhooks: "hookId" };

const recordsIn = (fixture: Fields, collection: string): Fields[] =>
  Array.isArray(fixture[collection]) ? fixture[collection].filter(isObject) : [];

function namesIn(fixture: Fields, collection: string): string[] {
  const names = recordsIn(fixture, collection).flatMap((record) => [
    record.id,
    record[OTHER_NAMES[collection] ?? "id"],
  ]);
  return [...new Set(names)].filter((name) => typeof name === "string");
}

/** The long form with the sibling keys and, by default, the scenario's thread. */
function inputOf({ key, short, beside = {}, inThread }: StepKind, step: Fields, thread: unknown): Fields {
  const { [key]: value, ...others } = step;
  const known = Object.entries(others).filter(([other]) => Object.hasOwn(beside, other));
  const long = typeof value === "object" ? value : short?.long(value);
  return { ...(inThread && omitUndefined({ thread })), ...long, ...Object.fromEntries(known) };
}

/** Moves a problem of an input to where that part is written: in the step's value, or beside it. */
function located(problem: Problem, step: Fields, { key, beside = {} }: StepKind, path: Path): Problem {
  const [first = ""] = /^[^.[]*/.exec(problem.path) ?? [];
  const value = step[key];
  const isInValue = isObject(value) && Object.hasOwn(value, first);
  if (!isInValue && Object.hasOwn(beside, first) && Object.hasOwn(step, first)) return under(path, problem);
  return under([...path, key], isObject(value) ? problem : { ...problem, path: "" });
}

function labelOf({ key, label }: StepKind, step: Fields, input: Fields): string {
  const value = step[key];
  if (label !== undefined) return label(input);
  if (value === true) return key;
  if (!isObject(value)) return cut(`${key}: ${value}`);
  const parts = Object.entries(masked(value) as Fields)
    .filter(([name]) => name !== "thread" && name !== "steps")
    .map(([name, part]) => `${name} ${typeof part === "object" ? JSON.stringify(part) : part}`);
  return cut(`${key}: ${parts.join(", ")}`);
}

const cut = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_LABEL ? `${line.slice(0, MAX_LABEL - 1)}…` : line;
};
