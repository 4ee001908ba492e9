/** How a step is declared: once, with its description, its schema, what it is and what it does. */

import type { ConsumedEntries, LogName, Logs } from "../client/consumed-entries.js";
import type { Method } from "../client/http.js";
import type { Transport } from "../client/transport.js";
import type { ClockReading } from "../client/types.js";
import { BOUNDS } from "../kernel/bounds.js";
import type { Duration } from "../kernel/duration.js";
import { milliseconds } from "../kernel/duration.js";
import type { Path } from "../kernel/json.js";
import type { ClosedFields } from "../kernel/matching.js";
import type { Problem } from "../kernel/problems.js";
import type { Infer, ObjectOut, Schema } from "../kernel/schema.js";
import { segment } from "../protocol/names.js";
import type { NearMiss, StepLocation, Utterance } from "./report.js";

/** The default limit on executed steps. */
export const DEFAULT_MAX_STEPS = BOUNDS.runSteps.limit;

/** The limit on steps in a scenario, and in each `repeat`. */
export const MAX_STEPS_LISTED = BOUNDS.stepsListed.limit;

/** How long an expectation waits, ms. */
export const waitMs = (own: Duration | undefined, ofScenario: Duration | undefined): number =>
  milliseconds(own ?? ofScenario ?? "2s");

type Properties = Readonly<Record<string, Schema>>;
type Fields = Readonly<Record<string, unknown>>;

/** Whether a text is only known once the scenario runs. */
type IsLater = (text: string) => boolean;

/** Names known to occur in calls and payloads. */
export interface KnownNames {
  /** The paths of the simulated API, with `:name` for a parameter. */
  readonly paths: readonly string[];
  /** Field names in bodies, at any depth. */
  readonly requestFields: readonly string[];
  readonly deliveryFields: readonly string[];
}

/** A name of a record, and where it stands. */
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
  readonly faultProblems: (rule: Fields, isLater: IsLater) => Problem[];
  /** Known names; there may be others, but a near miss is a typo. */
  readonly names: KnownNames;
  /** By collection. */
  readonly records: Readonly<
    Record<
      string,
      { readonly fields: readonly string[]; readonly names: readonly string[]; readonly closed: ClosedFields }
    >
  >;
}

/**
 * What a step does to the world. The runner, comparisons, loads and challenges tell steps apart by this alone.
 *
 * - `calls`: calls the simulated API, which a real service takes too
 * - `controls`: changes what the API answers, in a way that only a simulator can
 * - `emits`: sends events to receivers without changing state
 * - `observes`: waits for something or checks it
 * - `passes`: changes nothing and needs no server
 * - `groups`: runs the steps inside it
 */
type StepEffect = "calls" | "controls" | "emits" | "observes" | "passes" | "groups";

/** A record by its collection and id. */
export interface RecordName {
  readonly collection: string;
  readonly id: string;
}

/** A kind of step: the source of the scenario's JSON Schema, validation, reference page and runner. */
export interface StepKind {
  readonly key: string;
  /** What the step does, in a line. */
  readonly description: string;
  readonly effect: StepEffect;
  /** Whether it waits for the system under test, and fails at once where none is connected. */
  readonly needsSystem?: (input: Fields) => boolean;
  /** The log whose entries it waits for. */
  readonly log?: (input: Fields) => LogName | undefined;
  /** Why a load test cannot play it, after the step's key: many customers share one sandbox, in real time. */
  readonly notUnderLoad?: string | ((input: Fields) => string | undefined);
  /** The control API's schema that its long form must also fit. */
  readonly schema?: "fault" | "behaviour";
  /** Whether it waits for the reply whose latency a load test measures. */
  readonly timesReply?: boolean;
  /** How it fails, in words that fit all conversations, by what was seen. Default: `the step … failed`. */
  readonly failure?: (seen: unknown) => string;
  /** Keys of the behaviour table that it controls, or their beginnings: challenges leave these alone. */
  readonly behaviourKeys?: (input: Fields) => readonly string[];
  /** What reports call it where it has no name of its own. */
  readonly label?: (input: Fields) => string;
  /** A text or a flag in place of an object. */
  readonly short?: {
    readonly schema: Schema;
    /** Its meaning in terms of the long form. */
    readonly description: string;
    long(short: unknown): Fields;
  };
  /** The long form. */
  readonly long: Schema;
  /** Keys allowed beside the step's own. */
  readonly siblingKeys?: Properties;
  /** It needs a `thread`, by default the scenario's. */
  readonly inThread?: boolean;
  /** The control call that it makes. */
  readonly call?: StepCall;
  /** It has placeholders of its own, so only parameters are filled in. */
  readonly verbatim?: boolean;
  /** Problems of an input that fits the schema, with paths of the long form. */
  problems?(input: Fields, known: KnownValues): Problem[];
  /** The records that must exist before it; paths are of the long form. The thread of `inThread` is always among them. */
  references?(input: Fields): readonly NamedRecord[];
  /** The collections that may have more records after it. */
  creates?(input: Fields): readonly string[];
  /** The record that it expects to be absent. */
  absent?(input: Fields): RecordName | undefined;
  run(context: StepContext, input: Fields, step: ParsedStep): Ran | Promise<Ran>;
}

