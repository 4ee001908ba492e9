/** Runs scenarios unchanged, and then with every challenge that is relevant for the system under test. */
import { omitUndefined } from "../../kernel/objects.js";
import { elapsedSince, monotonicNow, sleep } from "../../kernel/realtime.js";
import type { Scenario } from "../../scenarios/read.js";
import { UniqueNames } from "../../scenarios/reporters.js";
import { allSteps } from "../../scenarios/step.js";
import type { Judgement } from "./judge.js";
import { endedFinding, judge } from "./judge.js";
import type { Unchanged } from "./observe.js";
import { observe } from "./observe.js";
import type { Ended, Stage } from "./play.js";
import { play, UNCHANGED } from "./play.js";
import type { ChallengeReport, ChallengeResult, NotTried, Verdict } from "./report.js";
import type { Challenge } from "./table.js";
import { CHALLENGE_ROWS, challengesFor, fitsAny } from "./table.js";

export interface ChallengeOptions {
  /** Patterns of names; without `only`, all are tried. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  /** Whether a break is on the list of known ones. */
  readonly isAccepted?: (name: string, scenario: string) => boolean;
  /** Prepares the sandbox for a scenario, and starts the system under test if this process does. */
  readonly stage: (scenario: Scenario) => Promise<Stage>;
  /** Aborted by the user: the rest is not tried. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

const SKIPPED = "--skip";

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
    const unchanged = stage && (await untilAborted(observe(scenario, stage), options.signal));
    if (stage === undefined || unchanged === undefined) break;
    const run = new ChallengedScenario(scenario, stage, unchanged, options);
    await run.challenge();
    runs.push(run);
  }
  const challenges = runs.flatMap(({ results }) => results);
  const isWhole = runs.every(({ unchanged, isWhole }) => unchanged.report.ok && isWhole);
  return {
    ok: isWhole && !options.signal?.aborted && challenges.every(({ verdict }) => verdict !== "broke"),
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
}

class ChallengedScenario {
  results: readonly ChallengeResult[] = [];
  readonly notTried: NotTried[] = [];
  durationMs = 0;
  /** Whether everything could be tried. */
  isWhole = true;
  /** Why the system under test cannot be challenged any more. */
  #lost: string | undefined;

  constructor(
    private readonly scenario: Scenario,
    private readonly stage: Stage,
    readonly unchanged: Unchanged,
    private readonly options: ChallengeOptions,
  ) {}

  /** Runs the scenario with all relevant challenges. If it fails unchanged, they prove nothing. */
  async challenge(): Promise<void> {
    const { scenario, options, unchanged } = this;
    if (unchanged.observed === undefined) return;
    for (const what of unchanged.pace.except)
      this.#leaveOut(`comparison of ${what}`, "differs between two unchanged runs");
    const started = monotonicNow();
    const tried = await this.#try(challengesFor(unchanged.observed).filter((each) => this.#isSelected(each)));
    this.durationMs = elapsedSince(started, 1);
    this.results = tried.flatMap((one) => this.#resultOf(one) ?? []);
    if (options.only.length === 0) this.#demand(scenario.survives ?? []);
  }

  /** Whether a challenge is to be tried. If it is left out, that is noted with the reason. */
  #isSelected(challenge: Challenge): boolean {
    const { only, skip } = this.options;
    const { name } = challenge;
    if (only.length > 0 && !fitsAny(only, name)) return false;
    const itself = saysItself(this.scenario, challenge) ? "the scenario controls this itself" : undefined;
    const reason = fitsAny(skip, name) ? SKIPPED : (challenge.notTried ?? itself);
    if (reason !== undefined) this.#leaveOut(name, reason);
    return reason === undefined;
  }

  /** Tries challenges one after the other, as long as the system under test recovers from them. */
  async #try(challenges: readonly Challenge[]): Promise<Tried[]> {
    const tried: Tried[] = [];
    for (const [index, challenge] of challenges.entries()) {
      if (this.#lost !== undefined) {
        this.#leaveOut(challenge.name, this.#lost);
        this.isWhole = false;
        continue;
      }
      const played = await untilAborted(this.#play(challenge), this.options.signal);
      if (played === undefined) break;
      tried.push(played);
      // The last one may also end it later.
      if (index === challenges.length - 1 && !played.isDisturbed) await this.#endsWithin(TIME_TO_END_MS);
      const ended = this.#ended();
      if (ended !== undefined) await this.#blame(tried, ended);
      else if (played.isDisturbed) await this.#recover(challenge);
      this.options.onProgress?.(index + 1, challenges.length);
    }
    return tried;
  }

