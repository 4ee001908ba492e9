/** One run of a scenario in a sandbox, step by step, and the reports of its steps. */

import type { LogName, Logs } from "../client/consumed-entries.js";
import { ConsumedEntries } from "../client/consumed-entries.js";
import { SimError } from "../client/errors.js";
import type { ClockReading } from "../client/types.js";
import { BOUNDS } from "../kernel/bounds.js";
import { jsonLength } from "../kernel/json.js";
import { omitUndefined } from "../kernel/objects.js";
import { elapsedSince, monotonicNow, nextTurn, sleep } from "../kernel/realtime.js";
import { sizeText } from "../kernel/units.js";
import { DEFAULT_SANDBOX } from "../protocol/names.js";
import { refuseGaps } from "./entries.js";
import type { Http, HttpAnswer, HttpCall, Target } from "./http.js";
import { sendAsScenario, transportTo, UnreadableAnswer } from "./http.js";
import { Lints } from "./lints.js";
import type { Scenario } from "./read.js";
import type { ChainLink, Outcome, Remark, StepReport } from "./report.js";
import { StepFailure } from "./report.js";
import type { OwnSandbox, ParsedStep } from "./step.js";
import { DEFAULT_MAX_STEPS, StepEngine } from "./step.js";

export interface RunnerOptions {
  readonly http: Http;
  /** Returns the sandbox to the scenario's start. Default: to its own start. */
  readonly reset?: () => Promise<unknown>;
  /** Awaited before each reset, which empties the logs. */
  readonly beforeReset?: () => Promise<unknown>;
  /** The limit on executed steps, each round of a `repeat` counted; default `DEFAULT_MAX_STEPS`. */
  readonly maxSteps?: number;
  readonly keepGoing?: boolean;
  /** Sends the scenario's calls to the simulated API. Default: marked as such for the journal. */
  readonly sendApi?: (call: HttpCall) => Promise<HttpAnswer>;
  /** Whether any program may receive deliveries or call. Default: unknown, so expectations wait. */
  readonly isConnected?: () => Promise<boolean>;
  /** The causal chain of the call or delivery behind a failure. */
  readonly explain?: (id: string) => Promise<ChainLink[]>;
  readonly beforeStep?: (step: ParsedStep) => unknown;
  readonly onStep?: (report: StepReport, step: ParsedStep) => unknown;
}

const NOT_CONNECTED =
  "no system under test is connected: every enabled webhook leads to a sink or is blocked. Set its address with --hook URL, or start it with --exec COMMAND";

/** Runs a scenario as its only user of a sandbox: one step after the other, until one fails. */
export class Runner extends StepEngine implements OwnSandbox {
  override readonly own = this;
  readonly sandbox: string;
  readonly consumed: ConsumedEntries;
  readonly reports: StepReport[] = [];
  #reportBytes = 0;
  /** The index of each merged report, by step and result. */
  readonly #merged = new Map<string, number>();
  readonly #scenario: Scenario;
  readonly #options: RunnerOptions;
  readonly lints: Lints;
  /** Aborted with a failure if the run ends before its steps do. */
  readonly #ended = new AbortController();
  #steps = 0;
  #clock: ClockReading = { now: 0, frozen: true };
  #clockReadAt = 0;
  #controlledAt = 0;
  #spokenAt: number | undefined;
  /** The ids of the entries that the current step has used up. */
  #used: string[] = [];
  #failed = false;
  /** A step has passed because the system under test made no call. */
  hasKeptQuiet = false;

  constructor(scenario: Scenario, target: Target, options: RunnerOptions) {
    const { http, sendApi = sendAsScenario(http) } = options;
    const { sandbox = DEFAULT_SANDBOX, url } = target;
    const { thread, token, within } = scenario;
    const transport = transportTo(target, http);
    super({ transport, target: { url, sandbox }, send: sendApi, thread, token, within });
    this.#scenario = scenario;
    this.#options = options;
    this.sandbox = sandbox;
    this.consumed = new ConsumedEntries(transport);
    this.lints = new Lints(transport);
  }

  async quiet<L extends LogName>(log: L, match: object, forMs: number): Promise<Logs[L] | undefined> {
    const { matches, evicted } = await this.consumed.quiet(log, match, forMs);
    const [entry] = matches;
    if (entry === undefined) refuseGaps(log, evicted);
    this.hasKeptQuiet ||= log === "requests" && entry === undefined;
    return entry;
  }

  used(entries: readonly Logs[LogName][]): void {
    this.#used.push(...entries.map(({ id }) => id));
  }

  async #newestEntries(): Promise<Readonly<Partial<Record<LogName, string | undefined>>>> {
    const [requests, deliveries] = await Promise.all([this.#newest("requests"), this.#newest("deliveries")]);
    return { requests, deliveries };
  }

  async #newest(log: LogName): Promise<string | undefined> {
    const [entry] = await this.transport.call<{ id: string }[]>("GET", `/${log}`, { query: { limit: 1 } });
    return entry?.id;
  }

