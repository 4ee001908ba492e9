/** Runs the steps of a scenario against a sandbox, through the control API. */
import { SimError } from "../client/errors.js";
import type { Transport } from "../client/transport.js";
import type { Duration } from "../kernel/duration.js";
import { milliseconds } from "../kernel/duration.js";
import { monotonicNow } from "../kernel/realtime.js";
import { WorldTime } from "./clock.js";
import { ConsumedEntries } from "./consumed-entries.js";
import { evidenceOf } from "./evidence.js";
import { refusalText } from "./expectations.js";
import { Http } from "./http.js";
import { transportOf } from "./prepare.js";
import type { Scenario } from "./read.js";
import type { Report, StepReport } from "./report.js";
import type { ParsedStep } from "./step.js";
import { type Outcome, StepFailure } from "./step.js";
import { Values } from "./values.js";

/** Where a scenario runs. */
export interface Target {
  /** The base address of the simulated API. */
  readonly url: string;
  /** The id of the sandbox; default: `default`. */
  readonly sandbox?: string;
  readonly controlToken?: string | undefined;
}

export interface RunOptions {
  /** The sandbox is new or was just reset: everything in its journal belongs to the run. */
  readonly fresh?: boolean;
  /** Brings the sandbox back to where the scenario began: step `reset`. Default: the sandbox's own start. */
  readonly reset?: () => Promise<unknown>;
  /** Runs the other steps although one failed. */
  readonly keepGoing?: boolean;
  /** Its connections, where they are not to be its own. */
  readonly http?: Http;
  /** Is told of each step as it ends. */
  readonly onStep?: (step: StepReport) => void;
}

/** Within this a `within` ends that nobody sets. */
export const DEFAULT_WITHIN: Duration = "2s";
const DEFAULT_SANDBOX = "default";

/**
 * Runs a scenario in a sandbox as that stands, and says how it went. A step that fails ends it; those after it are
 * reported as skipped.
 *
 * @example
 * const report = await runScenario(scenario, { url: sim.url, sandbox: "s1" });
 * if (!report.ok) console.log(report.steps.find(({ ok }) => !ok));
 *
 * @throws SimError when there is no simulator at the address
 */
export async function runScenario(
  scenario: Scenario,
  target: Target,
  options: RunOptions = {},
): Promise<Report> {
  const run = new Run(scenario, target, options);
  const started = monotonicNow();
  try {
    await run.begin(options.fresh ?? false);
    const ok = await run.execute(scenario.steps);
    const evidence = await evidenceOf(run, ok);
    return {
      name: scenario.name,
      ...(scenario.file === undefined ? {} : { file: scenario.file }),
      ok,
      sandbox: run.sandbox,
      durationMs: rounded(monotonicNow() - started),
      steps: run.reports,
      ...evidence,
    };
  } finally {
    run.http.close();
  }
}

/** One run: what its steps work with. */
export class Run {
  readonly reports: StepReport[] = [];
  readonly http: Http;
  /** The control API of the sandbox. */
  readonly wire: Transport;
  readonly ledger: ConsumedEntries;
  readonly sandbox: string;
  /** The threads that steps were about. */
  readonly threads = new Set<string>();
  readonly #time: WorldTime;
  readonly #values: Values;
  readonly #rounds: number[] = [];
  #spokenAt: number | undefined;
  #failed = false;

  constructor(
    readonly scenario: Scenario,
    readonly target: Target,
    readonly options: RunOptions,
  ) {
    this.http = options.http ?? new Http();
    this.sandbox = target.sandbox ?? DEFAULT_SANDBOX;
    this.wire = transportOf(target, this.http);
    this.ledger = new ConsumedEntries(this.wire);
    this.#time = new WorldTime(this.wire);
    this.#values = new Values(scenario.thread === undefined ? {} : { thread: scenario.thread });
  }

