/** What a step is, how its kind is declared, and how steps run. */
import type { EntrySource, LogName, Logs } from "../client/consumed-entries.js";
import type { Method } from "../client/http.js";
import type { Transport } from "../client/transport.js";
import type { ClockReading } from "../client/types.js";
import { BOUNDS } from "../kernel/bounds.js";
import type { Path } from "../kernel/json.js";
import { valueAt } from "../kernel/json.js";
import type { ClosedFields } from "../kernel/matching.js";
import { omitUndefined } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import type { Infer, ObjectOut, Schema } from "../kernel/schema.js";
import type { Duration } from "../kernel/units.js";
import { milliseconds } from "../kernel/units.js";
import { segment } from "../protocol/names.js";
import type { ApiAnswer, ApiCall, HttpAnswer, HttpCall, Target } from "./http.js";
import { callApi } from "./http.js";
import type { Lints } from "./lints.js";
import type { Resolve } from "./placeholders.js";
import { bounded, fillIn } from "./placeholders.js";
import type { Outcome, StepLocation, Utterance } from "./report.js";
import { StepFailure } from "./report.js";

export const DEFAULT_MAX_STEPS = BOUNDS.runSteps.limit;

/** The limit on steps in a scenario, and in each `repeat`. */
export const MAX_STEPS_LISTED = BOUNDS.stepsListed.limit;

export const waitMs = (own: Duration | undefined, ofScenario: Duration | undefined): number =>
  milliseconds(own ?? ofScenario ?? "2s");

export type Properties = Readonly<Record<string, Schema>>;
export type Fields = Readonly<Record<string, unknown>>;

/** Stands for all collections. */
export const ANY = "*";

/** The name of a record, and its path. */
export interface NamedRecord {
  readonly collection: string;
  readonly name: unknown;
  readonly at: Path;
}

/** Values that the fields of calls, deliveries and records can have, supplied by their owners. */
export interface KnownValues {
  readonly request: ClosedFields;
  readonly delivery: ClosedFields;
  /** What is wrong with a fault rule that fits its schema. */
  readonly faultProblems: (rule: Fields, isLater: (text: string) => boolean) => Problem[];
  /** Known names; there may be others, but a near miss is a typo. */
  readonly names: {
    /** Of the simulated API, with `:name` for a parameter. */
    readonly paths: readonly string[];
    /** In bodies, at any depth. */
    readonly requestFields: readonly string[];
    readonly deliveryFields: readonly string[];
  };
  readonly records: Readonly<Record<string, KnownRecord>>;
}

interface KnownRecord {
  readonly fields: readonly string[];
  readonly names: readonly string[];
  readonly closed: ClosedFields;
}

/**
 * What a step does to the world. The runner, comparisons and challenges tell steps apart by this alone.
 *
 * - `calls`: calls the simulated API, which a real service takes too
 * - `controls`: changes what the API answers, in a way that only a simulator can
 * - `emits`: sends events to receivers without changing state
 * - `observes`: waits for something or checks it
 * - `passes`: changes nothing and needs no server
 * - `groups`: runs the steps inside it
 */
type StepEffect = "calls" | "controls" | "emits" | "observes" | "passes" | "groups";

