/** Runs scenarios unchanged, and then with every challenge that is relevant for the system under test. */
import { omitUndefined } from "../../kernel/objects.js";
import { elapsedSince, monotonicNow, sleep } from "../../kernel/realtime.js";
import type { Scenario } from "../../scenarios/read.js";
import type { Report } from "../../scenarios/report.js";
import { UniqueNames } from "../../scenarios/reporters.js";
import type { Judgement } from "./judge.js";
import { endedFinding, judge } from "./judge.js";
import type { Unchanged } from "./observe.js";
import { observe } from "./observe.js";
import type { Stage } from "./play.js";
import { play } from "./play.js";
import type { ChallengeReport, ChallengeResult, NotTried, Verdict } from "./report.js";
import type { Challenge } from "./table.js";
import { CHALLENGE_ROWS, challengesFor, fitsAny } from "./table.js";

export interface ChallengeOptions {
  /** Patterns of names. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  /** Whether a break is on the list of known ones. */
  readonly isAccepted?: (name: string, scenario: string) => boolean;
  /** Prepares the sandbox for a scenario, and starts the system under test if this process does. */
  readonly stage: (scenario: Scenario) => Promise<Stage>;
  /** Aborted by the user: the rest is not tried. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
  readonly onScenario?: (unchanged: Report, results: readonly ChallengeResult[]) => void;
}

const SKIPPED = "--skip";
const SAYS_ITSELF = "the scenario controls this itself";

/** How long after the cause a system under test may exit, ms. */
const TIME_TO_END_MS = 1_000;
const LOOK_MS = 20;

/** @throws UnusableScenario, SimError, and what starting the system under test throws */
export async function runChallenges(
  scenarios: readonly Scenario[],
  options: ChallengeOptions,
): Promise<ChallengeReport> {
  const runs: ChallengedScenario[] = [];
  // Results, reports and lists of known breaks tell scenarios apart by name.
  const names = new UniqueNames();
  for (const each of scenarios) {
    const scenario = { ...each, name: names.next(each.name) };
    const stage = await untilAborted(options.stage(scenario), options.signal);
    if (stage === undefined) break;
    const unchanged = await untilAborted(observe(scenario, stage), options.signal);
    if (unchanged === undefined) break;
    const run = new ChallengedScenario(scenario, stage, unchanged, options);
    await run.challenge();
    options.onScenario?.(unchanged.report, run.results);
    runs.push(run);
  }
  const challenges = runs.flatMap(({ results }) => results);
  const isBroken = challenges.some(({ verdict }) => verdict === "broke");
  return {
    ok:
      !isBroken &&
      !options.signal?.aborted &&
      runs.every(({ unchanged, lost }) => unchanged.report.ok && lost === undefined),
    challenges,
    notTried: runs.flatMap(({ notTried }) => notTried),
    unchanged: runs.map(({ unchanged }) => unchanged.report),
    durationMs: runs.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
}

/** What a run found; undefined if the user has ended it meanwhile. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  try {
    const found = await work;
    return signal?.aborted ? undefined : found;
  } catch (error) {
    if (signal?.aborted) return undefined;
    throw error;
  }
}

interface Tried {
  readonly challenge: Challenge;
  judgement: Judgement;
  durationMs: number;
  /** When its run was over, ms of monotonic time. */
  readonly at: number;
}

class ChallengedScenario {
  results: readonly ChallengeResult[] = [];
  readonly notTried: NotTried[] = [];
  durationMs = 0;
  /** Why the system under test cannot be challenged any more. */
  lost: string | undefined;

  constructor(
    private readonly scenario: Scenario,
    private readonly stage: Stage,
    readonly unchanged: Unchanged,
    private readonly options: ChallengeOptions,
  ) {}

