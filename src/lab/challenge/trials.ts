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
}

/** A task that may have ended the system under test, also after the next one has begun. */
interface Suspect {
  readonly task: Task;
  /** Undefined if the system under test ended first. */
  tried?: Tried;
  /** Its end, ms of monotonic time. */
  triedAt: number;
}

export class Trials {
  #suspects: Suspect[] = [];
  /** After it the unchanged scenario fails. */
  #broken: Task | undefined;
  #lost: string | undefined;

  /** @param decide called once for each task */
  constructor(
    private readonly stages: readonly Stage[],
    private readonly system: SystemControl | undefined,
    private readonly decide: (task: Task, tried: Tried) => void,
  ) {}

  /** Whether the system under test did not recover, so that nothing more can be tried. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Tries all of them. @throws UnusableScenario, SimError, and what starting the system under test throws */
  async all(tasks: readonly Task[]): Promise<void> {
    const queue = [...tasks];
    while (queue.length > 0 && this.#lost === undefined) {
      await Promise.all(this.stages.map((stage) => this.#work(queue, stage)));
      // The last task may have ended it too.
      const patienceMs = queue.length === 0 && this.system !== undefined ? TIME_TO_END_MS : 0;
      for (let left = patienceMs; left > 0 && !this.#hasEnded(); left -= LOOK_MS) await sleep(LOOK_MS);
      const ended = this.system?.ended();
      if (ended !== undefined) queue.unshift(...(await this.#inquire(ended)));
      else if (this.#broken !== undefined) await this.#recover(this.#broken);
      this.#broken = undefined;
    }
    this.#settle(Number.POSITIVE_INFINITY);
    for (const task of queue) this.decide(task, { judgement: { notTried: this.#lost ?? "" }, durationMs: 0 });
  }

  /** Tries tasks until there are no more, or the system under test has to be started again. */
  async #work(queue: Task[], stage: Stage): Promise<void> {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      const suspect: Suspect = { task, triedAt: Number.POSITIVE_INFINITY };
      this.#suspects.push(suspect);
      const { report, ...tried } = await this.#run(task, stage, task.observed.pace);
      if (this.#hasEnded()) return;
      suspect.tried = tried;
      suspect.triedAt = monotonicNow();
      this.#settle(suspect.triedAt - TIME_TO_END_MS);
      // After a break the unchanged scenario must pass before the next challenge.
      const isBroken = !report.ok || tried.judgement.finding !== undefined;
      if (isBroken && !(await this.#passes(task, stage))) this.#broken = task;
      if (this.#broken !== undefined || this.#hasEnded()) return;
    }
  }

  /** Decides the tasks that were over at a time. */
  #settle(at: number): void {
    const settled = this.#suspects.filter(({ triedAt }) => triedAt <= at);
    this.#suspects = this.#suspects.filter(({ triedAt }) => triedAt > at);
    for (const { task, tried } of settled) if (tried !== undefined) this.decide(task, tried);
  }

  async #run({ scenario, challenge, observed }: Task, stage: Stage, pace: Pace) {
    const started = monotonicNow();
    const played = await play(scenario, challenge, stage, { ...pace, hasEnded: () => this.#hasEnded() });
    const { report, transcript } = played;
    const judgement = judge(challenge, observed, played, this.system?.ended());
    const { finding } = judgement;
    const durationMs = elapsedSince(started, 1);
    if (finding === undefined) return { report, judgement, durationMs };
    return { report, judgement: { finding: { ...finding, transcript: await transcript() } }, durationMs };
  }

  /** The system under test has exited: tries each suspect alone, latest first. @returns the tasks to try again */
  async #inquire(ended: string): Promise<Task[]> {
    const [stage] = this.stages as [Stage];
    const suspects = this.#suspects.toReversed();
    let [culprit] = suspects as [Suspect];
    let isCaught = false;
    for (const suspect of suspects) {
      await this.system?.restart();
      const tried = await this.#run(suspect.task, stage, { quietMs: TIME_TO_END_MS, calls: new Map() });
      isCaught = this.#hasEnded();
      if (!isCaught) continue;
      [culprit, culprit.tried] = [suspect, tried];
      break;
    }
    const { task } = culprit;
    if (!isCaught && culprit.tried?.judgement.finding === undefined) {
      const finding = endedFinding(task.observed.report, `${ended}, but not in a second attempt`);
      culprit.tried = { judgement: { finding }, durationMs: 0 };
    }
    const interrupted = suspects.filter(({ tried }) => tried === undefined);
    this.#settle(Number.POSITIVE_INFINITY);
    await this.#recover(task);
    return interrupted.map((suspect) => suspect.task);
  }

  /** Starts the system under test again, if this process can. */
  async #recover(task: Task): Promise<void> {
    await this.system?.restart();
    const [stage] = this.stages as [Stage];
    if (this.system !== undefined && (await this.#passes(task, stage))) return;
    const { scenario, challenge } = task;
    this.#lost = `the system under test did not recover from ${challenge.name}: the unchanged scenario ${scenario.name} now fails`;
  }

  #hasEnded(): boolean {
    return this.system?.ended() !== undefined;
  }

  async #passes({ scenario, observed }: Task, stage: Stage): Promise<boolean> {
    if (this.#hasEnded()) return false;
    return (await play(scenario, UNCHANGED, stage, observed.pace)).report.ok;
  }
}
