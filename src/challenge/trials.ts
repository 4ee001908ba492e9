/** Tries challenges, one at a time in each sandbox, and finds out by which one a system under test has ended. */
import { elapsedSince, monotonicNow } from "../kernel/realtime.js";
import type { Scenario } from "../scenarios/read.js";
import type { Judgement } from "./judge.js";
import { endedFinding, judge } from "./judge.js";
import type { Challenge } from "./kinds.js";
import { UNCHANGED } from "./kinds.js";
import type { Observed } from "./observed.js";
import type { Stage } from "./play.js";
import { pause, play } from "./play.js";

/** A challenge in a scenario. */
export interface Task {
  readonly scenario: Scenario;
  readonly observed: Observed;
  readonly challenge: Challenge;
}

/** A system under test that this process has started. */
export interface SystemControl {
  /** How it ended by itself; undefined while it runs. */
  readonly ended: () => string | undefined;
  /** Ends it where it still runs, and starts it anew. */
  readonly restart: () => Promise<void>;
}

/** A system under test may end so long after what it ends by, ms. */
const TIME_TO_END_MS = 1_000;

/** What came of a task, and how long its run took, ms. */
export interface Tried {
  readonly judgement: Judgement;
  readonly durationMs: number;
  /** The scenario has failed in it. */
  readonly hasFailed?: boolean;
}

/** A task by which the system under test may still end, although the next one has begun. */
interface Suspect {
  readonly task: Task;
  tried?: Tried;
  /** When it was over, ms of monotonic time. */
  triedAt: number;
}

export class Trials {
  readonly #stages: readonly Stage[];
  readonly #system: SystemControl | undefined;
  readonly #decide: (task: Task, tried: Tried) => void;
  /** Oldest first. */
  #suspects: Suspect[] = [];
  /** The runs that are under way. */
  readonly #running = new Set<Promise<Tried>>();
  /** How often the system under test was started anew. */
  #starts = 0;
  /** What all stages wait for: one that finds out what ended the system under test, or has it started anew. */
  #alone: Promise<void> | undefined;
  /** Why nothing more can be tried. */
  #lost: string | undefined;

  /** @param decide is told of each task once */
  constructor(
    stages: readonly Stage[],
    system: SystemControl | undefined,
    decide: (task: Task, tried: Tried) => void,
  ) {
    this.#stages = stages;
    this.#system = system;
    this.#decide = decide;
  }

  /** Whether nothing more can be tried, because the system under test does not recover. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Tries all of them. @throws UnusableScenario, SimError, and what starting the system under test throws */
  async all(tasks: readonly Task[]): Promise<void> {
    let next = 0;
    const worker = async (stage: Stage) => {
      for (let at = next++; at < tasks.length; at = next++) await this.#try(tasks[at] as Task, stage);
    };
    await Promise.all(this.#stages.map(worker));
    await this.#finish();
  }

  async #try(task: Task, stage: Stage): Promise<void> {
    await this.#alone;
    if (this.#lost !== undefined)
      return this.#decide(task, { judgement: { notTried: this.#lost }, durationMs: 0 });
    const starts = this.#starts;
    const suspect: Suspect = { task, triedAt: Number.POSITIVE_INFINITY };
    this.#suspects.push(suspect);
    const tried = await this.#run(suspect, stage);
    await this.#alone;
    const ended = this.#system?.ended();
    if (ended !== undefined && starts === this.#starts)
      await this.#exclusively(() => this.#inquire(suspect, ended, stage));
    if (suspect.tried === undefined && starts !== this.#starts) {
      // The system under test was started anew in the middle of this run.
      this.#suspects = this.#suspects.filter((other) => other !== suspect);
      return this.#try(task, stage);
    }
    suspect.tried ??= tried;
    suspect.triedAt = monotonicNow();
    this.#settle(suspect.triedAt - TIME_TO_END_MS);
    if (starts === this.#starts && (tried.hasFailed || tried.judgement.finding !== undefined))
      await this.#exclusively(() => this.#recover(suspect, stage));
  }

  /** Does something while no stage begins anything. */
  async #exclusively(work: () => Promise<void>): Promise<void> {
    while (this.#alone !== undefined) await this.#alone;
    this.#alone = work().finally(() => {
      this.#alone = undefined;
    });
    await this.#alone;
  }

  /** Tells of what was over at a time. */
  #settle(at: number): void {
    const settled = this.#suspects.filter(({ triedAt }) => triedAt <= at);
    this.#suspects = this.#suspects.filter(({ triedAt }) => triedAt > at);
    for (const { task, tried } of settled) if (tried !== undefined) this.#decide(task, tried);
  }

