/** Runs steps, and is what they work with. */

import { DEFAULT_SANDBOX } from "../client/address.js";
import type { LogName, Logs } from "../client/consumed-entries.js";
import { ConsumedEntries } from "../client/consumed-entries.js";
import type { Method } from "../client/http.js";
import type { Transport } from "../client/transport.js";
import type { ClockReading } from "../client/types.js";
import type { Duration } from "../kernel/duration.js";
import { given } from "../kernel/given.js";
import { elapsedSince, monotonicNow, sleep } from "../kernel/realtime.js";
import { callApi, sendAsScenario } from "./api.js";
import { Budget } from "./budget.js";
import { newestEntry, nextEntry } from "./entries.js";
import { failureOf } from "./failure.js";
import type { Http, HttpAnswer, HttpCall } from "./http.js";
import type { Scenario } from "./read.js";
import { Remarks } from "./remarks.js";
import type { ChainLink, Remark, StepReport } from "./report.js";
import { SandboxTime } from "./sandbox-time.js";
import type { ApiAnswer, ApiCall, Outcome, ParsedStep, StepContext } from "./step.js";
import { DEFAULT_MAX_STEPS, isPassive, StepFailure, waitMs } from "./step.js";
import { StepReports } from "./step-reports.js";
import type { Target } from "./target.js";
import { transportTo } from "./target.js";
import { Values } from "./values.js";

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