  pause(ms: number): Promise<void> {
    return sleep(ms, this.#ended.signal);
  }

  interrupt(message: string, seen?: unknown): void {
    this.#ended.abort(new StepFailure(message, { seen }));
    this.#options.http.abort(new Error(message));
  }

  /** Begins to watch the logs: all entries if the sandbox is `fresh`, else only new ones. */
  async begin(fresh: boolean): Promise<void> {
    const [starts] = await Promise.all([fresh ? {} : this.#newestEntries(), this.readClock()]);
    this.consumed.restart(starts);
  }

  async reset(): Promise<void> {
    await this.lints.settleFaults();
    await this.#options.beforeReset?.();
    await (this.#options.reset?.() ?? this.transport.call("POST", "/reset"));
    this.#spokenAt = undefined;
    await this.begin(true);
  }

  async readClock(): Promise<void> {
    this.setClock(await this.transport.call("GET", "/clock"));
  }

  setClock(reading: ClockReading): void {
    this.#clock = reading;
    this.#clockReadAt = monotonicNow();
  }

  /** What the run did not test. Nothing after a failure: the steps that were skipped might have tested it. */
  async remarks(): Promise<readonly Remark[]> {
    if (this.#failed) return [];
    await this.lints.settleFaults();
    return [...this.#scenario.remarks, ...this.lints.found];
  }

  override control(...call: Parameters<StepEngine["control"]>): Promise<Outcome> {
    this.#controlledAt = monotonicNow();
    return super.control(...call);
  }

  spoken(): void {
    this.#spokenAt = this.#controlledAt;
  }

  sinceSpoken(at: number): number | undefined {
    return this.#spokenAt && Math.max(0, Math.round((at - this.#spokenAt) * 100) / 100);
  }

  async execute(steps: readonly ParsedStep[]): Promise<boolean> {
    for (const step of steps) {
      if (this.#failed) {
        await this.#skip(step);
        continue;
      }
      await this.#one({ ...step, name: this.label(step.name) });
    }
    return !this.#failed;
  }

  async #one(step: ParsedStep): Promise<void> {
    const started = monotonicNow();
    this.#used = [];
    const result = await this.#resultOf(step);
    // The inner steps of a `repeat` have reported themselves.
    if (result === undefined) return;
    const { outcome: _, about, ...more } = result;
    const { frozen, now } = this.#clock;
    const at = frozen ? now : Math.round(now + monotonicNow() - this.#clockReadAt);
    const durationMs = elapsedSince(started, 2);
    const chain = about === undefined ? [] : await this.#options.explain?.(about);
    const used = this.#used.length > 0 && { used: this.#used };
    await this.#report(step, { at, durationMs, ...used, ...more, ...(chain?.length && { chain }) });
  }

  async #resultOf(step: ParsedStep) {
    const { maxSteps = DEFAULT_MAX_STEPS, isConnected, beforeStep, keepGoing } = this.#options;
    try {
      // Lets the event loop serve others between steps.
      await nextTurn();
      if (this.#steps === maxSteps) this.interrupt(`the run has executed ${maxSteps} steps, the limit`);
      this.#ended.signal.throwIfAborted();
      this.#steps += 1;
      await beforeStep?.(step);
      const result = await this.perform(step, async (input) => {
        if (step.kind.needsSystem?.(input) && (await isConnected?.()) === false)
          throw new StepFailure(NOT_CONNECTED);
      });
      return result && { ok: true, about: undefined, ...result };
    } catch (error) {
      const { aborted, reason } = this.#ended.signal;
      // If the run was ended, that is why the step failed, whatever it threw.
      const { message, details } = failureOf(aborted ? reason : error);
      this.#failed = aborted || keepGoing !== true;
      if (step.id !== undefined && details.outcome !== undefined) this.values.set(step.id, details.outcome);
      return { ok: false, about: undefined, message, ...details };
    }
  }

  async #skip(step: ParsedStep): Promise<void> {
    if (step.steps === undefined) await this.#report(step, { ok: false, skipped: true });
    for (const inner of step.steps ?? []) await this.#skip(inner);
  }

  async #report(step: ParsedStep, more: Pick<StepReport, "ok"> & Partial<StepReport>): Promise<void> {
    const rounds = this.rounds.length === 0 ? undefined : [...this.rounds];
    const { name, kind, place } = step;
    const seen = jsonLength(more.seen);
    const cut = seen > BOUNDS.seenBytes.limit && { seen: `a value of ${sizeText(seen)}` };
    const report = { name, step: kind.key, place, ...omitUndefined({ rounds }), ...more, ...cut };
    this.#add(report);
    if (this.#reportBytes > BOUNDS.reportBytes.limit)
      this.interrupt(`the report has more than ${sizeText(BOUNDS.reportBytes.limit)}`);
    await this.#options.onStep?.(report, step);
  }

  /** Adds a report; beyond the limit, later rounds of a step are added to an earlier one with the same result. */
  #add(report: StepReport): void {
    const key = `${report.place.path} ${report.ok}`;
    const index = this.#merged.get(key) ?? this.reports.length;
    const first = this.reports[index];
    if (first === undefined) {
      if (report.rounds !== undefined && index >= BOUNDS.stepReports.limit) this.#merged.set(key, index);
      this.reports.push(report);
      this.#reportBytes += jsonLength(report);
      return;
    }
    const durationMs = (first.durationMs ?? 0) + (report.durationMs ?? 0);
    this.reports[index] = { ...first, durationMs, moreRounds: (first.moreRounds ?? 0) + 1 };
  }
}

/** Why a step failed. @throws the error itself if it is no failure of the step, such as a lost simulator or a bug */
function failureOf(error: unknown): StepFailure {
  if (error instanceof StepFailure) return error;
  if (error instanceof SimError && error.cause instanceof UnreadableAnswer)
    return new StepFailure(error.cause.message);
  if (!(error instanceof SimError) || error.status === null) throw error;
  // The report names the step, so the message leaves out the call.
  const message = error.message.replace(/^\S+ \S+ → \d+ /, "");
  return new StepFailure(message, { seen: { status: error.status } });
}