  /** One run. @param quietMs for how long nothing must have come before it counts as over, ms */
  async #run({ task }: Suspect, stage: Stage, quietMs = task.observed.quietMs): Promise<Tried> {
    const run = (async () => {
      const started = monotonicNow();
      const { scenario, challenge, observed } = task;
      const played = await play(scenario, challenge, stage, { quietMs, isOver: this.#hasEnded });
      const judgement = judge(challenge, observed, played, this.#system?.ended());
      const { finding } = judgement;
      const tried = { judgement, durationMs: elapsedSince(started, 1), hasFailed: !played.report.ok };
      if (finding === undefined) return tried;
      return { ...tried, judgement: { finding: { ...finding, transcript: await played.transcript() } } };
    })();
    this.#running.add(run);
    try {
      return await run;
    } finally {
      this.#running.delete(run);
    }
  }

  /** The system under test has ended: tries each task alone that may have been the reason, the newest first. */
  async #inquire(noticed: Suspect, ended: string, stage: Stage): Promise<void> {
    await Promise.allSettled(this.#running);
    const earlier = this.#suspects.filter((suspect) => suspect !== noticed);
    const culprit = await this.#firstThatEndsIt([noticed, ...earlier.toReversed()], stage);
    if (culprit === undefined && noticed.tried?.judgement.finding === undefined) {
      const finding = endedFinding(
        noticed.task.observed.report,
        `${ended}, but not when this was tried again`,
      );
      noticed.tried = { judgement: { finding }, durationMs: 0 };
    }
    await this.#restart();
    this.#settle(monotonicNow());
    const { task } = culprit ?? noticed;
    if (!(await this.#passes(task, stage))) this.#lose(task);
  }

  async #firstThatEndsIt(suspects: readonly Suspect[], stage: Stage): Promise<Suspect | undefined> {
    for (const suspect of suspects) {
      await this.#restart();
      const tried = await this.#run(suspect, stage, TIME_TO_END_MS);
      if (!this.#hasEnded()) continue;
      suspect.tried = tried;
      return suspect;
    }
    return undefined;
  }

  /** After a break: the next run says something only if the unchanged one passes again. */
  async #recover(suspect: Suspect, stage: Stage): Promise<void> {
    const { task } = suspect;
    if (await this.#passes(task, stage)) return;
    const ended = this.#system?.ended();
    if (ended !== undefined) return this.#inquire(suspect, ended, stage);
    if (this.#system !== undefined) {
      await this.#restart();
      if (await this.#passes(task, stage)) return;
    }
    this.#lose(task);
  }

  readonly #hasEnded = () => this.#system?.ended() !== undefined;

  async #passes({ scenario, observed }: Task, stage: Stage): Promise<boolean> {
    if (this.#hasEnded()) return false;
    return (await play(scenario, UNCHANGED, stage, observed)).report.ok;
  }

  async #restart(): Promise<void> {
    this.#starts += 1;
    await this.#system?.restart();
  }

  #lose({ scenario, challenge }: Task): void {
    this.#lost ??= `the system under test has not recovered from ${challenge.name}: the unchanged scenario ${scenario.name} fails since`;
  }

  /** What was tried last may have ended it too. */
  async #finish(): Promise<void> {
    const [stage] = this.#stages;
    const newest = this.#suspects.at(-1);
    if (newest !== undefined && stage !== undefined && this.#system !== undefined && !this.isLost) {
      await pause(TIME_TO_END_MS, this.#hasEnded);
      const ended = this.#system.ended();
      if (ended !== undefined) await this.#inquire(newest, ended, stage);
    }
    this.#settle(monotonicNow());
  }
}
