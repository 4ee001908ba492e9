/** Finds the behaviour values with which the simulator does what was recorded, and how certain each is. */

import { isObject } from "../../kernel/json.js";
import { UnusableDocument } from "../../kernel/problems.js";
import { isoOf, monotonicNow } from "../../kernel/realtime.js";
import type { AnswerKey, BehaviourKey, BehaviourValues } from "../../service/behaviour/table.js";
import { BEHAVIOUR_KEYS, PROFILES } from "../../service/behaviour/table.js";
import type { FixtureDocument } from "../../service/world/fixture.js";
import type { ReadAnswer, Sample } from "./answers.js";
import { readAnswer, sampleOf } from "./answers.js";
import { candidatesFor, isRelevant, rivalsOf } from "./candidates.js";
import { boundsOf, MEASURES, seenIntervals } from "./intervals.js";
import type { Difference } from "./judge.js";
import { blame, differencesOf } from "./judge.js";
import type { Play, Played } from "./player.js";
import { Player } from "./player.js";
import type { Calibration, Contradiction, Evidence, Interval, Learned, Unjudged } from "./report.js";
import { shows } from "./report.js";
import type { Exchange, Trace } from "./trace.js";
import { isMadeUp, rebuild } from "./world.js";

interface LearnOptions {
  /** The world at the start of the recording; default: as far as the recording shows it. */
  readonly fixture?: FixtureDocument | undefined;
  /** The time limit of the search, ms. Exchanges not reached by then are not judged, and a longer play is aborted. */
  readonly searchMs?: number;
}

type Values = Partial<BehaviourValues>;

/** One play with its differences. */
interface Evaluation {
  readonly values: Values;
  readonly played: readonly Played[];
  readonly checkpoints: Play["checkpoints"];
  readonly differing: ReadonlyMap<number, readonly Difference[]>;
  readonly answers: ReadonlyMap<AnswerKey, ReadAnswer>;
}

/** Why a value is not the only one that explains the recording. */
interface Ambiguity {
  readonly keys: readonly BehaviourKey[];
  readonly exchange: number;
}

/** Values with which an exchange agrees. */
interface Explanation {
  readonly values: Values;
  readonly evaluation: Evaluation;
}
const spoils = ({ evaluation }: Explanation): number => evaluation.differing.size;

const SEARCH_MS = 120_000;
const MAX_PLAY_MS = 60_000;
const NOT_REACHED = "the search for an explanation ended before this exchange: split the recording";
const TOO_LONG = { path: "recording", message: "takes longer than three minutes to play: split it" };

/**
 * Compares a trace with the simulator, and learns behaviour values. The trace may come from a recording or from probes.
 *
 * @throws UnusableDocument if playing the trace takes too long
 */
export async function learn(
  trace: Trace,
  { fixture, searchMs = SEARCH_MS }: LearnOptions = {},
): Promise<Calibration> {
  const world = rebuild(trace, fixture && (await withPseudonyms(trace, fixture)));
  const player = new Player(trace, world, world.document);
  try {
    return await new Learning(trace, player, searchMs).calibration();
  } finally {
    player.close();
  }
}

/** Answers for records that the recording does not show: another refusal of the same call may be mistaken for one of these. */
const OF_RECORDS: ReadonlySet<string> = new Set([
  "threads.notAccessible",
  "profile.notAccessible",
  "widget.unknownBusiness",
  "limits.bodyError",
]);
const RECORD_STATUSES: readonly number[] = [403, 404, 413];

/** Limits that lead to an answer: the limit must be measured first, otherwise any refusal could be mistaken for its answer. */
const LIMIT_OF: Partial<Record<AnswerKey, BehaviourKey>> = {
  "limits.textLengthError": "limits.textLength",
  "limits.bodyError": "limits.bodyBytes",
  "limits.rateError": "limits.rate",
  "limits.webhooksError": "limits.webhooks",
};