/** Whether steps of a kind wait or do nothing, so that nothing happens because of them. */
export const isPassive = ({ effect }: StepKind): boolean => effect === "observes" || effect === "passes";

/** Whether steps of a kind need nothing but the API, so that a real service can take them. */
export const worksAnywhere = ({ effect }: StepKind): boolean =>
  effect === "calls" || effect === "passes" || effect === "groups";

/** Why many customers who share a sandbox cannot take a step that changes it. */
export const SHARED = "changes what all customers share";

/** How an expectation fails. */
export const UNMET = "an expectation was not met";

/** Undefined if its inner steps report themselves. */
export type Ran = StepResult | undefined;

/** A step of a scenario that was read. */
export interface ParsedStep {
  readonly kind: StepKind;
  /** The long form with its sibling keys; only parameters are filled in. */
  readonly input: Fields;
  readonly name: string;
  readonly id: string | undefined;
  readonly place: StepLocation;
  /** The steps inside a `repeat`. */
  readonly steps?: readonly ParsedStep[];
}

/** What steps work with while they run. */
export interface StepContext {
  /** The scenario's thread. */
  readonly thread: string | undefined;
  /** The control API of the sandbox. */
  readonly transport: Transport;
  /** The calls and deliveries that steps have used up. */
  readonly consumed: Pick<ConsumedEntries, "take" | "isTaken">;
  /** Undefined where others use the sandbox too, as the customers of a load test do. */
  readonly own?: OwnSandbox;
  /** The next matching entry from now on, if one comes in time. Uses nothing up. */
  next<L extends LogName>(log: L, match: object, timeoutMs: number): Promise<Logs[L] | undefined>;
  /** Lets real time pass. @throws when the run ends first */
  pause(ms: number): Promise<void>;
  /** A control call. @throws SimError when it is refused */
  control(method: Method, path: string, body?: unknown): Promise<Outcome>;
  /** A call to the simulated API, entered into the journal as one by the scenario. */
  callApi(call: ApiCall): Promise<ApiAnswer>;
  /** The thread that a step is about: the one that it names, else the scenario's. */
  threadId(named: string | number | undefined): string;
  /** How long an expectation waits, ms. */
  within(own: Duration | undefined): number;
  /** A customer or an employee wrote: replies are timed from now on. */
  spoken(): void;
  /** Real time since a customer or an employee wrote, ms. */
  sinceSpoken(): number;
  /** Keeps a value for `${name}`. */
  keep(name: string, value: unknown): void;
  /** Runs steps a number of times. */
  repeat(times: number, steps: readonly ParsedStep[]): Promise<void>;
}