  async begin(fresh: boolean): Promise<void> {
    await Promise.all([this.ledger.begin(fresh), this.#time.read()]);
  }

  /** Everything is as at the start again: `reset`. */
  async beginAnew(): Promise<void> {
    await (this.options.reset?.() ?? this.wire.call("POST", "/reset"));
    this.#spokenAt = undefined;
    await this.begin(true);
  }

  readClock = (): Promise<void> => this.#time.read();
  setClock = (reading: unknown): void => this.#time.set(reading);

  /** A control call of this sandbox. @throws StepFailure when it is refused */
  async call(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
  ): Promise<Outcome> {
    return { ...(await this.wire.answer(method, path, { body })) };
  }

  /** The thread that a step names; the scenario's is filled in already where it names none. */
  threadId(named: string | number | undefined): string {
    const thread = String(named ?? this.scenario.thread);
    this.threads.add(thread);
    return thread;
  }

  /** How long to wait, ms. */
  within(own: Duration | undefined): number {
    return milliseconds(own ?? this.scenario.within ?? DEFAULT_WITHIN);
  }

  /** A fixture token as it is in this sandbox. */
  tokenFor(name: string): string {
    const prefix = `${this.sandbox}.`;
    return this.sandbox === DEFAULT_SANDBOX || name.startsWith(prefix) ? name : prefix + name;
  }

  /** Somebody wrote: replies are timed from now on. */
  spoken(): void {
    this.#spokenAt = monotonicNow();
  }

  /** Real time since somebody wrote, ms. */
  sinceSpoken(): number {
    return rounded(this.#spokenAt === undefined ? 0 : monotonicNow() - this.#spokenAt);
  }

  /** Keeps a value for `${name}`. */
  keep(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  /** Runs steps a number of times. */
  async repeat(times: number, steps: readonly ParsedStep[]): Promise<undefined> {
    const outer = this.#values.get("round");
    for (let round = 1; round <= times && !this.#failed; round += 1) {
      this.#values.set("round", round);
      this.#rounds.push(round);
      await this.execute(steps);
      this.#rounds.pop();
    }
    this.#values.set("round", outer);
    return undefined;
  }

  /** Runs steps until one fails. @returns whether none has */
  async execute(steps: readonly ParsedStep[]): Promise<boolean> {
    for (const step of steps) {
      if (this.#failed) this.#skip(step);
      else await this.#one(step);
    }
    return !this.#failed;
  }

  async #one(written: ParsedStep): Promise<void> {
    const step = { ...written, name: this.#values.label(written.name) };
    const started = monotonicNow();
    const ended = () => ({ at: this.#time.now(), durationMs: rounded(monotonicNow() - started) });
    try {
      const input = step.kind.verbatim ? step.input : this.#values.fill(step.input);
      const result = await step.kind.run(this, input as never, step);
      // A `repeat` has no line of its own: its steps have theirs.
      if (result === undefined) return;
      const { outcome, ...shown } = result;
      if (step.id !== undefined) this.#values.set(step.id, outcome ?? {});
      this.#report({ ...this.#head(step), ok: true, ...ended(), ...shown });
    } catch (error) {
      const { message, details } = failureOf(error);
      const { outcome, about, ...shown } = details;
      this.#failed = this.options.keepGoing !== true;
      if (step.id !== undefined && outcome !== undefined) this.#values.set(step.id, outcome);
      const chain = about === undefined ? [] : await this.#chain(about);
      this.#report({
        ...this.#head(step),
        ok: false,
        ...ended(),
        message,
        ...shown,
        ...(chain.length > 0 ? { chain } : {}),
      });
    }
  }

  async #chain(about: string) {
    const { chainOf } = await import("./chain.js");
    return chainOf(this.wire, about).catch(() => []);
  }

  #skip(step: ParsedStep): void {
    if (step.steps !== undefined) for (const inner of step.steps) this.#skip(inner);
    else this.#report({ ...this.#head(step), ok: false, skipped: true });
  }

  #head({ name, kind, place }: ParsedStep): Pick<StepReport, "name" | "step" | "place" | "rounds"> {
    return {
      name,
      step: kind.key,
      place,
      ...(this.#rounds.length === 0 ? {} : { rounds: [...this.#rounds] }),
    };
  }

  #report(step: StepReport): void {
    this.reports.push(step);
    this.options.onStep?.(step);
  }
}

function failureOf(error: unknown): StepFailure {
  if (error instanceof StepFailure) return error;
  if (error instanceof SimError && error.status !== null)
    return new StepFailure(refusalText(error), { seen: { status: error.status } });
  throw error;
}

const rounded = (ms: number): number => Math.round(ms * 100) / 100;
