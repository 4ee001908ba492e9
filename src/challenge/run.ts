/** Runs scenarios as they are and then with every challenge that makes sense for the system under test. */
import { elapsedSince, monotonicNow } from "../kernel/realtime.js";
import type { Scenario } from "../scenarios/read.js";
import type { Challenge } from "./change.js";
import { challengesFor } from "./derive.js";
import { CHALLENGE_KINDS } from "./kinds.js";
import { fitsAny } from "./names.js";
import { observe } from "./observed.js";
import { isPair, pairOf, pairsOf } from "./pairs.js";
import type { Stage } from "./play.js";
import type { ChallengeReport, ChallengeResult, Finding, LeftOut, Verdict } from "./report.js";
import type { SystemControl, Task, Tried } from "./trials.js";
import { Trials } from "./trials.js";

export interface ChallengeOptions {
  /** Patterns of names: only these, and none of those. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  /** Tries those that held two at a time too. */
  readonly pairs?: boolean;
  /** Whether a break is known, and may be. */
  readonly isAccepted?: (name: string, scenario: string) => boolean;
  /** One run at a time takes place in each. */
  readonly stages: readonly Stage[];
  readonly system?: SystemControl | undefined;
  readonly onResult?: (result: ChallengeResult) => void;
  readonly onBreak?: (found: Break) => void;
}

/** A challenge that broke in a scenario. */
export type Break = Task;

/** @throws UnusableScenario, SimError, and what starting the system under test throws */
export async function runChallenges(
  scenarios: readonly Scenario[],
  options: ChallengeOptions,
): Promise<ChallengeReport> {
  const run = new ChallengeRun(options);
  for (const scenario of scenarios) await run.observe(scenario);
  await run.all();
  return run.report();
}

class ChallengeRun {
  readonly #options: ChallengeOptions;
  readonly #tasks: Task[] = [];
  readonly #unchanged: ChallengeReport["unchanged"][number][] = [];
  /** What scenarios say that they survive, and no challenge is called so. */
  readonly #unknown: ChallengeResult[] = [];
  readonly #results = new Map<Task, ChallengeResult>();
  readonly #leftOut: LeftOut[] = [];
  readonly #trials: Trials;
  #durationMs = 0;

  constructor(options: ChallengeOptions) {
    this.#options = options;
    const { stages, system } = options;
    this.#trials = new Trials(stages, system, (task, tried) => this.#decide(task, tried));
  }

  /** Runs a scenario as it is, and plans what makes sense for what it shows. */
  async observe(scenario: Scenario): Promise<void> {
    const { only, skip = [], stages } = this.#options;
    const observed = await observe(scenario, stages[0] as Stage);
    this.#unchanged.push(observed.report);
    if (observed.operations === undefined) return;
    const challenges = challengesFor(observed);
    for (const challenge of challenges) {
      const { name } = challenge;
      if (only !== undefined && !fitsAny(only, name)) continue;
      if (fitsAny(skip, name)) this.#leaveOut(name, scenario, "--skip");
      else if (saysItself(scenario, challenge))
        this.#leaveOut(name, scenario, "the scenario says itself what holds");
      else this.#tasks.push({ scenario, observed, challenge });
    }
    for (const pattern of only ?? []) {
      const pair = isPair(pattern) ? pairOf(pattern, challenges) : undefined;
      if (pair !== undefined) this.#tasks.push({ scenario, observed, challenge: pair });
    }
    const names = challenges.map(({ name }) => name);
    for (const pattern of only === undefined ? (scenario.survives ?? []) : [])
      if (!names.some((name) => fitsAny([pattern], name))) this.#survivesNothing(scenario, pattern);
  }

  /** Tries everything. Where an unchanged scenario fails, nothing would say anything. */
  async all(): Promise<void> {
    if (this.#unchanged.some(({ ok }) => !ok)) return;
    const started = monotonicNow();
    await this.#trials.all(this.#tasks);
    if (this.#options.pairs) {
      const pairs = this.#pairTasks();
      this.#tasks.push(...pairs);
      await this.#trials.all(pairs);
    }
    this.#durationMs = elapsedSince(started, 1);
  }

  /** What held alone, two at a time. */
  #pairTasks(): Task[] {
    const hasHeld = (task: Task) => this.#results.get(task)?.held === true;
    return [...new Set(this.#tasks.map(({ scenario }) => scenario))].flatMap((scenario) => {
      const tasks = this.#tasks.filter((task) => task.scenario === scenario);
      const [{ observed }] = tasks as [Task];
      const singles = tasks
        .filter((task) => !isPair(task.challenge.name) && hasHeld(task))
        .map(({ challenge }) => challenge);
      const { pairs, leftOut } = pairsOf(singles, observed.turns);
      for (const [why, count] of leftOut) this.#leaveOut(`${count} pairs`, scenario, why);
      return pairs.map((challenge) => ({ scenario, observed, challenge }));
    });
  }

