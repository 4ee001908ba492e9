/** Runs scenarios unchanged, and then with every challenge that is relevant for the system under test. */
import { omitUndefined } from "../../kernel/objects.js";
import { elapsedSince, monotonicNow } from "../../kernel/realtime.js";
import type { Scenario } from "../../scenarios/read.js";
import type { Report } from "../../scenarios/report.js";
import { UniqueNames } from "../../scenarios/reporters.js";
import { challengesFor, isPair, membersOf, pairsOf } from "./derive.js";
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
const SAYS_ITSELF = "the scenario controls this itself";
const UNSTABLE = "differs between two unchanged runs";

/** @throws UnusableScenario, SimError, and what starting the system under test throws */
export async function runChallenges(
  scenarios: readonly Scenario[],
  options: ChallengeOptions,
): Promise<ChallengeReport> {
  const runs: ChallengedScenario[] = [];
  // Results, reports and lists of known breaks tell scenarios apart by name.
  const names = new UniqueNames();
  for (const scenario of scenarios) {
    const run = new ChallengedScenario({ ...scenario, name: names.next(scenario.name) }, options);
    const unchanged = await run.challenge();
    options.onScenario?.(unchanged, run.results);
    runs.push(run);
  }
  const challenges = runs.flatMap(({ results }) => results);
  const isBroken = challenges.some(({ verdict }) => verdict === "broke");
  return {
    ok: !isBroken && runs.every(({ unchanged, isLost }) => unchanged?.ok && !isLost),
    challenges,
    notTried: runs.flatMap(({ notTried }) => notTried),
    causes: causesOf(challenges),
    unchanged: runs.flatMap(({ unchanged }) => unchanged ?? []),
    durationMs: runs.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
}

class ChallengedScenario {
  unchanged: Report | undefined;
  results: readonly ChallengeResult[] = [];
  readonly notTried: NotTried[] = [];
  isLost = false;
  durationMs = 0;
  readonly #resultOf = new Map<Task, ChallengeResult>();

  constructor(
    private readonly scenario: Scenario,
    private readonly options: ChallengeOptions,
  ) {}

  /** Runs the scenario unchanged, and then with all relevant challenges. @returns the unchanged report */
  async challenge(): Promise<Report> {
    const { stages, start } = this.options;
    const system = await start?.(this.scenario);
    const observed = await observe(this.scenario, stages[0] as Stage);
    this.unchanged = observed.report;
    // If the unchanged scenario fails, challenges prove nothing.
    if (observed.operations !== undefined) await this.#try(observed, system);
    return observed.report;
  }

  async #try(observed: Observed, system: SystemControl | undefined): Promise<void> {
    const { scenario, options, notTried } = this;
    const trials = new Trials(options.stages, system, (task, tried) => this.#decide(task, tried));
    for (const what of observed.varying) this.#leaveOut(`comparison of ${what}`, UNSTABLE);
    const started = monotonicNow();
    const taskOf = (challenge: Challenge): Task => ({ scenario, observed, challenge });
    const tasks = this.#challengesFor(observed).map(taskOf);
    await trials.all(tasks);
    if (options.pairs) {
      const held = tasks.filter((task) => this.#resultOf.get(task)?.held === true);
      const alone = held.map(({ challenge }) => challenge).filter(({ name }) => !isPair(name));
      const { pairs, notTried } = pairsOf(alone, observed.turns);
      for (const [reason, count] of notTried) this.#leaveOut(`${count} pairs`, reason);
      const more = pairs.map(taskOf);
      tasks.push(...more);
      await trials.all(more);
    }
    this.durationMs = elapsedSince(started, 1);
    this.isLost = trials.isLost;
    const decided = tasks.flatMap((task) => this.#resultOf.get(task) ?? []);
    const untried = (options.only === undefined ? (scenario.survives ?? []) : []).filter((pattern) => {
      const isSkipped = notTried.some(({ name, reason }) => reason === SKIPPED && fitsAny([pattern], name));
      return !isSkipped && !decided.some(({ name }) => fitsAny([pattern], name));
    });
    this.results = [...untried.map((pattern) => this.#survivesNothing(pattern)), ...decided];
  }

  /** The challenges to try. Others are noted with the reason. */
  #challengesFor(observed: Observed): Challenge[] {
    const { only, skip = [] } = this.options;
    const isAsked = ({ name }: { readonly name: string }) => only === undefined || fitsAny(only, name);
    const { challenges: all, withoutOccasion } = challengesFor(observed);
    const challenges = all.filter(isAsked).filter((challenge) => {
      const isSkipped = fitsAny(skip, challenge.name);
      if (!isSkipped && !saysItself(this.scenario, challenge)) return true;
      this.#leaveOut(challenge.name, isSkipped ? SKIPPED : SAYS_ITSELF);
      return false;
    });
    for (const { name, reason } of withoutOccasion.filter(isAsked))
      if (!fitsAny(skip, name)) this.#leaveOut(name, reason);
    for (const pattern of (only ?? []).filter(isPair)) {
      const { pairs, notTried } = pairsOf(membersOf(pattern, all), observed.turns);
      challenges.push(...pairs);
      for (const reason of notTried.keys()) this.#leaveOut(pattern, reason);
    }
    return challenges;
  }

  #decide(task: Task, { judgement: { notTried, finding }, durationMs }: Tried): void {
    const { challenge, observed } = task;
    const { name, kind, about } = challenge;
    if (notTried !== undefined) return this.#leaveOut(name, notTried);
    const { why, remedy } = CHALLENGE_KINDS[kind];
    const result: ChallengeResult = {
      ...this.#headOf(name, finding === undefined ? "held" : this.#verdictOnBreak(name)),
      ...{ about, why, remedy, durationMs },
      ...(finding && { ...finding, unchanged: observed.transcript }),
    };
    this.#resultOf.set(task, result);
    this.options.onResult?.(result);
    if (result.verdict === "broke" && finding !== undefined) this.options.onBreak?.({ ...task, finding });
  }

  #verdictOnBreak(name: string): Verdict {
    const { survives = [], tolerates = [], name: scenario } = this.scenario;
    if (fitsAny(survives, name)) return "broke";
    if (fitsAny(tolerates, name)) return "tolerated";
    return this.options.isAccepted?.(name, scenario) ? "accepted" : "broke";
  }

  #leaveOut(name: string, reason: string): void {
    this.notTried.push({ name, scenario: this.scenario.name, reason });
  }

  #survivesNothing(pattern: string): ChallengeResult {
    const { reason = "no applicable challenge has this name" } =
      this.notTried.find(({ name }) => fitsAny([pattern], name)) ?? {};
    const [place = { path: "survives" }] = this.scenario
      .locate([{ path: "survives", message: "" }])
      .map(({ message: _, ...location }) => location);
    return {
      ...this.#headOf(pattern, "broke"),
      place,
      durationMs: 0,
      broke: "the scenario lists a challenge under survives that was not tried",
      message: `listed under survives, but not tried: ${reason}`,
      about: "a challenge named by the scenario",
      why: "Only calls that the system under test makes, and events that it gets, can be challenged.",
      remedy: "Use a name that the run lists, and let the scenario trigger it.",
    };
  }

  #headOf(name: string, verdict: Verdict) {
    const { name: scenario, file } = this.scenario;
    const repeat = `${file ?? scenario} --only '${name}' ${this.options.repeatWith ?? ""}`.trimEnd();
    return { name, scenario, ...omitUndefined({ file }), held: verdict === "held", verdict, repeat };
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