/** Limits that any call may exceed: they would explain any refusal. */
const CATCH_ALL: ReadonlySet<string> = new Set(["limits.bodyBytes", "limits.rate"]);

const isPlausible = (key: string, { status }: { readonly status: number }): boolean =>
  !OF_RECORDS.has(key) || RECORD_STATUSES.includes(status);

/** A fixture whose keys are replaced by those of the recording: each by the one with the fewest differences. */
async function withPseudonyms(trace: Trace, fixture: FixtureDocument): Promise<FixtureDocument> {
  const known = new Set(fixture.tokens.map(({ id }) => id));
  const taken = trace.filter(({ kind, message }) => kind === "call" && message.status < 400);
  const strangers = new Set(
    taken.flatMap(({ message }) => message.headers.token ?? []).filter((id) => !known.has(id)),
  );
  let document = fixture;
  for (const id of strangers) {
    const tried: { readonly document: FixtureDocument; readonly differing: number }[] = [];
    for (const token of fixture.tokens) {
      const one = { ...document, tokens: [...document.tokens, { ...token, id }] };
      const player = new Player(trace, rebuild(trace, one), one);
      const { played } = await player.play({}, () => false);
      player.close();
      const own = played.filter(({ exchange }) => exchange.message.headers.token === id);
      tried.push({ document: one, differing: own.filter((each) => differencesOf(each).length > 0).length });
    }
    document = tried.sort((a, b) => a.differing - b.differing)[0]?.document ?? document;
  }
  return document;
}

class Learning {
  #values: Values = {};
  /** Exchanges without an explanation. */
  readonly #unexplained = new Map<number, readonly Difference[]>();
  readonly #ambiguities: Ambiguity[] = [];
  /** Exchanges that rule nothing out, because they may be about another record. */
  readonly #doubtful = new Set<number>();
  readonly #unsure = new Set<BehaviourKey>();
  readonly #others = new Map<BehaviourKey, readonly unknown[]>();
  readonly #begun = monotonicNow();
  /** Exchanges that the search has not reached. */
  readonly #notReached = new Set<number>();

  constructor(
    readonly trace: Trace,
    readonly player: Player,
    readonly searchMs: number,
  ) {}

  #isLate = (): boolean => monotonicNow() - this.#begun >= this.searchMs;

