/** Which values of the behaviour table make the simulator answer as the other side did: each is set, and the scenarios are played again. */
import { isDeepStrictEqual } from "node:util";
import { Http } from "../../scenarios/http.js";
import type { AnswerTemplate } from "../../service/behaviour/entry.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE, type BehaviourKey } from "../../service/behaviour/table.js";
import { decidedBy, isAnswerKey, isRefusal, isTelling, type MatchedCall, matchUp } from "./differences.js";
import { type OwnSimulator, type Sent, simulatorTrace, type TracedStep } from "./sides.js";
import { changedIn, type EntryValues, otherValues } from "./values.js";

type Replay = ReturnType<typeof replaying>;
/** How all scenarios compare under some values. The calls are those of all runs, in the same order under any values. */
export type ComparedRuns = Awaited<ReturnType<Replay>>;
type ComparedRun = ComparedRuns["runs"][number];

/** Plays what was sent on the simulator, under any values. A run that would consult the same values is not repeated. */
export function replaying(all: readonly Sent[], server: OwnSimulator) {
  const http = new Http({ isOwn: server.isOwn });
  const play = async (values: EntryValues, sent: Sent) => {
    const trace = await simulatorTrace(sent.scenario, server, values, http);
    return { ...trace, sent, values, ...matchUp(trace, sent) };
  };
  const known: Awaited<ReturnType<typeof play>>[] = [];
  return async (values: EntryValues) => {
    const runs: typeof known = [];
    for (const sent of all) {
      // An entry that a run did not consult would have changed none of its answers.
      const isKnown = (run: (typeof known)[number]) =>
        run.sent === sent && run.consulted.every((key) => isDeepStrictEqual(run.values[key], values[key]));
      let run = known.find(isKnown);
      if (run === undefined) known.push((run = await play(values, sent)));
      runs.push(run);
    }
    const distance = runs.reduce((sum, run) => sum + run.distance, 0);
    return { values, runs, calls: runs.flatMap(({ calls }) => calls), distance };
  };
}

/** The calls that differ in one outcome, and agree in another. */
const lostIn = (outcome: ComparedRuns, than: ComparedRuns): MatchedCall[] =>
  outcome.calls.filter(({ fields }, index) => fields.length > 0 && than.calls[index]?.fields.length === 0);

/** The calls whose answer on the simulator an entry decided. GraphQL has a form of its own for answers of the table. */
const decidedCalls = (key: string, { calls }: ComparedRuns): MatchedCall[] =>
  calls.filter(({ here }) => decidedBy(here) === key && !here?.call?.endsWith("/graphql"));

const consultedIn = (runs: readonly ComparedRun[], key: BehaviourKey): boolean =>
  // Only receivers of deliveries see what entries about events decide.
  !BEHAVIOUR_TABLE[key].section.startsWith("Events") && runs.some(({ consulted }) => consulted.includes(key));

/** The values worth trying for an entry. */
function candidates(key: BehaviourKey, outcome: ComparedRuns): readonly unknown[] {
  const current = outcome.values[key];
  if (!isAnswerKey(key)) return otherValues(key, current);
  const all = [BEHAVIOUR_TABLE[key].default, ...answersTo(decidedCalls(key, outcome))];
  return all.filter((value) => !isDeepStrictEqual(value, current));
}

/** The outcome that is as close to the other side as changes of single values lead. */
export async function search(replay: Replay, base: EntryValues): Promise<ComparedRuns> {
  let found = await replay(base);
  let before = Number.POSITIVE_INFINITY;
  while (found.distance < before) {
    before = found.distance;
    // The table has policies before answers: copying a refusal must not hide its reason.
    for (const key of BEHAVIOUR_KEYS) {
      const differing = found.runs.filter(({ distance }) => distance > 0);
      for (const value of consultedIn(differing, key) ? candidates(key, found) : []) {
        const tried = await replay({ ...found.values, [key]: value });
        if (tried.distance < found.distance) found = tried;
      }
    }
  }
  for (const key of changedIn(found.values, base)) {
    const without = await replay({ ...found.values, [key]: base[key] });
    if (without.distance <= found.distance) found = without;
  }
  return found;
}

/** Which of the found values are certain: every other value, with whatever could make up for it, answers otherwise. */
export async function prove(replay: Replay, base: EntryValues, found: ComparedRuns) {
  const { values, distance, runs } = found;
  /** The calls that show the value of an entry. */
  const observed = new Map<BehaviourKey, readonly MatchedCall[]>();
  /** For each call that differs at first, what would explain it. */
  const explanations: { there: TracedStep; key: BehaviourKey; value: unknown }[] = [];
  const rivals = new Set<BehaviourKey>();
  const explain = (calls: readonly MatchedCall[], key: BehaviourKey, value: unknown) =>
    explanations.push(...calls.map(({ there }) => ({ there, key, value })));

  for (const key of BEHAVIOUR_KEYS.filter((one) => consultedIn(runs, one))) {
    const value = values[key];
    let proofs: MatchedCall[] = [];
    if (isAnswerKey(key)) {
      const agreeing = decidedCalls(key, found).filter(({ fields }) => fields.length === 0);
      const isDefault = isDeepStrictEqual(value, BEHAVIOUR_TABLE[key].default);
      if (isDefault || isConstant(value as AnswerTemplate, agreeing)) proofs = agreeing;
    } else {
      for (const other of otherValues(key, value)) {
        const tried = await replay({ ...values, [key]: other });
        const lost = tried.distance > distance ? lostIn(tried, found) : [];
        // An entry that decides these calls in its place, and can win them back, is a rival.
        const deciding = new Set(lost.flatMap(({ here }) => decidedBy(here) ?? []));
        deciding.delete(key);
        for (const rival of deciding)
          for (const instead of candidates(rival, tried)) {
            const both = await replay({ ...tried.values, [rival]: instead });
            if (both.distance > distance) continue;
            rivals.add(key).add(rival);
            explain(lost, rival, instead);
          }
        proofs = lost.length === 0 ? [] : [...proofs, ...lost];
        if (lost.length === 0) break;
      }
    }
    if (proofs.length > 0) observed.set(key, proofs);
  }
  for (const rival of rivals) observed.delete(rival);
  for (const key of changedIn(values, base)) {
    const without = await replay({ ...values, [key]: base[key] });
    explain(lostIn(without, found), key, values[key]);
  }
  return { observed, explanations };
}

export type Proofs = Awaited<ReturnType<typeof prove>>;

/** The answers of the other side as values of an entry; none where only one side refuses. */
const answersTo = (calls: readonly MatchedCall[]): AnswerTemplate[] =>
  calls.flatMap(({ here, there }) =>
    here === undefined || there.status == null || isRefusal(here) !== isRefusal(there)
      ? []
      : [{ status: there.status, body: there.body ?? null }],
  );

/** Whether different calls got the very same answer, without an id or a text of their own in it. */
function isConstant(answer: AnswerTemplate, calls: readonly MatchedCall[]): boolean {
  const body = JSON.stringify(answer.body);
  const sent = calls.map(({ here }) => `${here?.call} ${JSON.stringify(here?.sent)}`);
  const own = sent.flatMap((text) => text.match(/[\w-]*[\d_-][\w-]*|(?<=:")[^"]+/g) ?? []);
  return (
    new Set(sent).size > 1 &&
    !own.some((part) => isTelling(part) && body.includes(part)) &&
    answersTo(calls).every((one) => isDeepStrictEqual(one, answer))
  );
}