/** A kind of step: the source of the scenario's JSON Schema, validation, reference page and runner. */
export interface StepKind<I = Fields> {
  readonly key: string;
  readonly description: string;
  readonly effect: StepEffect;
  /** Whether it waits for the system under test, and fails at once where none is connected. */
  readonly needsSystem?: (input: I) => boolean;
  /** The log whose entries it waits for. */
  readonly log?: (input: I) => LogName | undefined;
  /** The control API's schema that its long form must also fit. */
  readonly schema?: "fault" | "behaviour";
  /** How it fails, in words that fit all conversations, by what was seen. Default: `the step … failed`. */
  readonly failure?: (seen: unknown) => string;
  /** Keys of the behaviour table that it controls, or their beginnings: challenges leave these alone. */
  readonly behaviourKeys?: (input: I) => readonly string[];
  /** What reports call it where it has no name of its own. */
  readonly label?: (input: I) => string;
  /** A text or a flag in place of an object; the schema's description says what it means. */
  readonly short?: { readonly schema: Schema; long(short: unknown): Fields };
  readonly long: Schema;
  readonly siblingKeys?: Properties;
  /** It needs a `thread`, by default the scenario's. */
  readonly inThread?: boolean;
  readonly call?: StepCall;
  /** It has placeholders of its own, so only parameters are filled in. */
  readonly verbatim?: boolean;
  /** Problems of an input that fits the schema, with paths of the long form. */
  problems?(input: I, known: KnownValues): Problem[];
  /** The records that must exist before it; paths are of the long form. The thread of `inThread` is always among them. */
  references?(input: I): readonly NamedRecord[];
  /** The collections that may have more records after it. */
  creates?(input: I): readonly string[];
  run(context: StepEngine, input: I, step: ParsedStep): Ran | Promise<Ran>;
}

/** A control call. Keys that are not in its path make up its body. */
export interface StepCall {
  /** Method and path below `/__sim`; `:key` stands for that key of the step. */
  readonly route: `${Method} /${string}`;
  /** Body fields by the step's own names for them. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The key whose value is the whole body. */
  readonly body?: string;
  /** What recordings call the outcome; default `outcome`. */
  readonly noun?: string;
}

/** Whether steps of a kind wait or do nothing, so that nothing happens because of them. */
export const isPassive = ({ effect }: StepKind): boolean => effect === "observes" || effect === "passes";

/** Whether steps of a kind need nothing but the API, so that a real service can take them. */
export const worksAnywhere = ({ effect }: StepKind): boolean =>
  effect === "calls" || effect === "passes" || effect === "groups";

export const UNMET = "an expectation was not met";

/** Undefined if its inner steps report themselves. */
type Ran = StepResult | undefined;

export interface ParsedStep {
  readonly kind: StepKind;
  /** The long form with its sibling keys; only parameters are filled in. */
  readonly input: Fields;
  readonly name: string;
  readonly id: string | undefined;
  readonly place: StepLocation;
  readonly steps?: readonly ParsedStep[];
}

export interface StepResult {
  readonly outcome?: Outcome;
  readonly said?: Utterance;
  readonly note?: string;
  readonly latencyMs?: number;
}

/** Whether steps expect anything, or only play a conversation. An answer that an `id` keeps is not yet looked at. */
export const expectsAnything = (steps: readonly ParsedStep[]): boolean =>
  allSteps(steps).some(
    ({ kind: { effect }, input: { expect, capture }, id }) =>
      effect === "observes" ||
      (effect === "calls" && (id === undefined || expect !== undefined || capture !== undefined)),
  );

export const allSteps = (steps: readonly ParsedStep[]): ParsedStep[] =>
  steps.flatMap((step) => [step, ...allSteps(step.steps ?? [])]);

/** Steps and their inner steps as `change` makes them, without those that it leaves out. */
export const mapSteps = (
  steps: readonly ParsedStep[],
  change: (step: ParsedStep) => ParsedStep | undefined,
): ParsedStep[] =>
  steps.flatMap((step) => {
    const changed = change(step);
    if (changed?.steps === undefined) return changed ?? [];
    return [{ ...changed, steps: mapSteps(changed.steps, change) }];
  });

type Input<L extends Schema, B extends Properties> = Infer<L> & Partial<ObjectOut<B>>;

/** What a step does: a call with what follows, or anything else. */
type Work<I> =
  | {
      readonly call: StepCall;
      readonly after: (context: StepEngine, input: I, outcome: Outcome) => StepResult | Promise<StepResult>;
    }
  | {
      readonly call?: StepCall;
      readonly run: (context: StepEngine, input: I, step: ParsedStep) => Ran | Promise<Ran>;
    };