  /** Runs the scenario with all relevant challenges. If it fails unchanged, they prove nothing. */
  async challenge(): Promise<void> {
    const { scenario, options, notTried, unchanged } = this;
    if (unchanged.observed === undefined) return;
    for (const what of unchanged.pace.except)
      this.#leaveOut(`comparison of ${what}`, "differs between two unchanged runs");
    const started = monotonicNow();
    const challenges = this.#selected(challengesFor(unchanged.observed));
    const tried = await this.#try(challenges);
    this.durationMs = elapsedSince(started, 1);
    const decided = tried.flatMap((one) => this.#resultOf(one) ?? []);
    const untried = (options.only === undefined ? (scenario.survives ?? []) : []).filter((pattern) => {
      const isSkipped = notTried.some(({ name, reason }) => reason === SKIPPED && fitsAny([pattern], name));
      return !isSkipped && !decided.some(({ name }) => fitsAny([pattern], name));
    });
    this.results = [...untried.map((pattern) => this.#survivesNothing(pattern)), ...decided];
  }

  /** The challenges to try. Others are noted with the reason. */
  #selected(all: readonly Challenge[]): Challenge[] {
    const { only, skip = [] } = this.options;
    return all.filter((challenge) => {
      const { name } = challenge;
      if (only !== undefined && !fitsAny(only, name)) return false;
      const isSkipped = fitsAny(skip, name);
      const itself = saysItself(this.scenario, challenge) ? SAYS_ITSELF : undefined;
      const reason = isSkipped ? SKIPPED : (challenge.notTried ?? itself);
      if (reason !== undefined) this.#leaveOut(name, reason);
      return reason === undefined;
    });
  }

  /** Tries challenges one after the other, as long as the system under test recovers from them. */
  async #try(challenges: readonly Challenge[]): Promise<Tried[]> {
    const tried: Tried[] = [];
    for (const [index, challenge] of challenges.entries()) {
      if (this.lost !== undefined) {
        this.#leaveOut(challenge.name, this.lost);
        continue;
      }
      const played = await untilAborted(this.#play(challenge), this.options.signal);
      if (played === undefined) break;
      const { isDisturbed, ...result } = played;
      tried.push({ challenge, ...result, at: monotonicNow() });
      // The last one may also end it later.
      if (index === challenges.length - 1 && !isDisturbed) await this.#hasEndedWithin(TIME_TO_END_MS);
      if (this.#hasEnded()) await this.#blame(tried);
      else if (isDisturbed) await this.#recover(challenge);
      this.options.onProgress?.(index + 1, challenges.length);
    }
    return tried;
  }

  async #play(challenge: Challenge) {
    const started = monotonicNow();
    const { pace } = this.unchanged;
    const played = await play(this.scenario, challenge, this.stage, pace);
    const judgement = judge(challenge, played, pace, this.stage.system?.ended());
    const durationMs = elapsedSince(started, 1);
    const { finding } = judgement;
    const isDisturbed = finding !== undefined || !played.report.ok;
    if (finding === undefined) return { judgement, durationMs, isDisturbed };
    const transcript = await played.transcript();
    return { judgement: { finding: { ...finding, transcript } }, durationMs, isDisturbed };
  }

  /** The system under test has exited, maybe only after the challenge that caused it: tries the latest alone, newest first. */
  async #blame(tried: readonly Tried[]): Promise<void> {
    const ended = this.stage.system?.ended() ?? "";
    const last = tried.at(-1) as Tried;
    const suspects = tried.filter(({ at }) => at >= last.at - last.durationMs - TIME_TO_END_MS).reverse();
    for (const suspect of suspects) {
      await this.stage.system?.restart();
      const { judgement, durationMs } = await this.#play(suspect.challenge);
      const hasEnded = await this.#hasEndedWithin(TIME_TO_END_MS);
      // The run that was interrupted says nothing about its own challenge.
      if (hasEnded || suspect === last) Object.assign(suspect, { judgement, durationMs });
      if (!hasEnded) continue;
      const finding = judgement.finding ?? endedFinding(this.unchanged.report, ended);
      suspect.judgement = { finding: { ...finding, ...endedFinding(this.unchanged.report, ended) } };
      return this.#recover(suspect.challenge);
    }
    last.judgement = {
      finding: endedFinding(this.unchanged.report, `${ended}, but not in a second attempt`),
    };
    await this.#recover(last.challenge);
  }

  /** Starts the system under test again, or makes sure that the unchanged scenario still passes. */
  async #recover({ name }: Challenge): Promise<void> {
    const { scenario, stage, unchanged } = this;
    if (stage.system !== undefined) return stage.system.restart();
    const { report } = await play(scenario, {}, stage, unchanged.pace);
    if (!report.ok)
      this.lost = `the system under test did not recover from ${name}: the unchanged scenario ${scenario.name} now fails`;
  }

  #hasEnded(): boolean {
    return this.stage.system?.ended() !== undefined;
  }

  async #hasEndedWithin(ms: number): Promise<boolean> {
    const patienceMs = this.stage.system === undefined ? 0 : ms;
    for (let left = patienceMs; left > 0 && !this.#hasEnded(); left -= LOOK_MS) await sleep(LOOK_MS);
    return this.#hasEnded();
  }

  /** Undefined, with a note, for a challenge that had no effect. */
  #resultOf({ challenge, judgement: { notTried, finding }, durationMs }: Tried): ChallengeResult | undefined {
    const { name, kind, about } = challenge;
    if (notTried !== undefined) return void this.#leaveOut(name, notTried);
    const { why, remedy } = CHALLENGE_ROWS[kind];
    return {
      ...this.#headOf(name, finding === undefined ? "held" : this.#verdictOnBreak(name)),
      ...{ about, why, remedy, durationMs },
      ...finding,
    };
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
    return { name, scenario, ...omitUndefined({ file }), held: verdict === "held", verdict };
  }
}

/** Whether a scenario itself controls what a challenge would change: it sets the entry, or opens and closes windows. */
function saysItself({ behaviour, steps }: Scenario, { behaviour: changed = {} }: Challenge): boolean {
  const own = [
    ...(typeof behaviour === "object" ? Object.keys(behaviour) : []),
    ...steps.flatMap(({ kind, input }) => kind.behaviourKeys?.(input) ?? []),
  ];
  return Object.keys(changed).some((key) => own.some((beginning) => key.startsWith(beginning)));
}
