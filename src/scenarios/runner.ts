/** One run of a scenario in a sandbox, step by step, and the reports of its steps. */

import type { LogName, Logs } from "../client/consumed-entries.js";
import { ConsumedEntries } from "../client/consumed-entries.js";
import { SimError } from "../client/errors.js";
import { type Method, UnreadableAnswer } from "../client/http.js";
import { titleOf } from "../client/misses.js";
import type { Transport } from "../client/transport.js";
import type { ClockReading, FaultRule } from "../client/types.js";
import { BOUNDS } from "../kernel/bounds.js";
import { jsonLength, valueAt } from "../kernel/json.js";
import { DEFAULT_SANDBOX, segment } from "../kernel/names.js";
import { omitUndefined } from "../kernel/objects.js";
import { inSentence } from "../kernel/printable.js";
import { elapsedSince, monotonicNow, nextTurn, sleep } from "../kernel/realtime.js";
import type { WrittenDuration } from "../kernel/units.js";
import { sizeText } from "../kernel/units.js";
import type { ApiAnswer, ApiCall, Http, HttpCall, Target } from "./http.js";
import { callApi, transportTo } from "./http.js";
import type { Resolve } from "./placeholders.js";
import { bounded, fillIn } from "./placeholders.js";
import type { Scenario } from "./read.js";
import type { Outcome, Remark, StepLocation, StepReport } from "./report.js";
import { StepFailure } from "./report.js";
import type { Fields, ParsedStep, StepCall, StepResult, StepRun } from "./step.js";
import { MAX_STEPS_RUN, PARAM, waitMs } from "./step.js";

export interface RunnerOptions {
  readonly http: Http;
  /** Returns the sandbox to the scenario's start. Default: to its own start. */
  readonly reset?: () => Promise<unknown>;
  /** Awaited before each reset, which empties the logs. */
  readonly beforeReset?: () => Promise<unknown>;
  readonly keepGoing?: boolean;
  /** Sends the scenario's calls to the simulated API. Default: marked as such for the journal. */
  readonly sendApi?: (call: HttpCall) => Promise<ApiAnswer>;
  /** Whether any program may receive deliveries or call. Default: unknown, so expectations wait. */
  readonly isConnected?: () => Promise<boolean>;
  readonly beforeStep?: (step: ParsedStep) => unknown;
  readonly onStep?: (report: StepReport, step: ParsedStep) => unknown;
}

const NOT_CONNECTED =
  "no program is connected: every enabled webhook leads to a sink or is blocked. Set its address with --hook URL, or start it with --exec COMMAND";

/** Runs a scenario as its only user of a sandbox: one step after the other, until one fails. */
export class Runner implements StepRun {
  readonly sandbox: string;
  readonly transport: Transport;
  readonly thread: string | undefined;
  readonly consumed: ConsumedEntries;
  readonly values = new Map<string, unknown>();
  /** The threads that steps were about. */
  readonly threads = new Set<string>();
  readonly reports: StepReport[] = [];
  /** A step has passed because the system under test made no call. */
  hasKeptQuiet = false;
  readonly #scenario: Scenario;
  readonly #options: RunnerOptions;
  readonly #api: Parameters<typeof callApi>[1];
  /** Aborted with a failure if the run ends before its steps do. */
  readonly #ended = new AbortController();
  /** The current rounds of `repeat` steps, outermost first. */
  readonly #rounds: number[] = [];
  /** Where the fault rules were armed that have not been looked at. */
  readonly #armed = new Map<string, StepLocation>();
  /** Of faults that never fired, by place: a step of a `repeat` is reported once. */
  readonly #idle = new Map<string, Remark>();
  #reportBytes = 0;
  #steps = 0;
  #clock: ClockReading = { now: 0, frozen: true };
  #clockReadAt = 0;
  #controlledAt = 0;
  #spokenAt: number | undefined;
  /** The ids of the entries that the current step has used up. */
  #used: string[] = [];
  #failed = false;

  constructor(scenario: Scenario, target: Target, options: RunnerOptions) {
    const asScenario = (call: HttpCall) =>
      options.http.send({ ...call, headers: { ...call.headers, "x-sim-by": "scenario" } });
    const { sendApi: send = asScenario, http } = options;
    const { sandbox = DEFAULT_SANDBOX, url } = target;
    this.#scenario = scenario;
    this.#options = options;
    this.#api = { url, sandbox, send, token: scenario.token };
    this.sandbox = sandbox;
    this.transport = transportTo(target, http);
    this.thread = scenario.thread;
    this.consumed = new ConsumedEntries(this.transport);
    if (this.thread !== undefined) this.values.set("thread", this.thread);
  }

