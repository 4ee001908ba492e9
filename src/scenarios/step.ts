/** What a step is, and how its row is declared. */
import type { LogName, Logs } from "../client/consumed-entries.js";
import type { Method } from "../client/http.js";
import type { Transport } from "../client/transport.js";
import { BOUNDS } from "../kernel/bounds.js";
import type { Path } from "../kernel/json.js";
import type { ClosedFields } from "../kernel/matching.js";
import { omitUndefined } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import type { Infer, ObjectOut, Schema } from "../kernel/schema.js";
import type { WrittenDuration } from "../kernel/units.js";
import { milliseconds } from "../kernel/units.js";
import type { ApiAnswer, ApiCall } from "./http.js";
import type { Outcome, StepLocation, Utterance } from "./report.js";

/** The limit on steps that a run executes, each round of a `repeat` counted. */
export const MAX_STEPS_RUN = BOUNDS.runSteps.limit;

/** The limit on steps in a scenario, and in each `repeat`. */
export const MAX_STEPS_LISTED = BOUNDS.stepsListed.limit;

export const waitMs = (own: WrittenDuration | undefined, ofScenario: WrittenDuration | undefined): number =>
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
  /** Why this record, as the fixture has it or lacks it, is hardly the one that is meant. It need not exist. */
  readonly doubt?: (record: Fields | undefined) => string | undefined;
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

/**
 * A row of the table of steps. Reading, running, describing, recording, the JSON Schema and the reference page follow from it: a step is
 * added by a row in one of the files of `steps`.
 */
export interface StepKind<I = Fields> {
  readonly key: string;
  readonly description: string;
  readonly effect: StepEffect;
  /** The object that the step takes. */
  readonly long: Schema;
  /** A text or a flag in place of the object; the schema's description says what it means. */
  readonly short?: { readonly schema: Schema; long(short: unknown): Fields };
  /** The control API's schema that the object must also fit. */
  readonly schema?: "fault" | "behaviour";
  /** Keys that may stand beside the step's own. */
  readonly beside?: Properties;
  /** It needs a `thread`, by default the scenario's. */
  readonly inThread?: boolean;
  /** It has placeholders of its own, so only parameters are filled in. */
  readonly verbatim?: boolean;
  /** The control call that it makes; recordings of such calls have the step. */
  readonly send?: StepCall;
  /** Makes the call of `send`, or does something else. */
  run(run: StepRun, input: I, step: ParsedStep): Ran | Promise<Ran>;
  /** What reports call it where it has no name of its own. */
  readonly label?: (input: I) => string;
  /** Whether it waits for the system under test, and fails at once where none is connected. */
  readonly needsSystem?: (input: I) => boolean;
  /** Keys of the behaviour table that it controls, or their beginnings: challenges leave these alone. */
  readonly behaviourKeys?: (input: I) => readonly string[];
  /** Problems of an input that fits the schema, with paths of the long form. */
  problems?(input: I, known: KnownValues): Problem[];
  /** The records that must exist before it; paths are of the long form. The thread of `inThread` is always among them. */
  references?(input: I): readonly NamedRecord[];
  /** The collections that may have more records after it, or `collection/name` for one record. */
  creates?(input: I): readonly string[];
}

