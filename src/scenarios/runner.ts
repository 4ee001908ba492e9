/** Runs steps, and is what they work with. */
import { DEFAULT_SANDBOX } from "../client/address.js";
import type { LogName, Logs } from "../client/consumed-entries.js";
import { ConsumedEntries } from "../client/consumed-entries.js";
import { SimError } from "../client/errors.js";
import type { Method } from "../client/http.js";
import type { Transport } from "../client/transport.js";
import type { ClockReading } from "../client/types.js";
import { BOUNDS } from "../kernel/bounds.js";
import type { Duration } from "../kernel/duration.js";
import { given } from "../kernel/given.js";
import { elapsedSince, monotonicNow, sleep } from "../kernel/realtime.js";
import { Slices } from "../kernel/slices.js";
import { newestEntry, nextEntry } from "./entries.js";
import type { Http, HttpAnswer, HttpCall, Target } from "./http.js";
import { callApi, sendAsScenario, transportTo, UnreadableAnswer } from "./http.js";
import { Remarks } from "./lints.js";
import { Values } from "./placeholders.js";
import type { Scenario } from "./read.js";
import type { ChainLink, Remark, StepReport } from "./report.js";
import type { ApiAnswer, ApiCall, Outcome, ParsedStep, StepContext } from "./step.js";
import { DEFAULT_MAX_STEPS, isPassive, StepFailure, waitMs } from "./step.js";

export interface RunnerOptions {
  readonly http: Http;
  /** Brings the sandbox back to where the scenario began: step `reset`. Default: the sandbox's own start. */
  readonly reset?: () => Promise<unknown>;
  /** How many steps are executed at most, each round of a `repeat` counted; default `DEFAULT_MAX_STEPS`. */
  readonly maxSteps?: number;
  /** Runs the other steps although one failed. */
  readonly keepGoing?: boolean;
  /** Sends the scenario's calls to the simulated API. Default: so that the journal knows who made them. */
  readonly sendApi?: (call: HttpCall) => Promise<HttpAnswer>;
  /** Whether a program hears of what happens or may call. Default: nobody knows, so expectations wait for it. */
  readonly isConnected?: () => Promise<boolean>;
  /** The causal chain of a call or delivery that made a step fail. */
  readonly explain?: (id: string) => Promise<ChainLink[]>;
  /** Called before each step, which waits for it. */
  readonly beforeStep?: (step: ParsedStep) => unknown;
  /** Called with the report of each step as it ends; the next step waits for it. */
  readonly onStep?: (report: StepReport, step: ParsedStep) => unknown;
}

const NOT_CONNECTED =
  "nothing is connected that could call: every enabled webhook leads to a sink or is blocked. Name the system under test with --hook URL, or start it with --exec COMMAND";

/** One run of a scenario: what its steps work with, and what they came to. */
export class Runner implements StepContext {
  readonly #reports = new StepReports();
  readonly sandbox: string;
  readonly thread: string | undefined;
  readonly transport: Transport;
  readonly consumed: ConsumedEntries;
  /** The threads that steps were about. */
  readonly threads = new Set<string>();
  readonly #scenario: Scenario;
  readonly #url: string;
  readonly #options: RunnerOptions;
  readonly #time: SandboxTime;
  readonly #remarks: Remarks;
  readonly #values = new Values();
  readonly #budget: Budget;
  #spokenAt: number | undefined;
  #failed = false;

  constructor(scenario: Scenario, target: Target, options: RunnerOptions) {
    this.#scenario = scenario;
    this.#url = target.url;
    this.#options = options;
    this.#budget = new Budget(options.maxSteps ?? DEFAULT_MAX_STEPS);
    this.sandbox = target.sandbox ?? DEFAULT_SANDBOX;
    this.transport = transportTo(target, options.http);
    this.consumed = new ConsumedEntries(this.transport);
    this.#time = new SandboxTime(this.transport);
    this.#remarks = new Remarks(this.transport, scenario.steps);
    this.thread = scenario.thread;
    if (this.thread !== undefined) this.#values.set("thread", this.thread);
  }

  get reports(): readonly StepReport[] {
    return this.#reports.list;
  }

  next<L extends LogName>(log: L, match: object, timeoutMs: number): Promise<Logs[L] | undefined> {
    return nextEntry(this.transport, log, match, timeoutMs);
  }