  /** Begins to watch the logs: all entries if the sandbox is `fresh`, else only new ones. */
  async begin(fresh: boolean): Promise<void> {
    const newest = async (log: LogName) =>
      (await this.transport.call<{ id: string }[]>("GET", `/${log}`, { query: { limit: 1 } }))[0]?.id;
    const newestEntries = async () => {
      const [requests, deliveries] = await Promise.all([newest("requests"), newest("deliveries")]);
      return { requests, deliveries };
    };
    const [starts] = await Promise.all([fresh ? {} : newestEntries(), this.readClock()]);
    this.consumed.restart(starts);
  }

  /** Ends the run: the step that runs fails with the message. */
  interrupt(message: string, seen?: unknown): void {
    this.#ended.abort(new StepFailure(message, { seen }));
    this.#options.http.abort(new Error(message));
  }

  /** Runs steps in order. @returns whether the rest may go on */
  async execute(steps: readonly ParsedStep[]): Promise<boolean> {
    for (const step of steps) await (this.#failed ? this.#skip(step) : this.#one(step));
    return !this.#failed;
  }

  async repeat(times: number, steps: readonly ParsedStep[]): Promise<void> {
    const outer = this.values.get("round");
    let goesOn = steps.length > 0;
    for (let round = 1; round <= times && goesOn; round += 1) {
      this.values.set("round", round);
      this.#rounds.push(round);
      goesOn = await this.execute(steps);
      this.#rounds.pop();
    }
    this.values.set("round", outer);
  }

  /** What the run did not test. Nothing after a failure: the steps that were skipped might have tested it. */
  async remarks(): Promise<readonly Remark[]> {
    if (this.#failed) return [];
    await this.settleFaults();
    return [...this.#idle.values()];
  }

  async #one(written: ParsedStep): Promise<void> {
    const step = { ...written, name: this.#labelOf(written) };
    const started = monotonicNow();
    this.#used = [];
    const result = await this.#resultOf(step);
    // The inner steps of a `repeat` have reported themselves.
    if (result === undefined) return;
    const { outcome: _, ...more } = result;
    const { frozen, now } = this.#clock;
    const at = frozen ? now : Math.round(now + monotonicNow() - this.#clockReadAt);
    const durationMs = elapsedSince(started, 2);
    const used = this.#used.length > 0 && { used: this.#used };
    await this.#report(step, { at, durationMs, ...used, ...more });
  }

  async #resultOf(step: ParsedStep) {
    const { beforeStep, keepGoing } = this.#options;
    try {
      // Lets the event loop serve others between steps.
      await nextTurn();
      if (this.#steps === MAX_STEPS_RUN)
        this.interrupt(`the run has executed ${MAX_STEPS_RUN} steps, the limit`);
      this.#ended.signal.throwIfAborted();
      this.#steps += 1;
      await beforeStep?.(step);
      const result = await this.#perform(step);
      if (step.id !== undefined && result !== undefined) this.values.set(step.id, result.outcome ?? {});
      return result && { ok: true, ...result };
    } catch (error) {
      const { aborted, reason } = this.#ended.signal;
      // If the run was ended, that is why the step failed, whatever it threw.
      const { message, details } = failureOf(aborted ? reason : error);
      this.#failed = aborted || keepGoing !== true;
      if (step.id !== undefined && details.outcome !== undefined) this.values.set(step.id, details.outcome);
      return { ok: false, message, ...details };
    }
  }

  /** Fills in the step's placeholders, and does what its row says. */
  async #perform(step: ParsedStep): Promise<StepResult | undefined> {
    const { kind } = step;
    const input = kind.verbatim ? step.input : (fillIn(step.input, this.#resolver()) as Fields);
    if (kind.needsSystem?.(input) && (await this.#options.isConnected?.()) === false)
      throw new StepFailure(NOT_CONNECTED);
    return kind.run(this, input, step);
  }

  async #skip(step: ParsedStep): Promise<void> {
    if (step.steps === undefined)
      await this.#report({ ...step, name: this.#labelOf(step) }, { ok: false, skipped: true });
    for (const inner of step.steps ?? []) await this.#skip(inner);
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

  /** The step's name, as it is written if a placeholder in it has no value. */
  #labelOf({ name }: ParsedStep): string {
    try {
      return String(fillIn(name, this.#resolver()));
    } catch {
      return name;
    }
  }

  async #report(step: ParsedStep, more: Pick<StepReport, "ok"> & Partial<StepReport>): Promise<void> {
    const rounds = this.#rounds.length === 0 ? undefined : [...this.#rounds];
    const { name, kind, place } = step;
    const seen = jsonLength(more.seen);
    const cut = seen > BOUNDS.seenBytes.limit && { seen: `a value of ${sizeText(seen)}` };
    const report = { name, step: kind.key, place, ...omitUndefined({ rounds }), ...more, ...cut };
    this.reports.push(report);
    this.#reportBytes += jsonLength(report);
    if (this.#reportBytes > BOUNDS.reportBytes.limit)
      this.interrupt(`the report has more than ${sizeText(BOUNDS.reportBytes.limit)}`);
    await this.#options.onStep?.(report, step);
  }

  // What steps use, described in StepRun.

  send(call: StepCall, input: object): Promise<Outcome> {
    const [method, path] = call.route.split(" ") as [Method, string];
    const left: Record<string, unknown> = { ...input };
    const filled = path.replace(PARAM, (_, key: string) => {
      const value = left[key] as string | number;
      delete left[key];
      return segment(key === "thread" ? this.threadId(value) : value);
    });
    return this.control(method, filled, call.body === undefined ? bodyOf(call, left) : left[call.body]);
  }

  async control(method: Method, path: string, body?: unknown): Promise<Outcome> {
    this.#controlledAt = monotonicNow();
    return { ...(await this.transport.answer(method, path, { body })) };
  }

  callApi(call: ApiCall): Promise<ApiAnswer> {
    return callApi(call, this.#api);
  }

  threadId(named: string | number | undefined): string {
    const thread = String(named ?? this.thread);
    this.threads.add(thread);
    return thread;
  }

  within(own: WrittenDuration | undefined): number {
    return waitMs(own, this.#scenario.within);
  }

  async take<L extends LogName>(
    log: L,
    match: object,
    { count = 1, within, what, expected = match }: Parameters<StepRun["take"]>[2],
  ): Promise<{ readonly entry: Logs[L]; readonly at: number }> {
    const { entry, ...waited } = await this.consumed.take(log, match, { count, timeoutMs: within });
    const { matches, agesMs, evicted, why } = waited;
    if (entry !== undefined) {
      this.#used.push(...matches.slice(0, count).map(({ id }) => id));
      return { entry, at: monotonicNow() - (agesMs[matches.indexOf(entry)] ?? 0) };
    }
    refuseGaps(log, evicted);
    const nearMisses = waited.nearMisses
      .filter(({ id }) => !this.consumed.isTaken(log, id))
      .map(({ id, entry: near, differences }) => ({ id, summary: titleOf(near), differences }));
    const times = count === 1 ? "" : ` (${matches.length} of ${count} came)`;
    const reason = why === undefined ? "" : `: ${inSentence(why)}`;
    throw new StepFailure(`${what} within ${Math.round(within)} ms${times}${reason}`, {
      ...omitUndefined({ why }),
      expected,
      seen: matches.length === 0 ? undefined : matches.map(titleOf),
      nearMisses,
    });
  }

  async quiet<L extends LogName>(log: L, match: object, forMs: number): Promise<Logs[L] | undefined> {
    const { matches, evicted } = await this.consumed.quiet(log, match, forMs);
    const [entry] = matches;
    if (entry === undefined) refuseGaps(log, evicted);
    this.hasKeptQuiet ||= log === "requests" && entry === undefined;
    return entry;
  }

  pause(ms: number): Promise<void> {
    return sleep(ms, this.#ended.signal);
  }

  spoken(): void {
    this.#spokenAt = this.#controlledAt;
  }

  sinceSpoken(at: number): number | undefined {
    return this.#spokenAt && Math.max(0, Math.round((at - this.#spokenAt) * 100) / 100);
  }

  async readClock(): Promise<void> {
    this.#clock = await this.transport.call("GET", "/clock");
    this.#clockReadAt = monotonicNow();
  }

  async reset(): Promise<void> {
    await this.settleFaults();
    await this.#options.beforeReset?.();
    await (this.#options.reset?.() ?? this.transport.call("POST", "/reset"));
    this.#spokenAt = undefined;
    await this.begin(true);
  }

  armed(fault: string, place: StepLocation): void {
    this.#armed.set(fault, place);
  }

  async settleFaults(): Promise<void> {
    if (this.#armed.size === 0) return;
    for (const { id, fired, seen, note } of await this.transport.call<FaultRule[]>("GET", "/faults")) {
      const place = this.#armed.get(id);
      if (place === undefined || fired > 0) continue;
      const why = seen === 0 ? "nothing matched it" : `it matched ${seen}, but its conditions never held`;
      this.#idle.set(
        place.path,
        note === undefined
          ? { about: "fault", message: `the fault never fired: ${why}`, place }
          : { about: "idle fault", message: `the fault ${note}`, place },
      );
    }
    this.#armed.clear();
  }
}

/** @throws StepFailure if entries that might have matched are no longer in the journal */
function refuseGaps(log: LogName, evicted: number | undefined): void {
  if (evicted !== undefined)
    throw new StepFailure(`${evicted} ${log} that might have matched were evicted: raise --journal-limit`);
}

function bodyOf({ fields = {} }: StepCall, input: object): Fields | undefined {
  const entries = Object.entries(input).map(([key, value]) => {
    const field = fields[key];
    // A scenario may write an id as a number; the control API takes a text.
    return [field ?? key, typeof value === "number" && field?.endsWith("Id") ? String(value) : value];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
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
