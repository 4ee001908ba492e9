/** Compares the answers of the simulator and of another address to the same scenarios. */

import { isObject, mapLeaves } from "../../kernel/json.js";
import { maskedAddress } from "../../kernel/masking.js";
import { omitUndefined } from "../../kernel/objects.js";
import type { Target } from "../../scenarios/http.js";
import { transportTo } from "../../scenarios/http.js";
import type { Scenario } from "../../scenarios/read.js";
import type { TracedCall } from "../../scenarios/trace.js";
import type { IgnoredPath, Matched } from "./differences.js";
import { isSuccess, matchUp } from "./differences.js";
import type { Comparison, Omission, Proposal, ScenarioComparison } from "./report.js";
import type { RunTrace } from "./trace.js";
import { otherSteps, otherTrace, simulatorTrace, tokensIn } from "./trace.js";

const UNAUTHORIZED = 401;

/** The other side: a real service, or another simulator. */
export interface Against {
  readonly url: string;
  /** Sent in place of the scenario's own token. */
  readonly token: string;
  /** Further tokens, by what the fixture calls them. */
  readonly tokens: Readonly<Record<string, string>>;
  /** How long an answer may take, ms of real time. */
  readonly timeoutMs: number;
}

/** A scenario for each side: their parameters may differ. */
interface ScenarioPair {
  readonly own: Scenario;
  readonly other: Scenario;
}

/** The other address does not answer, or refuses a token. */
export class OtherSideFailed extends Error {
  override readonly name = "OtherSideFailed";

  /** @param option the option that gives the address or the token */
  constructor(
    readonly option: string,
    message: string,
  ) {
    super(message);
  }
}

/** A scenario on both sides. */
interface Compared {
  readonly pair: ScenarioPair;
  readonly own: RunTrace;
  readonly other: RunTrace;
  readonly notSent: readonly Omission[];
}

/**
 * Runs scenarios in the sandbox `default` of a simulator, and sends their requests once to another address. If answers
 * differ, it searches for behaviour values that make the simulator agree.
 *
 * @throws OtherSideFailed, UnusableScenario, SimError
 */
export async function compareScenarios(
  pairs: readonly ScenarioPair[],
  server: Target,
  against: Against,
  { ignored, candidates }: { readonly ignored: readonly IgnoredPath[]; readonly candidates: Candidates },
): Promise<Comparison> {
  const records = await transportTo(server).call<{ id: string }[]>("GET", "/data/tokens");
  const serverTokens = records.map(({ id }) => id);
  // The simulator goes first: an unusable scenario is never sent anywhere.
  const owns: RunTrace[] = [];
  for (const { own } of pairs) owns.push(await simulatorTrace(own, server));
  const all: Compared[] = [];
  for (const [index, own] of owns.entries()) {
    const pair = pairs[index] as ScenarioPair;
    const { steps, notSent } = otherSteps(pair.other, tokenMap(pair.other, serverTokens, against));
    all.push({ pair, own, other: await otherTrace(pair.other, against, steps), notSent });
  }
  refuseUselessAnswers(all, against);

  const evaluate = async (values: Values): Promise<Matched> => {
    const parts: Matched[] = [];
    for (const { pair, other } of all)
      parts.push(matchUp(await simulatorTrace(pair.own, server, values), other, ignored));
    return merged(parts);
  };
  const matches = all.map(({ own, other }) => matchUp(own, other, ignored));
  const scenarios = all.map((one, index) => comparisonOf(one, matches[index] as Matched));
  const start = merged(matches);
  const proposal =
    start.distance === 0 ? null : await propose(evaluate, start, candidates, (key) => isSet(key, pairs));
  return { against: maskedAddress(against.url), ok: scenarios.every(({ ok }) => ok), scenarios, proposal };
}

/**
 * @throws OtherSideFailed if the other side answered no call, or answers 401 to every call with one of the given tokens but
 * the simulator does not: no behaviour explains that
 */
function refuseUselessAnswers(all: readonly Compared[], { url, token, tokens }: Against): void {
  const address = maskedAddress(url);
  const calls = all.flatMap(({ own, other }) =>
    [...other.steps].flatMap(([key, { recorded }]) =>
      recorded === undefined ? [] : { ...recorded, ownStatus: own.steps.get(key)?.recorded?.status },
    ),
  );
  const [any] = calls;
  if (any !== undefined && calls.every(({ status }) => status === null))
    throw new OtherSideFailed("against", `${address} does not respond: ${any.problem}`);
  const named = Object.entries(tokens).map(([name, value]) => [`token-for ${name}`, value] as const);
  for (const [option, sent] of [["token", token] as const, ...named]) {
    const withToken = calls.filter((call) => call.token === sent && call.ownStatus !== UNAUTHORIZED);
    const [first] = withToken;
    if (first === undefined || withToken.some(({ status }) => status !== UNAUTHORIZED)) continue;
    const many = withToken.length === 1 ? "" : ` and ${withToken.length - 1} more`;
    throw new OtherSideFailed(option, `${address} refuses the token: 401 for ${first.call}${many}`);
  }
}

const merged = (parts: readonly Matched[]): Matched => ({
  compared: parts.reduce((sum, { compared }) => sum + compared, 0),
  differing: parts.flatMap(({ differing }) => differing),
  distance: parts.reduce((sum, { distance }) => sum + distance, 0),
});

