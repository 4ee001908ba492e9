/** Tries challenges, one at a time in each sandbox, and finds the one that ended the system under test. */
import { elapsedSince, monotonicNow, sleep } from "../../kernel/realtime.js";
import type { Scenario } from "../../scenarios/read.js";
import type { Judgement } from "./judge.js";
import { endedFinding, judge } from "./judge.js";
import type { Challenge } from "./kinds.js";
import { UNCHANGED } from "./kinds.js";
import type { Observed } from "./observed.js";
import type { Stage } from "./play.js";
import { type Pace, play } from "./play.js";

export interface Task {
  readonly scenario: Scenario;
  readonly observed: Observed;
  readonly challenge: Challenge;
}

/** A system under test that this process started. */
export interface SystemControl {
  /** How it exited; undefined while it runs. */
  readonly ended: () => string | undefined;
  readonly restart: () => Promise<void>;
}

/** How long after the cause a system under test may exit, ms. */
const TIME_TO_END_MS = 1_000;
const LOOK_MS = 20;

export interface Tried {
  readonly judgement: Judgement;
  readonly durationMs: number;
  readonly hasFailed?: boolean;
}

/** A task that may still make the system under test exit after the next one has begun. */
interface Suspect {
  readonly task: Task;
  tried?: Tried;
  /** Its end, ms of monotonic time. */
  triedAt: number;
}

export class Trials {
  readonly #stages: readonly Stage[];
  readonly #system: SystemControl | undefined;
  readonly #decide: (task: Task, tried: Tried) => void;
  /** Oldest first. */
  #suspects: Suspect[] = [];
  readonly #running = new Set<Promise<Tried>>();
  #starts = 0;
  /** All stages wait while one finds out what ended the system under test, or restarts it. */
  #alone: Promise<void> | undefined;
  #lost: string | undefined;

  /** @param decide called once for each task */
  constructor(
    stages: readonly Stage[],
    system: SystemControl | undefined,
    decide: (task: Task, tried: Tried) => void,
  ) {
    this.#stages = stages;
    this.#system = system;
    this.#decide = decide;
  }

  /** Whether the system under test did not recover, so that nothing more can be tried. */
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
      // The system under test was restarted in the middle of this run.
      this.#suspects = this.#suspects.filter((other) => other !== suspect);
      return this.#try(task, stage);
    }
    suspect.tried ??= tried;
    suspect.triedAt = monotonicNow();
    this.#settle(suspect.triedAt - TIME_TO_END_MS);
    if (starts === this.#starts && (tried.hasFailed || tried.judgement.finding !== undefined))
      await this.#exclusively(() => this.#recover(suspect, stage));
  }

  /** Works while no stage begins a task. */
  async #exclusively(work: () => Promise<void>): Promise<void> {
    while (this.#alone !== undefined) await this.#alone;
    this.#alone = work().finally(() => {
      this.#alone = undefined;
    });
    await this.#alone;
  }

  /** Decides the tasks that were over at a time. */
  #settle(at: number): void {
    const settled = this.#suspects.filter(({ triedAt }) => triedAt <= at);
    this.#suspects = this.#suspects.filter(({ triedAt }) => triedAt > at);
    for (const { task, tried } of settled) if (tried !== undefined) this.#decide(task, tried);
  }

  async #run({ task }: Suspect, stage: Stage, pace: Pace = task.observed.pace): Promise<Tried> {
    const run = (async () => {
      const started = monotonicNow();
      const { scenario, challenge, observed } = task;
      const played = await play(scenario, challenge, stage, { pace, isOver: this.#hasEnded });
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

  /** The system under test has exited: retries each suspect alone, latest first. */
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
      const tried = await this.#run(suspect, stage, { quietMs: TIME_TO_END_MS, calls: new Map() });
      if (!this.#hasEnded()) continue;
      suspect.tried = tried;
      return suspect;
    }
    return undefined;
  }

  /** After a break the unchanged scenario must pass before the next challenge. */
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
    return (await play(scenario, UNCHANGED, stage, { pace: observed.pace })).report.ok;
  }

  async #restart(): Promise<void> {
    this.#starts += 1;
    await this.#system?.restart();
  }

  #lose({ scenario, challenge }: Task): void {
    this.#lost ??= `the system under test did not recover from ${challenge.name}: the unchanged scenario ${scenario.name} now fails`;
  }

  /** The last task may have ended it too. */
  async #finish(): Promise<void> {
    const [stage] = this.#stages;
    const newest = this.#suspects.at(-1);
    if (newest !== undefined && stage !== undefined && this.#system !== undefined && !this.isLost) {
      for (let left = TIME_TO_END_MS; left > 0 && !this.#hasEnded(); left -= LOOK_MS) await sleep(LOOK_MS);
      const ended = this.#system.ended();
      if (ended !== undefined) await this.#inquire(newest, ended, stage);
    }
    this.#settle(monotonicNow());
  }
}
