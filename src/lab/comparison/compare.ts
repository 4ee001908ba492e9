/** Sends scenarios to another address once, plays them on the simulator as often as needed, and says where and why they differ. */

import type { ProfileName } from "../../kernel/names.js";
import { omitUndefined } from "../../kernel/objects.js";
import { transportTo } from "../../scenarios/http.js";
import { resetSandbox } from "../../scenarios/prepare.js";
import type { Scenario } from "../../scenarios/read.js";
import { type BehaviourValues, PROFILES } from "../../service/behaviour/table.js";
import type { MatchedCall } from "./differences.js";
import { prove, replaying, search } from "./explain.js";
import { type Against, OtherSide, otherSideFailed } from "./other-side.js";
import { look, type ProbeScope, undo, worldLike } from "./probes.js";
import { comparisonOf } from "./report.js";
import { type OwnSimulator, type Sent, sendTo } from "./sides.js";
import { type EntryValues, observedSince } from "./values.js";

interface ComparisonOptions {
  readonly server: OwnSimulator;
  readonly against: Against;
  /** What probes may use; undefined if the scenarios are no probes. */
  readonly scope: ProbeScope | undefined;
  /** The behaviour file of an earlier comparison, from whose values the simulator starts. */
  readonly expected: { readonly file: string; readonly values: Partial<BehaviourValues> } | undefined;
  /** Is told what could not be undone. */
  readonly tell: (line: string) => void;
}

/** @throws UnusableDocument, SimError, the reason of the end */
export async function compareScenarios(scenarios: readonly Scenario[], options: ComparisonOptions) {
  const { against, server, expected } = options;
  const set = scenarios.map(({ behaviour }) =>
    typeof behaviour === "string" ? PROFILES[behaviour as ProfileName] : behaviour,
  );
  const base: EntryValues = Object.assign({}, PROFILES.documented, ...set, expected?.values);
  const other = new OtherSide(against);
  const sending = sendAll(scenarios, other, base, options);
  const replay = replaying(await sending.finally(() => other.close()), server);
  const start = await replay(base);
  refuseUselessAnswers(start.calls, other);
  const found = await search(replay, base);
  const proofs = await prove(replay, base, found);
  const since = expected && observedSince(expected.file, expected.values, found.values);
  return comparisonOf(other, start, found, proofs, since);
}

/** Sends all scenarios. Whatever happens, what a probe has changed is set back before the next one. @throws the reason of the end */
async function sendAll(
  scenarios: readonly Scenario[],
  other: OtherSide,
  base: EntryValues,
  { server, against, scope, tell }: ComparisonOptions,
): Promise<readonly Sent[]> {
  const fixture = await transportTo(server).call<Parameters<typeof worldLike>[0]>("GET", "/state");
  const before = scope && (await look(other, scope));
  let shown = before;
  const all: Sent[] = [];
  for (const named of scenarios) {
    against.ended.signal.throwIfAborted();
    const fixtures = scope && shown ? worldLike(fixture, shown, scope) : named.fixtures;
    const tokens = ((fixtures ?? fixture).tokens ?? []) as readonly { readonly id: string }[];
    const token = named.token ?? tokens[0]?.id;
    const scenario: Scenario = { ...named, ...omitUndefined({ fixtures, token }) };
    const none = tokens.map(({ id }) => [id, undefined] as const);
    const counterparts = { ...Object.fromEntries(none), [token ?? ""]: against.token, ...against.tokens };
    // An unusable scenario is never sent anywhere.
    await resetSandbox({ ...scenario, behaviour: base }, server);
    try {
      all.push(await sendTo(other, scenario, counterparts));
    } finally {
      // What could not be undone is different from now on.
      if (named.probe?.writes && scope && before) shown = await undo(other, scope, before, tell);
    }
  }
  against.ended.signal.throwIfAborted();
  return all;
}

/**
 * @throws UnusableDocument if the other side answered no call, or answers 401 to every call with one of the given tokens: agreeing
 * on that would say nothing
 */
function refuseUselessAnswers(calls: readonly MatchedCall[], { name, against }: OtherSide): void {
  const answers = calls.map(({ there }) => there).filter(({ call }) => call !== undefined);
  if (answers.length > 0 && answers.every(({ status }) => status === null))
    throw otherSideFailed("against", `${name} does not respond: ${answers[0]?.problem}`);
  const named = Object.entries(against.tokens).map(([one, value]) => [`token-for ${one}`, value] as const);
  for (const [option, sent] of [["token", against.token] as const, ...named]) {
    const made = answers.filter(({ token }) => token === sent);
    if (made.length > 0 && made.every(({ status }) => status === 401))
      throw otherSideFailed(option, `${name} refuses the token: 401 for ${made[0]?.call}`);
  }
}