/** A sandbox that only one run uses. */
export interface OwnSandbox {
  /** The running step has armed a fault rule. */
  armed(fault: string): void;
  /** Notes which rules have never fired, before they go. */
  settleFaults(): Promise<void>;
  /** An entry of a log has met the running step. */
  metBy(log: LogName, id: string, summary: string): void;
  /** The running step has looked for a record. */
  lookedFor(collection: string, id: string, isThere: boolean): Promise<void>;
  /** Asks for the sandbox's time: a step may have changed it. */
  readClock(): Promise<void>;
  /** Notes the sandbox's time as a route of the clock has answered it. */
  setClock(reading: ClockReading): void;
  /** Brings the sandbox back to where the scenario began. */
  reset(): Promise<void>;
}

/** A call to the simulated API. */
export interface ApiCall {
  readonly method: string;
  readonly path: string;
  /** Null sends none; default: the scenario's. */
  readonly token?: string | null;
  /** Null removes a default header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Sent as JSON; text is sent verbatim. */
  readonly body?: unknown;
}

export interface ApiAnswer {
  /** Null when the connection was closed without an answer. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What `${id…}` reads: `status` and `body` of a call, for instance. */
export type Outcome = Readonly<Record<string, unknown>>;

/** The result of a step that passed. */
export interface StepResult {
  readonly outcome?: Outcome;
  readonly said?: Utterance;
  readonly note?: string;
  readonly latencyMs?: number;
}

/** A step failed. */
export class StepFailure extends Error {
  override readonly name = "StepFailure";

  constructor(
    message: string,
    readonly details: {
      readonly expected?: unknown;
      readonly seen?: unknown;
      readonly nearMisses?: readonly NearMiss[];
      /** The delivery or request whose causal chain the report shows. */
      readonly about?: string | undefined;
      readonly outcome?: Outcome;
      readonly said?: Utterance;
    } = {},
  ) {
    super(message);
  }
}

/** What of a step depends on its input. */
interface OfInput<I> {
  readonly needsSystem?: (input: I) => boolean;
  readonly log?: (input: I) => LogName | undefined;
  readonly notUnderLoad?: string | ((input: I) => string | undefined);
  readonly behaviourKeys?: (input: I) => readonly string[];
  readonly label?: (input: I) => string;
  readonly problems?: (input: I, known: KnownValues) => Problem[];
  readonly references?: (input: I) => readonly NamedRecord[];
  readonly creates?: (input: I) => readonly string[];
  readonly absent?: (input: I) => RecordName | undefined;
}

type Input<L extends Schema, B extends Properties> = Infer<L> & Partial<ObjectOut<B>>;

/** What a step does: a call with what follows, or anything else. */
type Work<I> =
  | {
      readonly call: StepCall;
      readonly after: (context: StepContext, input: I, outcome: Outcome) => StepResult | Promise<StepResult>;
    }
  | {
      readonly call?: StepCall;
      readonly run: (context: StepContext, input: I, step: ParsedStep) => Ran | Promise<Ran>;
    };

/** Declares a kind of step. The schemas type the input of its functions. */
export function step<L extends Schema, const B extends Properties = Record<never, never>, Short = never>(
  declared: Omit<StepKind, "short" | "long" | "siblingKeys" | "call" | "run" | keyof OfInput<never>> & {
    readonly short?: {
      readonly schema: Schema<Short>;
      readonly description: string;
      readonly long: (short: Short) => Infer<L>;
    };
    readonly long: L;
    readonly siblingKeys?: B;
  } & OfInput<Input<L, B>> &
    Work<Input<L, B>>,
): StepKind {
  const run = "run" in declared ? declared.run : calling(declared);
  // The reader checks every input against these schemas before it calls one of the functions.
  return { ...declared, run } as unknown as StepKind;
}

const calling =
  <I extends object>({ call, after }: Extract<Work<I>, { readonly after: unknown }>) =>
  async (context: StepContext, input: I): Promise<StepResult> => {
    const outcome = await sendStep(context, call, input);
    return { outcome, ...(await after(context, input, outcome)) };
  };

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

const PARAM = /:(\w+)/g;

interface Sender<Outcome> {
  threadId(named: string | number | undefined): string;
  control(method: Method, path: string, body?: unknown): Promise<Outcome>;
}

/** Makes the call of a step. @throws SimError when it is refused */
export function sendStep<Outcome>(context: Sender<Outcome>, call: StepCall, input: object): Promise<Outcome> {
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
