/** Runs scenarios unchanged, and then with every challenge that is relevant for the system under test. */
import { elapsedSince, monotonicNow } from "../../kernel/realtime.js";
import type { Scenario } from "../../scenarios/read.js";
import type { Report } from "../../scenarios/report.js";
import { UniqueNames } from "../../scenarios/reporters.js";
import { challengesFor, isPair, membersOf, pairsOf, withoutOccasion } from "./derive.js";
import { causesOf } from "./judge.js";
import type { Challenge } from "./kinds.js";
import { CHALLENGE_KINDS, fitsAny } from "./kinds.js";
import type { Observed } from "./observed.js";
import { observe } from "./observed.js";
import type { Stage } from "./play.js";
import type { ChallengeReport, ChallengeResult, Finding, NotTried, Verdict } from "./report.js";
import type { SystemControl, Task, Tried } from "./trials.js";
import { Trials } from "./trials.js";

export interface ChallengeOptions {
  /** Patterns of names. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  /** Also tries pairs of challenges that held. */
  readonly pairs?: boolean;
  /** The other options of a command that repeats a challenge, such as `--hook URL`. */
  readonly repeatWith?: string;
  /** Whether a break is on the list of known ones. */
  readonly isAccepted?: (name: string, scenario: string) => boolean;
  /** Each takes one run at a time. */
  readonly stages: readonly Stage[];
  /** Starts the system under test for a scenario. Default: it runs already. */
  readonly start?: (scenario: Scenario) => Promise<SystemControl>;
  readonly onResult?: (result: ChallengeResult) => void;
  readonly onScenario?: (unchanged: Report, results: readonly ChallengeResult[]) => void;
  readonly onBreak?: (found: Break) => void;
}

export interface Break extends Task {
  readonly finding: Finding;
}

const SKIPPED = "--skip";
const UNSTABLE = "it differs between two unchanged runs";

/** @throws UnusableScenario, SimError, and what starting the system under test throws */
export async function runChallenges(
  scenarios: readonly Scenario[],
  options: ChallengeOptions,
): Promise<ChallengeReport> {
  const run = new ChallengeRun(options);
  // Results, reports and lists of known breaks tell scenarios apart by name.
  const names = new UniqueNames();
  for (const scenario of scenarios) await run.challenge({ ...scenario, name: names.next(scenario.name) });
  return run.report();
}

class ChallengeRun {
  readonly #options: ChallengeOptions;
  readonly #challenges: ChallengeResult[] = [];
  readonly #unchanged: Report[] = [];
  readonly #results = new Map<Task, ChallengeResult>();
  readonly #notTried: NotTried[] = [];
  #isLost = false;
  #durationMs = 0;

  constructor(options: ChallengeOptions) {
    this.#options = options;
  }