const comparisonOf = (
  { pair, own, other, notSent }: Compared,
  { compared, differing }: Matched,
): ScenarioComparison => ({
  name: pair.own.name,
  ...omitUndefined({ file: pair.own.file }),
  ok: differing.length === 0 && own.failures.length === 0,
  compared,
  differences: differing.map(({ difference }) => difference),
  notSent,
  failures: own.failures,
  unexpected: [...unexpectedIn(own, "simulator"), ...unexpectedIn(other, "other")],
});

const unexpectedIn = ({ steps }: RunTrace, side: "simulator" | "other") =>
  [...steps.values()].flatMap(({ name, place, unexpected: reason }) =>
    reason === undefined ? [] : [{ side, name, place, reason }],
  );

/** Whether a scenario's start sets a behaviour key. */
const isSet = (key: string, pairs: readonly ScenarioPair[]): boolean =>
  pairs.some(
    ({ own: { behaviour } }) =>
      typeof behaviour === "string" || (behaviour !== undefined && Object.hasOwn(behaviour, key)),
  );

/** Maps the scenario's tokens to the other side's. An unknown token is sent as it is: it is meant to be refused. */
function tokenMap(
  scenario: Scenario,
  serverTokens: readonly string[],
  { token, tokens }: Against,
): (name: string) => string | undefined {
  const inFixture = scenario.fixtures?.tokens as readonly { readonly id: string }[] | undefined;
  const known = scenario.fixtures === undefined ? serverTokens : (inFixture ?? []).map(({ id }) => id);
  const main = scenario.token ?? tokensIn(scenario).find((name) => known.includes(name));
  return (name) => {
    if (Object.hasOwn(tokens, name)) return tokens[name];
    if (name === main) return token;
    return known.includes(name) ? undefined : name;
  };
}

type Values = Readonly<Record<string, unknown>>;

export interface Candidates {
  /** Entries with values that can be listed. */
  readonly policies: readonly {
    readonly key: string;
    readonly default: unknown;
    /** Values to try instead, nearest first. */
    readonly alternatives: (current: unknown) => readonly unknown[];
  }[];
  /** Entries whose value is a whole answer, which can be copied from the other side. */
  readonly answers: readonly string[];
}

/** A shorter text may occur in an answer by chance. */
const MIN_ECHO = 3;

/**
 * @param evaluate runs every scenario on the simulator with these values, and compares it with the other side
 * @param start the comparison without any value
 * @param isSet whether a scenario sets a key itself, so that the default is worth trying too
 */
async function propose(
  evaluate: (values: Values) => Promise<Matched>,
  start: Matched,
  candidates: Candidates,
  isSet: (key: string) => boolean,
): Promise<Proposal | null> {
  let values: Values = {};
  let best = start;
  const improve = async (key: string, alternatives: readonly unknown[]): Promise<void> => {
    const before = values;
    for (const value of alternatives) {
      const tried = { ...before, [key]: value };
      const matched = await evaluate(tried);
      if (matched.distance < best.distance) [values, best] = [tried, matched];
      if (matched.distance === 0) break;
    }
  };

  for (let before = Number.POSITIVE_INFINITY; best.distance > 0 && best.distance < before; ) {
    before = best.distance;
    // Policies come before answers: copying a refusal must not hide its reason.
    for (const { key, default: initial, alternatives } of candidates.policies) {
      const { [key]: current = initial } = values;
      const isOpen = isSet(key) && values[key] === undefined;
      if (best.distance > 0) await improve(key, [...(isOpen ? [initial] : []), ...alternatives(current)]);
    }
    for (const key of candidates.answers) await improve(key, answersFor(key, best));
  }

  for (const key of Object.keys(values)) {
    const { [key]: _, ...others } = values;
    const matched = await evaluate(others);
    if (matched.distance <= best.distance) [values, best] = [others, matched];
  }
  if (Object.keys(values).length === 0) return null;
  return {
    values,
    complete: best.distance === 0,
    remaining: best.differing.length,
    uncertain: start.differing.some(({ difference }) => difference.after.length > 0),
  };
}

/** The other side's answers where this entry decided the simulator's: verbatim, then with placeholders for what they echo. */
function answersFor(key: string, { differing }: Matched): unknown[] {
  const usable = differing.flatMap(({ difference, own, other }) =>
    difference.behaviour === key && own && other && isUsable(own, other) ? other : [],
  );
  const plain = usable.map(({ status, body = null }) => ({ status, body }));
  const general = usable.map((other) => ({ status: other.status, body: withEchoes(other) ?? null }));
  return [...new Map([...plain, ...general].map((answer) => [JSON.stringify(answer), answer])).values()];
}

/** Whether the table can hold an answer instead of the simulator's own. */
const isUsable = (own: TracedCall, { status, body = null }: TracedCall): boolean =>
  status !== null &&
  status >= 200 &&
  status <= 599 &&
  isSuccess(own) === isSuccess({ status }) &&
  !JSON.stringify(body).includes("${");

/** The body with placeholders for fields of the request that it echoes. */
function withEchoes({ sent, body }: TracedCall): unknown {
  if (!isObject(sent) || body === undefined) return body;
  const echoes = Object.entries(sent).flatMap(([key, value]) =>
    typeof value === "string" && value.length >= MIN_ECHO && /^\w+$/.test(key) ? [{ key, value }] : [],
  );
  return mapLeaves(body, (part) =>
    typeof part === "string"
      ? echoes.reduce((text, { key, value }) => text.replaceAll(value, `\${request.${key}}`), part)
      : part,
  );
}