/** Declares a kind of step. The schemas type the input of its functions. */
export function step<L extends Schema, const B extends Properties = Record<never, never>, Short = never>(
  declared: Omit<StepKind<Input<L, B>>, "short" | "long" | "siblingKeys" | "call" | "run"> & {
    /** The short form of the object: the value of one of its keys, or another schema. */
    readonly short?:
      | (keyof Infer<L> & string)
      | { readonly schema: Schema<Short>; readonly long: (short: Short) => Infer<L> };
    readonly long: L;
    readonly siblingKeys?: B;
  } & Work<Input<L, B>>,
): StepKind {
  const { short: key, long } = declared;
  const short =
    typeof key === "string"
      ? { schema: long.properties?.[key], long: (value: unknown) => ({ [key]: value }) }
      : key;
  const run = "run" in declared ? declared.run : calling(declared);
  // The reader checks every input against these schemas before it calls one of the functions.
  return { ...declared, ...omitUndefined({ short }), run } as unknown as StepKind;
}

const calling =
  <I extends object>({ call, after }: Extract<Work<I>, { readonly after: unknown }>) =>
  async (context: StepEngine, input: I): Promise<StepResult> => {
    const outcome = await sendStep(context, call, input);
    return { outcome, ...(await after(context, input, outcome)) };
  };

const PARAM = /:(\w+)/g;

export function sendStep(context: StepEngine, call: StepCall, input: object): Promise<Outcome> {
  const [method, path] = call.route.split(" ") as [Method, string];
  const left: Record<string, unknown> = { ...input };
  const filled = path.replace(PARAM, (_, key: string) => {
    const value = left[key] as string | number;
    delete left[key];
    return segment(key === "thread" ? context.threadId(value) : value);
  });
  return context.control(method, filled, call.body === undefined ? bodyOf(call, left) : left[call.body]);
}