/** What steps may use of the run that they belong to. */
export interface StepRun {
  readonly transport: Transport;
  /** The scenario's thread. */
  readonly thread: string | undefined;
  /** The values of `${name}`: outcomes of steps, captures, the thread. */
  readonly values: Map<string, unknown>;
  /** Makes the control call of a step. @throws SimError when it is refused */
  send(call: StepCall, input: object): Promise<Outcome>;
  /** Any control call. @throws SimError when it is refused */
  control(method: Method, path: string, body?: unknown): Promise<Outcome>;
  /** A call to the simulated API, entered into the journal as one by the scenario. */
  callApi(call: ApiCall): Promise<ApiAnswer>;
  /** The thread that a step is about: the one that it names, else the scenario's. */
  threadId(named: string | number | undefined): string;
  /** How long an expectation waits, ms. */
  within(own: WrittenDuration | undefined): number;
  /** Waits for matching entries and uses them up: the oldest, and when it came. @throws StepFailure on timeout */
  take<L extends LogName>(
    log: L,
    match: object,
    wanted: Wanted,
  ): Promise<{ readonly entry: Logs[L]; readonly at: number }>;
  /**
   * The first matching entry that no expectation has used up, since the last step that caused a delivery and then for the given time,
   * real ms; undefined if there is none. Uses nothing up.
   */
  quiet<L extends LogName>(log: L, match: object, forMs: number): Promise<Logs[L] | undefined>;
  /** Lets real time pass. @throws when the run ends first */
  pause(ms: number): Promise<void>;
  /** A customer or an employee wrote: replies are timed from now on. */
  spoken(): void;
  /** Real time between the last message by a customer or an employee and an instant, ms; undefined if none wrote. */
  sinceSpoken(at: number): number | undefined;
  /** Asks for the sandbox's time: a step may have changed it. */
  readClock(): Promise<void>;
  /** Brings the sandbox back to where the scenario began. */
  reset(): Promise<void>;
  /** A step has armed a fault rule. */
  armed(fault: string, place: StepLocation): void;
  /** Notes the armed rules that never fired, before they are removed. */
  settleFaults(): Promise<void>;
  /** Runs steps `times` times, or until a round fails. `${round}` is the number of the innermost round. */
  repeat(times: number, steps: readonly ParsedStep[]): Promise<void>;
}

/** What an expectation waits for. */
interface Wanted {
  readonly count?: number;
  /** Real time to wait, ms. */
  readonly within: number;
  /** What failures say is missing: `No successful delivery`. */
  readonly what: string;
  /** What failures say was expected; default: the match. */
  readonly expected?: object;
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

/** Whether steps of a kind need nothing but the API, so that a real service can take them. */
export const worksAnywhere = ({ effect }: StepKind): boolean =>
  effect === "calls" || effect === "passes" || effect === "groups";

/** Undefined if its inner steps report themselves. */
type Ran = StepResult | undefined;

export interface ParsedStep {
  readonly kind: StepKind;
  /** The long form with the keys beside it; only parameters are filled in. */
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

/** What a step does: a call and what it says about the outcome, or anything else. */
type Work<I> =
  | {
      readonly send: StepCall;
      readonly say: (input: I, run: StepRun, outcome: Outcome) => StepResult | Promise<StepResult>;
    }
  | { readonly send?: StepCall; readonly run: StepKind<I>["run"] };

/** Declares a step. The schemas type the input of its functions. */
export function step<L extends Schema, const B extends Properties = Record<never, never>, Short = never>(
  row: Omit<StepKind<Input<L, B>>, "short" | "long" | "beside" | "send" | "run"> & {
    /** The short form of the object: the value of one of its keys, or another schema. */
    readonly short?:
      | (keyof Infer<L> & string)
      | { readonly schema: Schema<Short>; readonly long: (short: Short) => Infer<L> };
    readonly long: L;
    readonly beside?: B;
  } & Work<Input<L, B>>,
): StepKind {
  const { short: key, long } = row;
  const short =
    typeof key === "string"
      ? { schema: long.properties?.[key], long: (value: unknown) => ({ [key]: value }) }
      : key;
  const run: StepKind<Input<L, B>>["run"] =
    "run" in row
      ? row.run
      : async (run, input) => {
          const outcome = await run.send(row.send, input);
          return { outcome, ...(await row.say(input, run, outcome)) };
        };
  // The reader checks every input against these schemas before it calls one of the functions.
  return { ...row, ...omitUndefined({ short }), run } as unknown as StepKind;
}

/** A parameter of a route. */
export const PARAM = /:(\w+)/g;

/** The parameters in `METHOD /path`; undefined if it is another call. */
export function paramsIn({ route }: StepCall, call: string): Readonly<Record<string, string>> | undefined {
  const keys = [...route.matchAll(PARAM)].map(([, key = ""]) => key);
  const values = new RegExp(`^${route.replace(PARAM, "([^/]+)")}$`).exec(call)?.slice(1);
  return (
    values && Object.fromEntries(keys.map((key, index) => [key, decodeURIComponent(values[index] ?? "")]))
  );
}
