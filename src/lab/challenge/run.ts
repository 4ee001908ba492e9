/** Runs scenarios unchanged, and then with every challenge that is relevant for the system under test. */
import { omitUndefined } from "../../kernel/objects.js";
import { elapsedSince, monotonicNow } from "../../kernel/realtime.js";
import { transcriptsOf } from "../../scenarios/evidence.js";
import type { Scenario } from "../../scenarios/read.js";
import { UniqueNames } from "../../scenarios/reporters.js";
import { allSteps } from "../../scenarios/step.js";
import type { Judgement } from "./judge.js";
import { endedFinding, judge } from "./judge.js";
import { observedIn } from "./observe.js";
import type { Ended, Pace, Played, Stage } from "./play.js";
import { paceOf, play, UNKNOWN_PACE } from "./play.js";
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
  /** Is told which of how many challenges begins. */
  readonly onProgress?: (number: number, total: number) => void;
}

/** @throws UnusableDocument, SimError, and what starting the system under test throws */
export async function runChallenges(
  scenarios: readonly Scenario[],
  options: ChallengeOptions,
): Promise<ChallengeReport> {
  const runs: ChallengedScenario[] = [];
  // Results, reports and lists of known breaks tell scenarios apart by name.
  const names = new UniqueNames();
  try {
    for (const each of scenarios) {
      const scenario = { ...each, name: names.next(each.name) };
      const stage = await options.stage(scenario);
      const unchanged = await play(scenario, {}, stage, UNKNOWN_PACE);
      if (options.signal?.aborted) break;
      const run = new ChallengedScenario(scenario, stage, unchanged, options);
      runs.push(run);
      await run.challenge();
    }
  } catch (error) {
    if (!options.signal?.aborted) throw error;
  }
  const challenges = runs.flatMap(({ results }) => results);
  const isWhole = runs.every(({ unchanged, lost }) => unchanged.report.ok && lost === undefined);
  return {
    ok: isWhole && !options.signal?.aborted && challenges.every(({ verdict }) => verdict !== "broke"),
    challenges,
    notTried: runs.flatMap(({ notTried }) => notTried),
    unchanged: runs.map(({ unchanged }) => unchanged.report),
    durationMs: runs.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
}

interface Tried {
  readonly challenge: Challenge;
  judgement: Judgement;
  readonly ended: Ended | undefined;
  readonly isDisturbed: boolean;
  readonly durationMs: number;
}

class ChallengedScenario {
  results: readonly ChallengeResult[] = [];
  readonly notTried: NotTried[] = [];
  durationMs = 0;
  /** Why the system under test could not be challenged any more. */
  lost: string | undefined;
  readonly #tried: Tried[] = [];
  /** How many of these the system under test, as it runs now, was not there for. */
  #triedBefore = 0;
  readonly #pace: Pace;

  constructor(
    private readonly scenario: Scenario,
    private readonly stage: Stage,
    readonly unchanged: Played,
    private readonly options: ChallengeOptions,
  ) {
    this.#pace = paceOf(unchanged);
  }

  /** Runs the scenario with all relevant challenges, as long as the system under test recovers. If it fails unchanged, they prove nothing. */
  async challenge(): Promise<void> {
    const { scenario, unchanged, options } = this;
    if (!unchanged.report.ok) return;
    const started = monotonicNow();
    const relevant = challengesFor(await observedIn(scenario, unchanged));
    const challenges = relevant.filter((each) => this.#isSelected(each));
    try {
      for (const [index, challenge] of challenges.entries()) {
        options.onProgress?.(index + 1, challenges.length);
        await this.#try(challenge);
        if (options.signal?.aborted) break;
      }
    } finally {
      this.durationMs = elapsedSince(started, 1);
      this.results = this.#tried.flatMap((one) => this.#resultOf(one) ?? []);
    }
  }

  async #try(challenge: Challenge): Promise<void> {
    if (this.lost !== undefined) return this.#leaveOut(challenge.name, this.lost);
    const before = this.#tried.slice(this.#triedBefore).at(-1);
    let played = await this.#play(challenge);
    if (this.options.signal?.aborted) return;
    const { ended } = played;
    if (ended !== undefined && before !== undefined) {
      // If it does not end when the challenge is tried alone, the one before has caused it.
      await this.#recover(challenge);
      played = await this.#play(challenge);
      if (played.ended === undefined)
        before.judgement = { finding: endedFinding(this.unchanged.report, ended) };
    }
    this.#tried.push(played);
    if (played.isDisturbed) await this.#recover(challenge);
  }

  /** Whether a challenge is to be tried. If it is left out, that is noted with the reason. */
  #isSelected(challenge: Challenge): boolean {
    const { only, skip } = this.options;
    const { name } = challenge;
    if (only.length > 0 && !fitsAny(only, name)) return false;
    const itself = saysItself(this.scenario, challenge) ? "the scenario controls this itself" : undefined;
    const reason = fitsAny(skip, name) ? "--skip" : (challenge.notTried ?? itself);
    if (reason !== undefined) this.#leaveOut(name, reason);
    return reason === undefined;
  }

  async #play(challenge: Challenge): Promise<Tried> {
    const started = monotonicNow();
    const played = await play(this.scenario, challenge, this.stage, this.#pace);
    const ended = this.stage.system?.ended();
    const { notTried, finding } = judge(challenge, played, this.#pace, ended);
    const threads = new Set(played.report.steps.flatMap(({ said }) => said?.thread ?? []));
    const told = finding && { ...finding, transcript: await transcriptsOf(played.transport, threads) };
    const isDisturbed = finding !== undefined || !played.report.ok;
    return {
      ...{ challenge, judgement: omitUndefined({ notTried, finding: told }) },
      ...{ ended, isDisturbed, durationMs: elapsedSince(started, 1) },
    };
  }

  /** Starts the system under test again, or makes sure that the unchanged scenario still passes. */
  async #recover({ name }: Challenge): Promise<void> {
    const { scenario, stage } = this;
    this.#triedBefore = this.#tried.length;
    if (stage.system !== undefined) return stage.system.restart();
    const { report } = await play(scenario, {}, stage, this.#pace);
    if (!report.ok)
      this.lost = `your program did not recover from ${name}: the unchanged scenario ${scenario.name} now fails`;
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
}

/** Whether a scenario itself controls what a challenge would change: it sets the entry, or opens and closes windows. */
function saysItself({ behaviour, steps }: Scenario, { behaviour: changed = {} }: Challenge): boolean {
  const own = [
    ...(typeof behaviour === "object" ? Object.keys(behaviour) : []),
    ...allSteps(steps).flatMap(({ kind, input }) => kind.behaviourKeys?.(input) ?? []),
  ];
  return Object.keys(changed).some((key) => own.some((beginning) => key.startsWith(beginning)));
}