  async calibration(): Promise<Calibration> {
    const preset = await this.#evaluate({});
    const found = await this.#explain();
    for (const [index, exchange] of this.trace.entries())
      if (this.player.world.doubtsOf(exchange).length > 0) this.#doubtful.add(index);
    const evidence = await this.#ruleOut(found);
    const calibration = this.#report(preset, found, evidence);
    const intervals = [
      ...(await this.#intervals(found, new Set(calibration.learned.map(({ key }) => key)))),
      ...seenIntervals(this.trace, (exchange) => this.#evidence(this.trace.indexOf(exchange))),
    ];
    return { ...calibration, intervals };
  }

  /** Bounds of numbers and durations that were not measured. */
  async #intervals(found: Evaluation, known: ReadonlySet<string>): Promise<Interval[]> {
    const intervals: Interval[] = [];
    for (const { key, countOf, valueAt } of MEASURES) {
      const isConsulted = found.played.some(({ consulted }) => consulted.includes(key));
      const current = this.#valueOf(key);
      const isMet = current !== null && key in this.#values;
      if (known.has(key) || !isConsulted || this.#isLate() || (key === "limits.rate" && !isMet)) continue;
      const { least, most, against } = await boundsOf(isMet ? countOf(current) : undefined, async (count) =>
        this.#isWorse(
          found,
          await this.#evaluate({ ...this.#values, [key]: valueAt(count, current) }, found),
        ),
      );
      if (least === undefined && most === undefined) continue;
      intervals.push({
        key,
        ...(least !== undefined && { atLeast: valueAt(least, current) }),
        ...(most !== undefined && { atMost: valueAt(most, current) }),
        evidence: against.map((index) => this.#evidence(index)),
      });
    }
    return intervals;
  }

  /** With `than`, stops at the first difference in an exchange that agreed there, or that `mustAgree` names. */
  async #evaluate(values: Values, than?: Evaluation, mustAgree?: number): Promise<Evaluation> {
    const from = than === undefined ? undefined : this.#beginning(values, than);
    const known = [...(than?.differing ?? [])].filter(([index]) => index < (from?.index ?? 0));
    const differing = new Map<number, readonly Difference[]>(known);
    const isOver = (one: Played, index: number) => {
      if (monotonicNow() - this.#begun > this.searchMs + MAX_PLAY_MS) throw new UnusableDocument([TOO_LONG]);
      const differences = differencesOf(one);
      if (differences.length === 0) return false;
      differing.set(index, differences);
      return (
        than !== undefined && (index === mustAgree || !(than.differing.has(index) || this.#isExcused(index)))
      );
    };
    const { played, checkpoints, undelivered } = await this.player.play(values, isOver, from);
    const samples = new Map<AnswerKey, Sample[]>();
    for (const [index, one] of played.entries()) {
      if (
        !differing.has(index) &&
        one.answer !== undefined &&
        one.exchange.operation !== "graphql" &&
        !this.#isDoubtful(one)
      ) {
        const sample = sampleOf(one);
        samples.set(one.answer, [...(samples.get(one.answer) ?? []), sample]);
      }
    }
    for (const { exchange, invisible } of undelivered) {
      const index = this.trace.indexOf(exchange);
      const expected = invisible ? "a delivery of the internal message" : "a delivery of the message";
      if (invisible && !differing.has(index))
        differing.set(index, [{ path: "delivery", expected, seen: undefined, isForm: false }]);
    }
    const answers = new Map<AnswerKey, ReadAnswer>();
    for (const [key, list] of samples) {
      const read = readAnswer(key, list);
      if (read !== undefined) answers.set(key, read);
      for (const { played: one, seen } of read?.against ?? list)
        differing.set(this.trace.indexOf(one.exchange), [
          { path: "body", expected: read?.value ?? null, seen, isForm: false },
        ]);
    }
    return { values, played, checkpoints, differing, answers };
  }

  /** The first exchange at which a play with other values can differ: where one of them was first consulted. */
  #beginning(
    values: Values,
    { values: before, played, checkpoints }: Evaluation,
  ): Play["checkpoints"][number] | undefined {
    const changed = BEHAVIOUR_KEYS.filter((key) => values[key] !== before[key]);
    const index = played.findIndex(({ consulted }) => changed.some((key) => consulted.includes(key)));
    return checkpoints.findLast((one) => index >= 0 && one.index <= index);
  }

  /** Whether the exchange may be about another record than assumed: then only the default is recognized. */
  #isDoubtful({ exchange, answer, scope }: Played): boolean {
    if (this.player.world.doubtsOf(exchange).length === 0 || answer === undefined) return false;
    const sample = sampleOf({ scope, exchange, answer } as Played);
    const { value } = readAnswer(answer, [sample]) ?? {};
    return JSON.stringify(value) !== JSON.stringify(PROFILES.documented[answer]);
  }

  #isExcused = (index: number): boolean => this.#unexplained.has(index) || this.#doubtful.has(index);

  /** Whether the same refusal was also given to a call of the operation that no entry explains. */
  #isUnclear(index: number): boolean {
    const { kind, operation, message } = this.trace[index] as Exchange;
    if (kind !== "call" || message.status < 400) return false;
    return [...this.#unexplained.keys()].some((at) => {
      const other = this.trace[at] as Exchange;
      return other.operation === operation && other.message.response.text === message.response.text;
    });
  }