  pause(ms: number): Promise<void> {
    return sleep(ms, this.#budget.signal);
  }

  /** Ends the running step with this message; no step after it is run. */
  interrupt(message: string, seen?: unknown): void {
    this.#budget.end(message, seen);
    this.#options.http.abort(new Error(message));
  }

  /** Begins to look: at everything in a sandbox that is `fresh`, else at what comes from now on. */
  async begin(fresh: boolean): Promise<void> {
    const newest = async () => ({
      requests: await newestEntry(this.transport, "requests"),
      deliveries: await newestEntry(this.transport, "deliveries"),
    });
    const [starts] = await Promise.all([fresh ? {} : newest(), this.#time.read()]);
    this.consumed.restart(starts);
    await this.#remarks.begin();
  }

  async reset(): Promise<void> {
    await this.settleFaults();
    await (this.#options.reset?.() ?? this.transport.call("POST", "/reset"));
    this.#spokenAt = undefined;
    await this.begin(true);
  }

  armed(fault: string): void {
    this.#remarks.armed(fault);
  }

  settleFaults(): Promise<void> {
    return this.#remarks.settleFaults();
  }

  metBy(log: LogName, id: string, summary: string): void {
    this.#remarks.metBy(log, id, summary);
  }

  /** What the run did not test. After a failure nothing is said: the steps after it might have. */
  async remarks(): Promise<readonly Remark[]> {
    if (this.#failed) return [];
    await this.settleFaults();
    return [...this.#scenario.unusedCaptures, ...this.#remarks.found];
  }

  async control(method: Method, path: string, body?: unknown): Promise<Outcome> {
    return { ...(await this.transport.answer(method, path, { body })) };
  }

  callApi(call: ApiCall): Promise<ApiAnswer> {
    const { http, sendApi = sendAsScenario(http) } = this.#options;
    return callApi(call, {
      url: this.#url,
      token: this.#scenario.token,
      sandbox: this.sandbox,
      send: sendApi,
    });
  }

  threadId(named: string | number | undefined): string {
    const thread = String(named ?? this.thread);
    this.threads.add(thread);
    return thread;
  }

  within(own: Duration | undefined): number {
    return waitMs(own, this.#scenario.within);
  }

  spoken(): void {
    this.#spokenAt = monotonicNow();
  }

  sinceSpoken(): number {
    return this.#spokenAt === undefined ? 0 : elapsedSince(this.#spokenAt, 2);
  }

  keep(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  readClock(): Promise<void> {
    return this.#time.read();
  }

  setClock(reading: ClockReading): void {
    this.#time.set(reading);
  }

  repeat(times: number, steps: readonly ParsedStep[]): Promise<void> {
    return this.#values.repeat(times, steps, (round) => this.execute(round));
  }

  /** Runs steps until one fails. @returns whether none has */
  async execute(steps: readonly ParsedStep[]): Promise<boolean> {
    for (const [index, step] of steps.entries()) {
      if (this.#failed) {
        await this.#skip(step);
        continue;
      }
      const next = steps[index + 1];
      const marks = !isPassive(step.kind) && next !== undefined && isPassive(next.kind);
      await this.#one({ ...step, name: this.#values.label(step.name) }, marks);
    }
    return !this.#failed;
  }

  lookedFor(collection: string, id: string, isThere: boolean): Promise<void> {
    return this.#remarks.lookedFor(collection, id, isThere);
  }

  /** `marks`: an expectation follows, which is to be met by what comes from now on. */
  async #one(step: ParsedStep, marks: boolean): Promise<void> {
    const started = monotonicNow();
    this.#remarks.at(step);
    const result = await this.#resultOf(step, marks);
    // A `repeat` has no line of its own: its steps have theirs.
    if (result === undefined) return;
    const { ok, outcome, about, message, ...more } = result;
    const time = { at: this.#time.now(), durationMs: elapsedSince(started, 2) };
    if (step.id !== undefined && outcome !== undefined) this.#values.set(step.id, outcome);
    const chain = about === undefined ? [] : await this.#options.explain?.(about);
    await this.#report(step, {
      ok,
      ...time,
      ...given({ message }),
      ...more,
      ...(chain?.length && { chain }),
    });
  }

  async #resultOf(step: ParsedStep, marks: boolean) {
    try {
      await this.#budget.step();
      if (marks) await this.#remarks.mark();
      await this.#options.beforeStep?.(step);
      const input = this.#values.inputOf(step);
      if (step.kind.needsSystem?.(input) && (await this.#options.isConnected?.()) === false)
        throw new StepFailure(NOT_CONNECTED);
      const result = await step.kind.run(this, input, step);
      return result && { ok: true, outcome: {}, about: undefined, message: undefined, ...result };
    } catch (error) {
      const { message, details } = failureOf(this.#budget.causeOf(error));
      this.#failed = this.#budget.signal.aborted || this.#options.keepGoing !== true;
      return { ok: false, outcome: undefined, about: undefined, message, ...details };
    }
  }

  async #skip(step: ParsedStep): Promise<void> {
    if (step.steps === undefined) await this.#report(step, { ok: false, skipped: true });
    for (const inner of step.steps ?? []) await this.#skip(inner);
  }

  async #report(step: ParsedStep, more: Pick<StepReport, "ok"> & Partial<StepReport>): Promise<void> {
    const rounds = this.#values.rounds.length === 0 ? undefined : [...this.#values.rounds];
    const { name, kind, place } = step;
    const report = { name, step: kind.key, place, ...given({ rounds }), ...more };
    this.#reports.add(report);
    await this.#options.onStep?.(report, step);
  }
}

/** What a run may take: so many steps, between which the event loop serves others, and until somebody ends it. */
class Budget {
  readonly #maxSteps: number;
  readonly #slices = new Slices();
  readonly #ended = new AbortController();
  #steps = 0;

  constructor(maxSteps: number) {
    this.#maxSteps = maxSteps;
  }

  /** Aborted, with the failure of the step that runs or would be next, when the run is over before its steps are. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  end(message: string, seen?: unknown): void {
    this.#ended.abort(new StepFailure(message, { seen }));
  }

  /** A step begins. @throws StepFailure when the run is over */
  async step(): Promise<void> {
    await this.#slices.next();
    if (this.#steps === this.#maxSteps)
      this.end(`the run has executed ${this.#maxSteps} steps, which is all that it may`);
    this.signal.throwIfAborted();
    this.#steps += 1;
  }

  /** What made a step fail: the end of the run, whatever else that came to. */
  causeOf(error: unknown): unknown {
    return this.signal.aborted ? this.signal.reason : error;
  }
}

/** The sandbox's time, known without asking for it at each step. */
class SandboxTime {
  readonly #transport: Transport;
  #reading: ClockReading = { now: 0, frozen: true };
  #readAt = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Asks the sandbox. */
  async read(): Promise<void> {
    this.set(await this.#transport.call("GET", "/clock"));
  }

  /** Takes what a clock route answered. */
  set(reading: ClockReading): void {
    this.#reading = reading;
    this.#readAt = monotonicNow();
  }

  /** ms since 1970. */
  now(): number {
    const { now, frozen } = this.#reading;
    return frozen ? now : Math.round(now + monotonicNow() - this.#readAt);
  }
}

/** Why a step failed, from what it threw. @throws what says nothing about the step: a simulator that is gone, a bug */
function failureOf(error: unknown): StepFailure {
  if (error instanceof StepFailure) return error;
  if (error instanceof SimError && error.cause instanceof UnreadableAnswer)
    return new StepFailure(error.cause.message);
  if (!(error instanceof SimError) || error.status === null) throw error;
  // The report says which step it was: the call itself is not repeated.
  const message = error.message.replace(/^\S+ \S+ → \d+ /, "");
  return new StepFailure(message, { seen: { status: error.status } });
}

/** So many reports of steps are listed one by one; beyond them the rounds of a `repeat` are put together. */
const MAX_LISTED = BOUNDS.stepReports.limit;

/** The reports of a run's steps, bounded however often a step is repeated. */
class StepReports {
  readonly list: StepReport[] = [];
  /** Where the rounds of a step are put together, by the step and how they ended. */
  readonly #merged = new Map<string, number>();

  add(report: StepReport): void {
    if (report.rounds === undefined || this.list.length < MAX_LISTED) this.list.push(report);
    else this.#merge(report);
  }

  /** The first of the rounds stands for those after it that ended as it did. */
  #merge(report: StepReport): void {
    const key = `${report.place.path} ${report.ok}`;
    const index = this.#merged.get(key);
    const first = index === undefined ? undefined : this.list[index];
    if (index === undefined || first === undefined) {
      this.#merged.set(key, this.list.length);
      this.list.push(report);
      return;
    }
    const { durationMs = 0, moreRounds = 0 } = first;
    this.list[index] = {
      ...first,
      durationMs: durationMs + (report.durationMs ?? 0),
      moreRounds: moreRounds + 1,
    };
  }
}
