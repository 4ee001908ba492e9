/** Which values of the behaviour table make the simulator answer as the other side did: each is set, and the scenarios are played again. */
import { isDeepStrictEqual } from "node:util";
import type { RunTrace } from "../../scenarios/trace.js";
import { otherValues } from "../../service/behaviour/alternatives.js";
import { changedIn, currentValue } from "../../service/behaviour/observed.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE, type BehaviourKey } from "../../service/behaviour/table.js";
import { answerForms, type Witness } from "./answer-forms.js";
import { decidedBy, isAnswerKey, type Matched, type MatchedCall, matchUp } from "./differences.js";
import type { SimulatorTrace, Values } from "./sides.js";

/** A scenario as the other side answered it, and how the simulator plays it. */
interface Played {
  readonly other: RunTrace;
  readonly play: (values: Values) => Promise<SimulatorTrace>;
}

interface ComparedRun {
  readonly matched: Matched;
  readonly consulted: readonly BehaviourKey[];
  readonly failures: RunTrace["failures"];
  /** What was consulted, with its value. */
  readonly at: readonly (readonly [key: string, value: string | undefined])[];
}

/** How all scenarios compare under some values. */
interface Outcome {
  readonly runs: readonly ComparedRun[];
  readonly distance: number;
}

interface Found {
  readonly values: Values;
  readonly outcome: Outcome;
}

/** A call by its scenario's index, and its step. */
interface Place {
  readonly scenario: number;
  readonly step: string;
}

/** An entry with the value that would explain an answer, if one is known. */
export interface Explanation {
  readonly key: BehaviourKey;
  readonly value?: unknown;
}

/** A call that shows the value of an entry, and in which fields. */
type Proof = Place & { readonly fields: readonly string[] };

interface Proofs {
  readonly observed: ReadonlyMap<BehaviourKey, readonly Proof[]>;
  /** For each call that differs at first, what would explain it. */
  readonly explanations: readonly (Place & Explanation)[];
}

/** Plays scenarios under values; a run that would consult the same values of the same entries is not repeated. */
export class Replay {
  readonly #kept: ComparedRun[][];

  constructor(readonly played: readonly Played[]) {
    this.#kept = played.map(() => []);
  }

  async under(values: Values): Promise<Outcome> {
    const runs: ComparedRun[] = [];
    for (const index of this.played.keys()) runs.push(await this.#one(index, values));
    return { runs, distance: runs.reduce((sum, { matched }) => sum + matched.distance, 0) };
  }

  async #one(index: number, values: Values): Promise<ComparedRun> {
    const { play, other } = this.played[index] as Played;
    const list = this.#kept[index] as ComparedRun[];
    const known = list.find(({ at }) => at.every(([key, value]) => JSON.stringify(values[key]) === value));
    if (known !== undefined) return known;
    const trace = await play(values);
    const { consulted, failures } = trace;
    const at = consulted.map((key) => [key, JSON.stringify(values[key])] as const);
    list.push({ at, consulted, failures, matched: matchUp(trace, other) });
    return list.at(-1) as ComparedRun;
  }
}

export const callsOf = ({ runs }: Outcome): (Place & { readonly call: MatchedCall })[] =>
  runs.flatMap(({ matched }, scenario) =>
    [...matched.calls].map(([step, call]) => ({ scenario, step, call })),
  );

export const callAt = ({ runs }: Outcome, { scenario, step }: Place): MatchedCall | undefined =>
  runs[scenario]?.matched.calls.get(step);

const agreesIn = (outcome: Outcome, place: Place): boolean => callAt(outcome, place)?.fields.length === 0;

/** The calls that differ in one outcome, and agree in another. */
const lostIn = (outcome: Outcome, than: Outcome) =>
  callsOf(outcome).filter((one) => one.call.fields.length > 0 && agreesIn(than, one));

/** The calls whose answer on the simulator an entry decided. GraphQL has a form of its own for answers of the table. */
const witnessesOf = (key: string, outcome: Outcome): (Place & Witness)[] =>
  callsOf(outcome).flatMap(({ call: { here, there }, ...place }) => {
    const [own, other] = [here?.recorded, there.recorded];
    const isOne = own !== undefined && other !== undefined && decidedBy(own) === key;
    return isOne && !own.call.endsWith("/graphql") ? [{ ...place, own, other }] : [];
  });

const consults = (outcome: Outcome, key: BehaviourKey, isRelevant = (_: ComparedRun) => true): boolean =>
  // Only receivers of deliveries see what entries about events decide.
  !BEHAVIOUR_TABLE[key].section.startsWith("Events") &&
  outcome.runs.some((run) => isRelevant(run) && run.consulted.includes(key));