  /** The first exchange that agreed and now differs. */
  #isWorse(before: Evaluation, after: Evaluation, upTo = Number.POSITIVE_INFINITY): number | undefined {
    for (const index of [...after.differing.keys()].sort((a, b) => a - b))
      if (index <= upTo && !before.differing.has(index) && !this.#isExcused(index)) return index;
    return undefined;
  }

  #first({ differing }: Evaluation): number | undefined {
    return [...differing.keys()].filter((index) => !this.#unexplained.has(index)).sort((a, b) => a - b)[0];
  }

  /**
   * Takes the differing exchanges one by one, and searches for one or two consulted entries with which each agrees. Unexplained
   * ones are tried again with the values that later exchanges have revealed.
   */
  async #explain(): Promise<Evaluation> {
    let now = await this.#evaluate(this.#values);
    let tried: Values | undefined;
    while (!this.#isLate()) {
      const index = this.#first(now);
      if (index === undefined) {
        if (this.#unexplained.size === 0 || tried === this.#values) break;
        tried = this.#values;
        for (const [at, differences] of now.differing) this.#unexplained.set(at, differences);
        // A read that was taken over agrees from then on, whatever the values are.
        const again = [...this.#unexplained].filter(([at]) => !this.#wasTakenOver(at));
        now = { ...now, differing: new Map([...now.differing, ...again]) };
        for (const [at] of again) this.#unexplained.delete(at);
        continue;
      }
      const better = await this.#explanation(now, index);
      if (better === undefined) {
        this.#unexplained.set(index, now.differing.get(index) ?? []);
        this.player.world.resync(this.trace[index] as Exchange);
        now = await this.#evaluate(this.#values);
        continue;
      }
      this.#values = { ...this.#values, ...better.values };
      now = better.evaluation;
    }
    for (const [index, differences] of now.differing)
      if (!this.#unexplained.has(index)) {
        this.#unexplained.set(index, differences);
        this.#notReached.add(index);
      }
    return now;
  }

  #wasTakenOver = (index: number): boolean =>
    ["getCustomerThreadDetails", "getCustomerProfile"].includes(this.trace[index]?.operation ?? "");

  /** The values that explain an exchange. Values that break as much as they explain are only accepted if no pair does better. */
  async #explanation(now: Evaluation, index: number): Promise<Explanation | undefined> {
    let best: Explanation | undefined;
    for (const tried of [
      () => this.#singles(now, index, "own"),
      () => this.#singles(now, index, "earlier"),
      () => this.#pairs(now, index),
    ]) {
      const found = await this.#bestOf(await tried(), now, index);
      if (found !== undefined && (best === undefined || spoils(found) < spoils(best))) best = found;
      if (best !== undefined && spoils(best) < now.differing.size) break;
    }
    return best;
  }

  #valueOf = (key: BehaviourKey): unknown => (key in this.#values ? this.#values : PROFILES.documented)[key];

  /** Other values of the entries that an exchange consulted, or of those consulted only earlier. */
  #singles({ played }: Evaluation, index: number, which: "own" | "earlier"): Values[] {
    const own = played[index]?.consulted ?? [];
    const earlier = new Set(played.slice(0, index).flatMap(({ consulted }) => consulted));
    const keys = which === "own" ? own : [...earlier].filter((key) => !own.includes(key));
    return keys
      .filter((key) => isRelevant(key, this.trace[index] as Exchange))
      .flatMap((key) =>
        candidatesFor(key, this.trace, this.#valueOf(key)).map((value) => ({ [key]: value })),
      );
  }

  /** Another value of a consulted entry, combined with one of an entry that is consulted as a result. */
  async #pairs(now: Evaluation, index: number): Promise<Values[]> {
    const pairs: Values[] = [];
    const isPossible = (key: BehaviourKey) =>
      !CATCH_ALL.has(key) || isRelevant(key, this.trace[index] as Exchange);
    for (const first of (now.played[index]?.consulted ?? []).filter(isPossible))
      for (const value of this.#isLate() ? [] : this.#few(first)) {
        const then = await this.#evaluate({ ...this.#values, [first]: value }, this.#upTo(now, index), index);
        const consulted = then.played[index]?.consulted ?? [];
        for (const second of consulted.filter((key) => key !== first && isPossible(key)))
          pairs.push(...this.#few(second).map((other) => ({ [first]: value, [second]: other })));
      }
    return pairs;
  }