  /** Runs a scenario unchanged, and then with all relevant challenges. */
  async challenge(scenario: Scenario): Promise<void> {
    const { stages, start, onScenario } = this.#options;
    const system = await start?.(scenario);
    const observed = await observe(scenario, stages[0] as Stage);
    this.#unchanged.push(observed.report);
    const begun = this.#challenges.length;
    // If the unchanged scenario fails, challenges prove nothing.
    if (observed.operations !== undefined) await this.#try(scenario, observed, system);
    onScenario?.(observed.report, this.#challenges.slice(begun));
  }

  async #try(scenario: Scenario, observed: Observed, system: SystemControl | undefined): Promise<void> {
    const trials = new Trials(this.#options.stages, system, (task, tried) => this.#decide(task, tried));
    for (const what of observed.varying) this.#leaveOut(`comparison of ${what}`, scenario, UNSTABLE);
    const started = monotonicNow();
    const tasks = this.#tasksFor(scenario, observed);
    await trials.all(tasks);
    if (this.#options.pairs) {
      const pairs = this.#pairTasks(scenario, observed, tasks);
      tasks.push(...pairs);
      await trials.all(pairs);
    }
    this.#durationMs += elapsedSince(started, 1);
    this.#isLost ||= trials.isLost;
    const results = tasks.map((task) => this.#results.get(task));
    const decided = results.filter((result) => result !== undefined);
    for (const pattern of this.#options.only === undefined ? (scenario.survives ?? []) : [])
      if (!decided.some(({ name }) => fitsAny([pattern], name))) this.#survivesNothing(scenario, pattern);
    this.#challenges.push(...decided);
  }

  /** The challenges to try. Others are noted with the reason. */
  #tasksFor(scenario: Scenario, observed: Observed): Task[] {
    const { only, skip = [] } = this.#options;
    const isAsked = (name: string) => only === undefined || fitsAny(only, name);
    const challenges = challengesFor(observed);
    const tasks: Task[] = [];
    for (const challenge of challenges) {
      const { name } = challenge;
      if (!isAsked(name)) continue;
      if (fitsAny(skip, name)) this.#leaveOut(name, scenario, SKIPPED);
      else if (saysItself(scenario, challenge))
        this.#leaveOut(name, scenario, "the scenario controls this itself");
      else tasks.push({ scenario, observed, challenge });
    }
    for (const { name, reason } of withoutOccasion(observed))
      if (isAsked(name) && !fitsAny(skip, name)) this.#leaveOut(name, scenario, reason);
    for (const pattern of (only ?? []).filter(isPair)) {
      const { pairs, notTried } = pairsOf(membersOf(pattern, challenges), observed.turns);
      tasks.push(...pairs.map((challenge) => ({ scenario, observed, challenge })));
      for (const reason of notTried.keys()) this.#leaveOut(pattern, scenario, reason);
    }
    return tasks;
  }

  /** Pairs of challenges that held alone. */
  #pairTasks(scenario: Scenario, observed: Observed, tasks: readonly Task[]): Task[] {
    const singles = tasks
      .filter((task) => !isPair(task.challenge.name) && this.#results.get(task)?.held === true)
      .map(({ challenge }) => challenge);
    const { pairs, notTried } = pairsOf(singles, observed.turns);
    for (const [reason, count] of notTried) this.#leaveOut(`${count} pairs`, scenario, reason);
    return pairs.map((challenge) => ({ scenario, observed, challenge }));
  }

  report(): ChallengeReport {
    const [challenges, unchanged] = [this.#challenges, this.#unchanged];
    const ok =
      unchanged.every((report) => report.ok) && challenges.every(({ verdict }) => verdict !== "broke");
    return {
      ok: ok && !this.#isLost,
      challenges,
      notTried: this.#notTried,
      causes: causesOf(challenges),
      unchanged,
      durationMs: this.#durationMs,
    };
  }

  #decide(task: Task, { judgement: { notTried, finding }, durationMs }: Tried): void {
    if (notTried !== undefined) return this.#leaveOut(task.challenge.name, task.scenario, notTried);
    const repeat = this.#repeatOf(task.scenario, task.challenge.name);
    const result = resultOf({ ...task, repeat }, finding, this.#verdict(task, finding), durationMs);
    this.#results.set(task, result);
    this.#options.onResult?.(result);
    if (result.verdict === "broke" && finding !== undefined) this.#options.onBreak?.({ ...task, finding });
  }

  #verdict({ scenario, challenge: { name } }: Task, finding: Finding | undefined): Verdict {
    if (finding === undefined) return "held";
    if (fitsAny(scenario.survives ?? [], name)) return "broke";
    if (fitsAny(scenario.tolerates ?? [], name)) return "tolerated";
    return this.#options.isAccepted?.(name, scenario.name) ? "accepted" : "broke";
  }

  #leaveOut(name: string, scenario: Scenario, reason: string): void {
    this.#notTried.push({ name, scenario: scenario.name, reason });
  }

  #survivesNothing(scenario: Scenario, pattern: string): void {
    const reasons = this.#notTried.flatMap(({ name, scenario: of, reason }) =>
      of === scenario.name && fitsAny([pattern], name) ? [reason] : [],
    );
    if (reasons.includes(SKIPPED)) return;
    const [reason = "no applicable challenge has this name"] = reasons;
    const [location] = scenario.locate([{ path: "survives", message: "" }]);
    const { line, column } = location ?? {};
    this.#challenges.push({
      ...{ name: pattern, scenario: scenario.name, held: false, verdict: "broke", durationMs: 0 },
      ...(scenario.file !== undefined && { file: scenario.file }),
      place: {
        path: "survives",
        ...(scenario.file !== undefined && line !== undefined && { file: scenario.file, line }),
        ...(column !== undefined && { column }),
      },
      broke: "the scenario claims to survive a challenge that was not tried",
      message: `the scenario claims to survive this, but it was not tried: ${reason}`,
      about: "a challenge named by the scenario",
      why: "Calls that the system under test does not make, and events that it is not sent, cannot be challenged.",
      remedy: "Use a name that the run lists, and give it an occasion.",
      repeat: this.#repeatOf(scenario, pattern),
    });
  }

  #repeatOf({ file, name: scenario }: Scenario, name: string): string {
    const { repeatWith = "" } = this.#options;
    return `${file ?? scenario} --only '${name}' ${repeatWith}`.trimEnd();
  }
}

/** Whether a scenario itself controls what a challenge would change: it sets the entry, or opens and closes windows. */
function saysItself({ behaviour, steps }: Scenario, { kind, behaviour: changed = {} }: Challenge): boolean {
  if (kind !== "behaviour") return false;
  const own = [
    ...(typeof behaviour === "object" ? Object.keys(behaviour) : []),
    ...steps.flatMap(({ kind, input }) => kind.behaviourKeys?.(input) ?? []),
  ];
  return Object.keys(changed).some((key) => own.some((beginning) => key.startsWith(beginning)));
}

function resultOf(
  { scenario, observed, challenge, repeat }: Task & { readonly repeat: string },
  finding: Finding | undefined,
  verdict: Verdict,
  durationMs: number,
): ChallengeResult {
  const { name, kind, about } = challenge;
  const { why, remedy } = CHALLENGE_KINDS[kind];
  return {
    ...{ name, scenario: scenario.name, held: finding === undefined, verdict },
    ...(scenario.file !== undefined && { file: scenario.file }),
    ...{ about, why, remedy, repeat, durationMs },
    ...finding,
    ...(finding !== undefined && { unchanged: observed.transcript }),
  };
}