function bodyOf({ fields = {} }: StepCall, input: Fields): Fields | undefined {
  const entries = Object.entries(input).map(([key, value]) => {
    const field = fields[key];
    // A scenario may write an id as a number; the control API takes a text.
    return [field ?? key, typeof value === "number" && field?.endsWith("Id") ? String(value) : value];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The parameters in `METHOD /path`; undefined if it is another call. */
export function paramsIn({ route }: StepCall, call: string): Readonly<Record<string, string>> | undefined {
  const keys = [...route.matchAll(PARAM)].map(([, key = ""]) => key);
  const values = new RegExp(`^${route.replace(PARAM, "([^/]+)")}$`).exec(call)?.slice(1);
  return (
    values && Object.fromEntries(keys.map((key, index) => [key, decodeURIComponent(values[index] ?? "")]))
  );
}

interface EngineParts {
  readonly transport: Transport;
  readonly target: Pick<Target, "url"> & { readonly sandbox: string };
  readonly send: (call: HttpCall) => Promise<HttpAnswer>;
  readonly thread: string | undefined;
  /** The token of calls that name none. */
  readonly token: string | undefined;
  /** How long expectations wait that do not say so themselves. */
  readonly within: Duration | undefined;
}

/** A sandbox that only one run uses. */
export interface OwnSandbox {
  readonly lints: Lints;
  /** Asks for the sandbox's time: a step may have changed it. */
  readClock(): Promise<void>;
  /** An expectation has used up these entries. */
  used(entries: readonly Logs[LogName][]): void;
  /** Notes the sandbox's time as a route of the clock has answered it. */
  setClock(reading: ClockReading): void;
  /** Brings the sandbox back to where the scenario began. */
  reset(): Promise<void>;
}

/** Runs steps. When each may begin, where its entries come from and what is timed is up to the schedule that extends it. */
export abstract class StepEngine {
  /** The calls and deliveries that steps have used up. */
  abstract readonly consumed: EntrySource;
  /** Undefined where others use the sandbox too, as the customers of a load test do. */
  readonly own?: OwnSandbox;
  /** The threads that steps were about. */
  readonly threads = new Set<string>();
  /** The values of `${name}`: outcomes of steps, captures, the thread. */
  readonly values = new Map<string, unknown>();
  /** The current rounds of `repeat` steps, outermost first. */
  protected readonly rounds: number[] = [];

  constructor(readonly parts: EngineParts) {
    if (parts.thread !== undefined) this.values.set("thread", parts.thread);
  }

  get transport(): Transport {
    return this.parts.transport;
  }

  /**
   * The first matching entry that no expectation has used up, since the last step that caused a delivery and then for the given time,
   * real ms; undefined if there is none. Uses nothing up.
   */
  abstract quiet<L extends LogName>(log: L, match: object, forMs: number): Promise<Logs[L] | undefined>;
  /** Lets real time pass. @throws when the run ends first */
  abstract pause(ms: number): Promise<void>;
  /** A customer or an employee wrote: replies are timed from now on. */
  abstract spoken(): void;
  /** Real time between the last message by a customer or an employee and an instant, ms; undefined if none wrote. */
  abstract sinceSpoken(at: number): number | undefined;
  /** Runs steps in order. @returns whether the rest may go on */
  abstract execute(steps: readonly ParsedStep[]): Promise<boolean>;

  /** Runs one step, and keeps its outcome under its id. `admit` gets its input, and throws if the step must not run. */
  protected async perform(step: ParsedStep, admit?: (input: Fields) => unknown): Promise<Ran> {
    const { kind, id } = step;
    const input = kind.verbatim ? step.input : (fillIn(step.input, this.#resolver()) as Fields);
    await admit?.(input);
    const result = await kind.run(this, input, step);
    if (id !== undefined && result !== undefined) this.values.set(id, result.outcome ?? {});
    return result;
  }

  /** Reads values for the placeholders of one text or input. @throws StepFailure if one has no value, or all hold too much */
  #resolver(): Resolve {
    return bounded(
      ({ text, name, path }) => {
        const outcome = this.values.get(name);
        const part = valueAt(outcome, path);
        if (part !== undefined) return part;
        throw new StepFailure(`\${${text}} has no value`, omitUndefined({ seen: outcome }));
      },
      (message) => {
        throw new StepFailure(message);
      },
    );
  }

  /** Fills in a step's name, or returns it unchanged if a placeholder has no value. */
  protected label(name: string): string {
    try {
      return String(fillIn(name, this.#resolver()));
    } catch {
      return name;
    }
  }

  /** A control call. @throws SimError when it is refused */
  async control(method: Method, path: string, body?: unknown): Promise<Outcome> {
    return { ...(await this.transport.answer(method, path, { body })) };
  }

  /** A call to the simulated API, entered into the journal as one by the scenario. */
  callApi(call: ApiCall): Promise<ApiAnswer> {
    const { target, token, send } = this.parts;
    return callApi(call, { ...target, token, send });
  }

  /** The thread that a step is about: the one that it names, else the scenario's. */
  threadId(named: string | number | undefined): string {
    const thread = String(named ?? this.parts.thread);
    this.threads.add(thread);
    return thread;
  }

  within(own: Duration | undefined): number {
    return waitMs(own, this.parts.within);
  }

  /** Runs steps `times` times, or until a round fails. `${round}` is the number of the innermost round. */
  async repeat(times: number, steps: readonly ParsedStep[]): Promise<void> {
    const outer = this.values.get("round");
    let goesOn = steps.length > 0;
    for (let round = 1; round <= times && goesOn; round += 1) {
      this.values.set("round", round);
      this.rounds.push(round);
      goesOn = await this.execute(steps);
      this.rounds.pop();
    }
    this.values.set("round", outer);
  }
}