  report(): ChallengeReport {
    const tried = this.#tasks.map((task) => this.#results.get(task)).filter((result) => result !== undefined);
    const challenges = [...this.#unknown, ...tried];
    const ok =
      this.#unchanged.every((report) => report.ok) && challenges.every(({ verdict }) => verdict !== "broke");
    return {
      ok: ok && !this.#trials.isLost,
      challenges,
      leftOut: this.#leftOut,
      unchanged: this.#unchanged,
      durationMs: this.#durationMs,
    };
  }

  #decide(task: Task, { judgement: { leftOut, finding }, durationMs }: Tried): void {
    if (leftOut !== undefined) return this.#leaveOut(task.challenge.name, task.scenario, leftOut);
    const result = resultOf(task, finding, this.#verdict(task, finding), durationMs);
    this.#results.set(task, result);
    this.#options.onResult?.(result);
    if (result.verdict === "broke") this.#options.onBreak?.(task);
  }

  #verdict({ scenario, challenge: { name } }: Task, finding: Finding | undefined): Verdict {
    if (finding === undefined) return "held";
    if (fitsAny(scenario.survives ?? [], name)) return "broke";
    if (fitsAny(scenario.tolerates ?? [], name)) return "tolerated";
    return this.#options.isAccepted?.(name, scenario.name) ? "accepted" : "broke";
  }

  #leaveOut(name: string, scenario: Scenario, why: string): void {
    this.#leftOut.push({ name, scenario: scenario.name, why });
  }

  #survivesNothing(scenario: Scenario, pattern: string): void {
    const [location] = scenario.locate([{ path: "survives", message: "" }]);
    const { line, column } = location ?? {};
    this.#unknown.push({
      ...{ name: pattern, scenario: scenario.name, held: false, verdict: "broke", durationMs: 0 },
      ...(scenario.file !== undefined && { file: scenario.file }),
      place: {
        path: "survives",
        ...(scenario.file !== undefined && line !== undefined && { file: scenario.file, line }),
        ...(column !== undefined && { column }),
      },
      message:
        "the scenario says that it survives this, but no challenge that makes sense for it is called so",
      about: "a challenge that the scenario names",
      why: "What the system under test does not call, and what it is not sent, cannot be tried.",
      remedy: "Look at the names that the run lists.",
      repeat: repeatOf(scenario, pattern),
    });
  }
}

/** Whether a scenario says itself what a challenge would change: it sets the entry, or opens and closes windows by hand. */
function saysItself({ behaviour, steps }: Scenario, { kind, behaviour: changed = {} }: Challenge): boolean {
  if (kind !== "behaviour") return false;
  const of = (key: string) => steps.filter((step) => step.kind.key === key);
  const set = [behaviour, ...of("behaviour").map(({ input }) => input)];
  return Object.keys(changed).some(
    (key) =>
      (key.startsWith("window.") && of("window").length > 0) ||
      set.some((values) => typeof values === "object" && Object.hasOwn(values, key)),
  );
}

const repeatOf = ({ file, name: scenario }: Scenario, name: string): string =>
  `${file ?? scenario} --only '${name}'`;

function resultOf(
  { scenario, observed, challenge }: Task,
  finding: Finding | undefined,
  verdict: Verdict,
  durationMs: number,
): ChallengeResult {
  const { name, kind, about } = challenge;
  const { why, remedy } = CHALLENGE_KINDS[kind];
  return {
    ...{ name, scenario: scenario.name, held: finding === undefined, verdict },
    ...(scenario.file !== undefined && { file: scenario.file }),
    ...{ about, why, remedy, repeat: repeatOf(scenario, name), durationMs },
    ...finding,
    ...(finding !== undefined && { unchanged: observed.transcript }),
  };
}
