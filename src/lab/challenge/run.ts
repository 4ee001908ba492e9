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
    const { stages, pairs: isPairing, only } = this.#options;
    const trials = new Trials(stages, system, (task, tried) => this.#decide(task, tried));
    for (const what of observed.varying) this.#leaveOut(`comparison of ${what}`, scenario, UNSTABLE);
    const started = monotonicNow();
    const taskOf = (challenge: Challenge): Task => ({ scenario, observed, challenge });
    const tasks = this.#challengesFor(scenario, observed).map(taskOf);
    await trials.all(tasks);
    if (isPairing) {
      const alone = tasks.filter(({ challenge }) => !isPair(challenge.name));
      const held = alone.filter((task) => this.#results.get(task)?.held === true);
      const { pairs, notTried } = pairsOf(
        held.map(({ challenge }) => challenge),
        observed.turns,
      );
      for (const [reason, count] of notTried) this.#leaveOut(`${count} pairs`, scenario, reason);
      const more = pairs.map(taskOf);
      tasks.push(...more);
      await trials.all(more);
    }
    this.#durationMs += elapsedSince(started, 1);
    this.#isLost ||= trials.isLost;
    const decided = tasks.flatMap((task) => this.#results.get(task) ?? []);
    for (const pattern of only === undefined ? (scenario.survives ?? []) : [])
      if (!decided.some(({ name }) => fitsAny([pattern], name))) this.#survivesNothing(scenario, pattern);
    this.#challenges.push(...decided);
  }

  /** The challenges to try. Others are noted with the reason. */
  #challengesFor(scenario: Scenario, observed: Observed): Challenge[] {
    const { only, skip = [] } = this.#options;
    const isAsked = ({ name }: { readonly name: string }) => only === undefined || fitsAny(only, name);
    const { challenges: all, withoutOccasion } = challengesFor(observed);
    const challenges = all.filter(isAsked).filter((challenge) => {
      const isSkipped = fitsAny(skip, challenge.name);
      if (!isSkipped && !saysItself(scenario, challenge)) return true;
      this.#leaveOut(challenge.name, scenario, isSkipped ? SKIPPED : SAYS_ITSELF);
      return false;
    });
    for (const { name, reason } of withoutOccasion.filter(isAsked))
      if (!fitsAny(skip, name)) this.#leaveOut(name, scenario, reason);
    for (const pattern of (only ?? []).filter(isPair)) {
      const { pairs, notTried } = pairsOf(membersOf(pattern, all), observed.turns);
      challenges.push(...pairs);
      for (const reason of notTried.keys()) this.#leaveOut(pattern, scenario, reason);
    }
    return challenges;
  }

  report(): ChallengeReport {
    const [challenges, unchanged] = [this.#challenges, this.#unchanged];
    const isBroken = challenges.some(({ verdict }) => verdict === "broke");
    return {
      ok: !this.#isLost && !isBroken && unchanged.every((report) => report.ok),
      challenges,
      notTried: this.#notTried,
      causes: causesOf(challenges),
      unchanged,
      durationMs: this.#durationMs,
    };
  }

  #decide(task: Task, { judgement: { notTried, finding }, durationMs }: Tried): void {
    const { scenario, challenge, observed } = task;
    const { name, kind, about } = challenge;
    if (notTried !== undefined) return this.#leaveOut(name, scenario, notTried);
    const { why, remedy } = CHALLENGE_KINDS[kind];
    const result: ChallengeResult = {
      ...this.#headOf(scenario, name, finding === undefined ? "held" : this.#verdict(scenario, name)),
      ...{ about, why, remedy, durationMs },
      ...(finding && { ...finding, unchanged: observed.transcript }),
    };
    this.#results.set(task, result);
    this.#options.onResult?.(result);
    if (result.verdict === "broke" && finding !== undefined) this.#options.onBreak?.({ ...task, finding });
  }

  /** The verdict on a break. */
  #verdict({ survives = [], tolerates = [], name: scenario }: Scenario, name: string): Verdict {
    if (fitsAny(survives, name)) return "broke";
    if (fitsAny(tolerates, name)) return "tolerated";
    return this.#options.isAccepted?.(name, scenario) ? "accepted" : "broke";
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
    const [place = { path: "survives" }] = scenario
      .locate([{ path: "survives", message: "" }])
      .map(({ message: _, ...location }) => location);
    this.#challenges.push({
      ...this.#headOf(scenario, pattern, "broke"),
      place,
      durationMs: 0,
      broke: "the scenario claims to survive a challenge that was not tried",
      message: `the scenario claims to survive this, but it was not tried: ${reason}`,
      about: "a challenge named by the scenario",
      why: "Calls that the system under test does not make, and events that it is not sent, cannot be challenged.",
      remedy: "Use a name that the run lists, and give it an occasion.",
    });
  }

  #headOf({ name: scenario, file }: Scenario, name: string, verdict: Verdict) {
    const { repeatWith = "" } = this.#options;
    const repeat = `${file ?? scenario} --only '${name}' ${repeatWith}`.trimEnd();
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