/** The values worth trying for an entry. */
function candidates(key: BehaviourKey, values: Values, outcome: Outcome): readonly unknown[] {
  const current = currentValue(key, values);
  if (!isAnswerKey(key)) return otherValues(key, BEHAVIOUR_TABLE[key], current).values;
  const forms = answerForms(witnessesOf(key, outcome)).map(({ value }) => value);
  return [BEHAVIOUR_TABLE[key].default, ...forms].filter((value) => !isDeepStrictEqual(value, current));
}

/** Values under which the simulator comes as close to the other side as single changes lead. */
export async function search(replay: Replay, base: Values): Promise<Found> {
  let found: Found = { values: base, outcome: await replay.under(base) };
  const improve = async (key: BehaviourKey): Promise<void> => {
    const { values: before, outcome } = found;
    for (const value of candidates(key, before, outcome)) {
      const values = { ...before, [key]: value };
      const tried = await replay.under(values);
      if (tried.distance < found.outcome.distance) found = { values, outcome: tried };
    }
  };
  let before = Number.POSITIVE_INFINITY;
  while (found.outcome.distance < before) {
    before = found.outcome.distance;
    // Policies come before answers: copying a refusal must not hide its reason.
    for (const isAnswer of [false, true])
      for (const key of BEHAVIOUR_KEYS)
        if (
          isAnswerKey(key) === isAnswer &&
          consults(found.outcome, key, ({ matched }) => matched.distance > 0)
        )
          await improve(key);
  }
  for (const key of changedIn(found.values, base)) {
    const values = { ...found.values, [key]: currentValue(key, base) };
    const outcome = await replay.under(values);
    if (outcome.distance <= found.outcome.distance) found = { values, outcome };
  }
  return found;
}

/** Which of the found values are certain: every other value, with whatever could make up for it, answers otherwise. */
export async function prove(replay: Replay, base: Values, { values, outcome }: Found): Promise<Proofs> {
  const observed = new Map<BehaviourKey, Proof[]>();
  const explanations: (Place & Explanation)[] = [];
  const rivals = new Set<BehaviourKey>();
  const proofsOf = async (key: BehaviourKey, value: unknown): Promise<Proof[] | undefined> => {
    const changed = { ...values, [key]: value };
    const tried = await replay.under(changed);
    const lost = lostIn(tried, outcome);
    let isCertain = lost.length > 0 && tried.distance > outcome.distance;
    const deciding = new Set(lost.map(({ call }) => decidedBy(call.here?.recorded)));
    for (const rival of BEHAVIOUR_KEYS.filter((one) => one !== key && deciding.has(one)))
      for (const instead of candidates(rival, changed, tried)) {
        const both = await replay.under({ ...changed, [rival]: instead });
        if (both.distance > outcome.distance) continue;
        isCertain = false;
        rivals.add(rival);
        for (const { scenario, step } of lost)
          explanations.push({ scenario, step, key: rival, value: instead });
      }
    return isCertain
      ? lost.map(({ call: { fields }, ...place }) => ({ ...place, fields: fields.map(({ path }) => path) }))
      : undefined;
  };
  for (const key of BEHAVIOUR_KEYS.filter((one) => consults(outcome, one))) {
    const value = currentValue(key, values);
    if (isAnswerKey(key)) {
      const agreeing = witnessesOf(key, outcome).filter((place) => agreesIn(outcome, place));
      const isDefault = isDeepStrictEqual(value, BEHAVIOUR_TABLE[key].default);
      const forms = answerForms(agreeing).filter((form) => isDeepStrictEqual(form.value, value));
      if (agreeing.length > 0 && (isDefault || forms.some(({ isCertain }) => isCertain)))
        observed.set(
          key,
          agreeing.map(({ scenario, step }) => ({ scenario, step, fields: ["status"] })),
        );
      continue;
    }
    const { values: others, areAll } = otherValues(key, BEHAVIOUR_TABLE[key], value);
    const proofs: (Proof[] | undefined)[] = [];
    for (const other of others) proofs.push(await proofsOf(key, other));
    if (areAll && !proofs.includes(undefined))
      observed.set(
        key,
        proofs.flatMap((all) => all ?? []),
      );
  }
  for (const rival of rivals) observed.delete(rival);
  for (const key of changedIn(values, base)) {
    const before = await replay.under({ ...values, [key]: currentValue(key, base) });
    for (const { scenario, step } of lostIn(before, outcome))
      explanations.push({ scenario, step, key, value: values[key] });
  }
  return { observed, explanations };
}
