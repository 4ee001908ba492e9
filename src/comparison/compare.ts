/** Compares what the simulator and another address answer to the same scenarios. */
import { transportOf } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { Target } from "../scenarios/run.js";
import type { IgnoredPath } from "./differences.js";
import { type Matched, matchUp } from "./match-up.js";
import { type OtherSteps, otherSteps, tokensIn } from "./plan.js";
import type { Comparison, Omission, ScenarioComparison } from "./report.js";
import { type Candidates, propose, type Values } from "./search.js";
import { otherSide, type RunTrace, simulatorSide } from "./sides.js";

/** The other side: a real service, or another simulator. */
export interface Against {
  readonly url: string;
  /** Stands for the scenario's own token. */
  readonly token: string;
  /** Further tokens, by what the fixture calls them. */
  readonly tokens: Readonly<Record<string, string>>;
  /** How long an answer may take, ms of real time. */
  readonly timeoutMs: number;
}

/** A scenario as each side gets it: their parameters may differ. */
export interface ScenarioPair {
  readonly own: Scenario;
  readonly other: Scenario;
}

export interface CompareOptions {
  readonly ignored: readonly IgnoredPath[];
  readonly candidates: Candidates;
}

/** Nobody answered at the other address. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

interface Compared {
  readonly pair: ScenarioPair;
  readonly own: RunTrace;
  readonly other: RunTrace;
  readonly plan: OtherSteps;
}

/**
 * Runs scenarios on a simulator of its own, in the sandbox `default`, and sends their requests to another address, once.
 * Where the answers differ it looks for behaviour values that would make them agree, on the simulator alone.
 *
 * @throws Unreachable, UnusableScenario, SimError
 */
export async function compareScenarios(
  pairs: readonly ScenarioPair[],
  server: Target,
  against: Against,
  { ignored, candidates }: CompareOptions,
): Promise<Comparison> {
  const standardTokens = await tokensOf(server);
  // The simulator goes first: what it cannot use is never sent anywhere.
  const owns: RunTrace[] = [];
  for (const { own } of pairs) owns.push(await simulatorSide(own, server));
  const all: Compared[] = [];
  for (const [index, pair] of pairs.entries()) {
    const plan = otherSteps(pair.other, tokenMap(pair.other, standardTokens, against));
    const other = await otherSide(pair.other, against, plan);
    all.push({ pair, own: owns[index] as RunTrace, other, plan });
  }
  const answers = all.flatMap(({ other }) =>
    [...other.taken.values()].flatMap(({ recorded }) => recorded ?? []),
  );
  const [first] = answers;
  if (first !== undefined && answers.every(({ status }) => status === null))
    throw new Unreachable(`${against.url} answers nothing: ${first.problem}`);

  const scenarios = all.map((one) => comparisonOf(one, ignored));
  const trial = async (values: Values): Promise<Matched> => {
    const parts: Matched[] = [];
    for (const { pair, other } of all)
      parts.push(matchUp(await simulatorSide(pair.own, server, values), other, ignored));
    return merged(parts);
  };
  const start = merged(all.map(({ own, other }) => matchUp(own, other, ignored)));
  const proposal = start.distance === 0 ? null : await propose(trial, start, candidates, settingsOf(pairs));
  return { against: against.url, ok: scenarios.every(({ ok }) => ok), scenarios, proposal };
}

const merged = (parts: readonly Matched[]): Matched => ({
  compared: parts.reduce((sum, { compared }) => sum + compared, 0),
  differing: parts.flatMap(({ differing }) => differing),
  distance: parts.reduce((sum, { distance }) => sum + distance, 0),
});

function comparisonOf(
  { pair, own, other, plan }: Compared,
  ignored: readonly IgnoredPath[],
): ScenarioComparison {
  const { compared, differing } = matchUp(own, other, ignored);
  const notSent: Omission[] = plan.notSent.map(({ step, reason }) => ({
    name: step.name,
    place: step.place,
    reason,
  }));
  return {
    name: pair.own.name,
    ...(pair.own.file === undefined ? {} : { file: pair.own.file }),
    ok: differing.length === 0 && own.failures.length === 0,
    compared,
    differences: differing.map(({ difference }) => difference),
    notSent,
    failures: own.failures,
    unexpected: [...unexpectedOf("simulator", own), ...unexpectedOf("other", other)],
  };
}

const unexpectedOf = (side: "simulator" | "other", { taken }: RunTrace) =>
  [...taken.values()].flatMap(({ name, place, recorded }) =>
    recorded?.unexpected === undefined ? [] : [{ side, name, place, reason: recorded.unexpected }],
  );

/** Whether a scenario itself sets a behaviour key at its start. */
function settingsOf(pairs: readonly ScenarioPair[]): (key: string) => boolean {
  const given = pairs.flatMap(({ own: { behaviour } }) => (behaviour === undefined ? [] : [behaviour]));
  return (key) => given.some((behaviour) => typeof behaviour === "string" || Object.hasOwn(behaviour, key));
}

async function tokensOf(server: Target): Promise<string[]> {
  const tokens = await transportOf(server).call<{ id: string }[]>("GET", "/data/tokens");
  return tokens.map(({ id }) => id);
}

/** The other side's token for each that a scenario names. A name that is no token of the fixture means a token that nobody has. */
function tokenMap(
  scenario: Scenario,
  standardTokens: readonly string[],
  { token, tokens }: Against,
): (name: string) => string | undefined {
  const inFixture = (scenario.fixtures?.tokens ?? []) as { readonly id: string }[];
  const known = scenario.fixtures === undefined ? standardTokens : inFixture.map(({ id }) => id);
  const main = scenario.token ?? tokensIn(scenario).find((name) => known.includes(name));
  return (name) => {
    if (Object.hasOwn(tokens, name)) return tokens[name];
    if (name === main) return token;
    return known.includes(name) ? undefined : name;
  };
}