  #few = (key: BehaviourKey): readonly unknown[] => {
    const all = candidatesFor(key, this.trace, this.#valueOf(key));
    return all.length > 4 ? [] : all;
  };

  /** An evaluation in which everything after an exchange may differ. */
  #upTo(now: Evaluation, index: number): Evaluation {
    const later = now.played.flatMap((_, at) => (at > index ? [[at, []] as const] : []));
    return { ...now, differing: new Map([...now.differing, ...later]) };
  }

  /** Of the values with which an exchange agrees and no earlier one starts to differ, those that explain most. */
  async #bestOf(tried: readonly Values[], now: Evaluation, index: number): Promise<Explanation | undefined> {
    let best: Explanation | undefined;
    for (const values of tried) {
      if (this.#isLate()) break;
      const evaluation = await this.#evaluate({ ...this.#values, ...values }, this.#upTo(now, index), index);
      // If a later call exceeds such a limit and passes, the limit was not reached.
      const upTo = Object.keys(values).some((key) => CATCH_ALL.has(key)) ? undefined : index;
      if (evaluation.differing.has(index) || this.#isWorse(now, evaluation, upTo) !== undefined) continue;
      if (best === undefined || evaluation.differing.size < spoils(best)) best = { values, evaluation };
    }
    return best;
  }

  /** Tries every other value of the consulted entries: values that explain as much cannot be told apart. */
  async #ruleOut(found: Evaluation): Promise<Map<BehaviourKey, number[]>> {
    const evidence = new Map<BehaviourKey, number[]>();
    const consulted = BEHAVIOUR_KEYS.filter((key) => found.played.some((one) => one.consulted.includes(key)));
    const decidedBy = new Map<number, Set<string | undefined>>();
    for (const key of consulted) await this.#findOthers(found, key);
    for (const key of consulted) {
      const rivals = rivalsOf(key, this.trace, this.#valueOf(key));
      const worse: number[] = [];
      for (const rival of rivals ?? []) {
        if (this.#isLate()) {
          this.#unsure.add(key);
          break;
        }
        const values = { ...this.#values, [key]: rival };
        const other = await this.#evaluate(values, found);
        const index = this.#isWorse(found, other);
        if (index === undefined) {
          this.#unsure.add(key);
          this.#noteDeciders(found, other, decidedBy);
          if (key in this.#values)
            this.#ambiguities.push({ keys: [key], exchange: this.#firstChanged(key, other) });
          continue;
        }
        const repair = await this.#repair(found, values, key, other, index, decidedBy);
        if (this.#isUnclear(index) || this.#isLate()) this.#unsure.add(key);
        else if (repair === undefined) worse.push(index);
        else {
          for (const one of [key, repair]) this.#unsure.add(one);
          this.#ambiguities.push({ keys: [key, repair], exchange: index });
        }
      }
      if (rivals === undefined) this.#unsure.add(key);
      if (!this.#unsure.has(key) && worse.length > 0) evidence.set(key, [...new Set(worse)]);
    }
    for (const key of [...evidence.keys()]) if (this.#unsure.has(key)) evidence.delete(key);
    this.#dropUnsureSamples(found, decidedBy);
    return evidence;
  }

  /** The values of a found entry that explain as much: other entries must be measured under each of them. */
  async #findOthers(found: Evaluation, key: BehaviourKey): Promise<void> {
    if (!(key in this.#values) || this.#few(key).length > 0) return;
    const others: unknown[] = [];
    for (const value of candidatesFor(key, this.trace, this.#valueOf(key))) {
      if (this.#isLate()) return;
      const other = await this.#evaluate({ ...this.#values, [key]: value }, found);
      if (this.#isWorse(found, other) === undefined) others.push(value);
    }
    this.#others.set(key, others);
  }

  #firstChanged(key: BehaviourKey, { played }: Evaluation): number {
    return Math.max(
      0,
      played.findIndex(({ consulted }) => consulted.includes(key)),
    );
  }

  /** Another entry whose other value compensates for a value that is ruled out on its own. */
  async #repair(
    found: Evaluation,
    values: Values,
    key: BehaviourKey,
    other: Evaluation,
    index: number,
    decidedBy: Map<number, Set<string | undefined>>,
  ): Promise<BehaviourKey | undefined> {
    const keys = new Set([
      ...(other.played[index]?.consulted ?? []),
      ...(found.played[index]?.consulted ?? []),
    ]);
    for (const second of keys) {
      if (second === key || this.#isLate()) continue;
      for (const value of this.#others.get(second) ?? this.#few(second)) {
        const evaluation = await this.#evaluate({ ...values, [second]: value }, found);
        if (this.#isWorse(found, evaluation) !== undefined) continue;
        this.#noteDeciders(found, evaluation, decidedBy);
        return second;
      }
    }
    return undefined;
  }

  /** Under a value that is not ruled out, another entry may decide an answer. */
  #noteDeciders(found: Evaluation, other: Evaluation, into: Map<number, Set<string | undefined>>): void {
    for (const [index, { answer }] of found.played.entries()) {
      const rival = other.played[index]?.answer;
      if (answer !== undefined && rival !== answer)
        into.set(index, new Set([...(into.get(index) ?? []), rival]));
    }
  }

  #dropped = new Set<number>();
  #dropUnsureSamples(
    { played }: Evaluation,
    decidedBy: ReadonlyMap<number, ReadonlySet<string | undefined>>,
  ): void {
    for (const [index] of decidedBy) if (played[index]?.answer !== undefined) this.#dropped.add(index);
  }

  #report(
    preset: Evaluation,
    found: Evaluation,
    evidence: ReadonlyMap<BehaviourKey, readonly number[]>,
  ): Omit<Calibration, "intervals"> {
    let learned: Learned[] = [];
    for (const [key, indexes] of evidence) {
      if (key === "customers.unknownType" && !this.#sawNewCustomer(found)) continue;
      learned.push({
        key,
        value: this.#valueOf(key),
        default: PROFILES.documented[key],
        evidence: indexes.slice(0, 5).map((index) => this.#evidence(index)),
        against: [],
      });
    }
    for (const [key, { value, agreeing, against }] of found.answers) {
      const indexes = agreeing
        .map(({ played }) => this.trace.indexOf(played.exchange))
        .filter((index) => !this.#dropped.has(index) && !this.#isUnclear(index));
      const isSure = OF_RECORDS.has(key) && agreeing.some(({ played }) => this.#meetsRecord(played.exchange));
      if (indexes.length <= against.length || !(isSure || isPlausible(key, value))) continue;
      const limit = LIMIT_OF[key];
      if (limit !== undefined && limit in this.#values && !evidence.has(limit)) continue;
      learned.push({
        key,
        value,
        default: PROFILES.documented[key],
        evidence: indexes.slice(0, 5).map((index) => this.#evidence(index)),
        against: against.map(({ played }) => this.#evidence(this.trace.indexOf(played.exchange))),
      });
    }
    const answered = new Set<string>(learned.map(({ key }) => key));
    // Read access is told apart by the refusals of writes.
    if (!answered.has("threads.notAccessible"))
      learned = learned.filter(({ key, value }) => key !== "threads.readAccess" || value === "user");
    const known = new Set<string>(learned.map(({ key }) => key));
    const { contradictions, unjudged } = this.#verdicts(found, known);
    const isSettled = (index: number) =>
      !contradictions.some((one) => one.index === index) && !unjudged.some((one) => one.index === index);
    const explained = this.trace.filter(
      (_, index) => isSettled(index) && this.#isExplained(preset, found, index),
    ).length;
    const total = this.trace.length;
    const agree = total - explained - contradictions.length - unjudged.length;
    return {
      ok: contradictions.length === 0,
      exchanges: { total, agree, explained, contradict: contradictions.length, unjudged: unjudged.length },
      learned,
      contradictions: contradictions.map(({ index: _, ...one }) => one),
      unjudged: unjudged.map(({ index: _, ...one }) => one),
      open: BEHAVIOUR_KEYS.filter((key) => !known.has(key)),
      assumptions: this.player.world.notes,
    };
  }

  /** Whether a refused call names a record that cannot exist, or is a read that succeeds with the same key for another record. */
  #meetsRecord({ operation, message: { method, headers, request } }: Exchange): boolean {
    return (
      (isObject(request.value) && isMadeUp(String(request.value.businessId))) ||
      (method === "GET" &&
        this.trace.some(
          ({ operation: other, message }) =>
            other === operation && message.headers.token === headers.token && message.status < 400,
        ))
    );
  }

  #sawNewCustomer({ played }: Evaluation): boolean {
    return played.some(({ exchange }) => this.player.world.isNewCustomer(exchange.params.customerId ?? ""));
  }

  #isExplained(preset: Evaluation, found: Evaluation, index: number): boolean {
    if (preset.differing.has(index)) return true;
    const { answer } = found.played[index] ?? {};
    const read = answer === undefined ? undefined : found.answers.get(answer);
    return (
      read !== undefined &&
      answer !== undefined &&
      JSON.stringify(read.value) !== JSON.stringify(PROFILES.documented[answer])
    );
  }

  #verdicts(found: Evaluation, known: ReadonlySet<string>) {
    const contradictions: (Contradiction & { index: number })[] = [];
    const unjudged: (Unjudged & { index: number })[] = [];
    for (const [index, one] of found.played.entries()) {
      const differences = this.#unexplained.get(index);
      const exchange = one.exchange.index;
      if (differences !== undefined) {
        const verdict = this.#notReached.has(index) ? NOT_REACHED : blame(one, differences, this.trace);
        if (typeof verdict === "string") unjudged.push({ index, exchange, reason: verdict });
        else {
          const [first] = differences.filter(({ isForm }) => isForm).concat(differences);
          const at = first?.path === undefined ? "" : `${first.path}: `;
          contradictions.push({
            index,
            exchange,
            operation: one.exchange.operation ?? one.exchange.kind,
            section: verdict.section,
            expected: at + shows(first?.expected),
            seen: at + shows(first?.seen),
          });
        }
        continue;
      }
      const doubts = this.player.world.doubtsOf(one.exchange);
      if (doubts.length > 0 && this.#isDoubtful(one)) {
        unjudged.push({
          index,
          exchange,
          reason: `${doubts.join(" or ")} decided it: one would have to know whether the service has this record`,
        });
        continue;
      }
      const ambiguity = this.#ambiguities.find(
        (each) =>
          each.exchange === index &&
          each.keys.some((key) => key in this.#values) &&
          !each.keys.every((key) => known.has(key)),
      );
      if (ambiguity !== undefined)
        unjudged.push({
          index,
          exchange,
          reason: `${ambiguity.keys.join(" or ")} explains it: an exchange that tells their values apart is needed`,
        });
    }
    return { contradictions, unjudged };
  }

  #evidence(index: number): Evidence {
    const exchange = this.trace[index] as Exchange;
    const { file, index: entry, operation, kind, at, message } = exchange;
    const body =
      kind === "call" ? `${message.status} ${shows(message.response.value)}` : shows(message.request.value);
    return {
      file,
      exchange: entry,
      operation: operation ?? kind,
      at: isoOf(at),
      shows: body,
    };
  }
}