  async #play(challenge: Challenge): Promise<Tried & { readonly isDisturbed: boolean }> {
    const started = monotonicNow();
    const { pace } = this.unchanged;
    const played = await play(this.scenario, challenge, this.stage, pace);
    const judgement = judge(challenge, played, pace, this.#ended());
    const isDisturbed = judgement.finding !== undefined || !played.report.ok;
    return { challenge, judgement, isDisturbed, durationMs: elapsedSince(started, 1) };
  }

  /** The system under test has exited: if it does not when the newest is tried alone, the challenge before has caused it. */
  async #blame(tried: Tried[], ended: Ended): Promise<void> {
    const last = tried.pop() as Tried;
    await this.stage.system?.restart();
    const alone = await this.#play(last.challenge);
    const again = await this.#endsWithin(TIME_TO_END_MS);
    const cause = again === undefined ? (tried.at(-1) ?? last) : last;
    tried.push(cause === last ? last : alone);
    const { transcript } = cause.judgement.finding ?? alone.judgement.finding ?? {};
    const finding = endedFinding(this.unchanged.report, again ?? ended);
    cause.judgement = { finding: { ...finding, ...omitUndefined({ transcript }) } };
    await this.#recover(cause.challenge);
  }

  /** Starts the system under test again, or makes sure that the unchanged scenario still passes. */
  async #recover({ name }: Challenge): Promise<void> {
    const { scenario, stage, unchanged } = this;
    if (stage.system !== undefined) return stage.system.restart();
    const { report } = await play(scenario, UNCHANGED, stage, unchanged.pace);
    if (!report.ok)
      this.#lost = `the system under test did not recover from ${name}: the unchanged scenario ${scenario.name} now fails`;
  }

  #ended(): Ended | undefined {
    return this.stage.system?.ended();
  }

  async #endsWithin(ms: number): Promise<Ended | undefined> {
    const patienceMs = this.stage.system === undefined ? 0 : ms;
    for (let left = patienceMs; left > 0 && !this.#ended(); left -= LOOK_MS) await sleep(LOOK_MS);
    return this.#ended();
  }

  /** Undefined, with a note, for a challenge that had no effect. */
  #resultOf({ challenge, judgement: { notTried, finding }, durationMs }: Tried): ChallengeResult | undefined {
    const { name, kind, about } = challenge;
    if (notTried !== undefined) return void this.#leaveOut(name, notTried);
    const { why, remedy } = CHALLENGE_ROWS[kind];
    const verdict = finding === undefined ? "held" : this.#verdictOnBreak(name);
    return {
      ...{ name, scenario: this.scenario.name, ...omitUndefined({ file: this.scenario.file }) },
      ...{ held: verdict === "held", verdict, about, why, remedy, durationMs, ...finding },
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

  /** Fails the run for patterns of `survives` of which nothing was tried, unless the user skipped it. */
  #demand(survives: readonly string[]): void {
    for (const pattern of survives) {
      if (this.results.some(({ name }) => fitsAny([pattern], name))) continue;
      const { reason } = this.notTried.find(({ name }) => fitsAny([pattern], name)) ?? {};
      if (reason === SKIPPED) continue;
      this.isWhole = false;
      this.#leaveOut(pattern, `under survives, but ${reason ?? "no applicable challenge has this name"}`);
    }
  }
}

/** Whether a scenario itself controls what a challenge would change: it sets the entry, or opens and closes windows. */
function saysItself({ behaviour, steps }: Scenario, { behaviour: changed = {} }: Challenge): boolean {
  const own = [
    ...(typeof behaviour === "object" ? Object.keys(behaviour) : []),
    ...allSteps(steps).flatMap(({ kind, input }) => kind.behaviourKeys?.(input) ?? []),
  ];
  return Object.keys(changed).some((key) => own.some((beginning) => key.startsWith(beginning)));
}
