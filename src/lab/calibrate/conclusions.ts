/** What the possible worlds of a recording come to: measured values, bounds, contradictions, and what cannot be judged. */

import { durationText, milliseconds } from "../../kernel/units.js";
import { ANSWERS } from "../../service/behaviour/answers.js";
import type { Answer } from "../../service/behaviour/entry.js";
import type { AnswerKey, BehaviourKey, BehaviourValues } from "../../service/behaviour/table.js";
import { BEHAVIOUR_KEYS, isBehaviourKey, PROFILES } from "../../service/behaviour/table.js";
import { allowsMove } from "../../service/domain/threads.js";
import { CHANNELS, THREAD_STATUSES } from "../../service/world/records.js";
import { AnswerForm, defaultOf } from "./answers.js";
import { beyondRate, seenIntervals } from "./intervals.js";
import type { Mismatch } from "./judge.js";
import { type Domain, type Possibilities, Span, Values } from "./possible.js";
import type {
  Calibration,
  Contradiction,
  Evidence,
  Interval,
  Learned,
  Refutation,
  Unjudged,
} from "./report.js";
import { evidenceOf, intervalText, shows } from "./report.js";
import type { Exchange, Trace } from "./trace.js";

const SECOND_MS = 1_000;
/** No limit is higher than this. */
const MOST = 1_000_000_000_000;
const MAX_EVIDENCE = 5;
const DURATION = "window.duration";
const IS_SET = "window.duration is set";

const isAnswerKey = (key: string): key is AnswerKey => Object.hasOwn(ANSWERS, key);
const MOVES = THREAD_STATUSES.flatMap((from) =>
  THREAD_STATUSES.filter((to) => to !== from).map((to) => [from, to] as const),
);

/** Entries whose values are lists: a variable for each item that they may have. */
const PARTS: Partial<Record<BehaviourKey, readonly string[]>> = {
  "window.channels": CHANNELS,
  "templates.channels": CHANNELS,
  "threadStatus.transitions": MOVES.map((move) => move.join(" ")),
};
const NUMBERS = ["limits.textLength", "limits.webhooks", "limits.bodyBytes"] as const;
const isNumber = (key: string): boolean => (NUMBERS as readonly string[]).includes(key);
const keyOf = (name: string): BehaviourKey | undefined => {
  const key = name.split(" ", 1)[0] ?? "";
  return isBehaviourKey(key) ? key : undefined;
};

const numberOf = (value: unknown): number => (value === null ? Number.POSITIVE_INFINITY : Number(value));
const only = (value: unknown): Values => new Values([value]);

/** A value as what its variables are. */
function partsOf(key: BehaviourKey, value: unknown): (readonly [name: string, part: Domain])[] {
  if (key === "threadStatus.transitions") {
    const moves = value as BehaviourValues[typeof key];
    return MOVES.map(([from, to]) => [`${key} ${from} ${to}`, only(allowsMove(moves, from, to))]);
  }
  const parts = PARTS[key];
  if (parts !== undefined)
    return parts.map((part) => [`${key} ${part}`, only((value as readonly string[]).includes(part))]);
  if (key === DURATION)
    return value === null
      ? [[IS_SET, only(false)]]
      : [
          [IS_SET, only(true)],
          [DURATION, new Span(milliseconds(value as string))],
        ];
  if (key === "webhooks.graphqlEvents") return [[key, only([...(value as readonly string[])].sort().join())]];
  return [[key, isNumber(key) ? new Span(numberOf(value)) : only(value)]];
}

const DEFAULTS = new Map(
  BEHAVIOUR_KEYS.filter((key) => !isAnswerKey(key)).flatMap((key) => partsOf(key, PROFILES.documented[key])),
);

/** Whether a variable of an entry has its default, or may have it. */
function mayBeDefault(name: string, given: Domain): boolean {
  if (given instanceof AnswerForm)
    return given.hasDefaultBody && given.status === defaultOf(given.key).status;
  const preset = DEFAULTS.get(name);
  return name === DURATION || preset === undefined || given.meet(preset) !== undefined;
}

export class Conclusions {
  readonly #contradictions = new Map<number, Mismatch>();
  readonly #left = new Map<number, string>();
  /** What successes show, whose entry is certain; null if they differ. */
  readonly #successes = new Map<AnswerKey, AnswerForm | null>();
  readonly #successOf = new Map<number, AnswerForm>();

  constructor(
    readonly trace: Trace,
    readonly possibilities: Possibilities,
  ) {}

  accuse = (index: number, mismatch: Mismatch): void => void this.#contradictions.set(index, mismatch);
  isAccused = (index: number): boolean => this.#contradictions.has(index);
  leave = (index: number, reason: string): void => void this.#left.set(index, reason);

  addSuccess(index: number, form: AnswerForm): void {
    const known = this.#successes.get(form.key);
    this.#successes.set(
      form.key,
      known === undefined ? form : ((known?.meet(form) ?? null) as AnswerForm | null),
    );
    this.#successOf.set(index, form);
  }

  calibration(): Calibration {
    const disputed = new Set(this.possibilities.disputes.flatMap(({ names }) => names.map(keyOf)));
    const learned = BEHAVIOUR_KEYS.flatMap((key) => (disputed.has(key) ? [] : (this.#learned(key) ?? [])));
    const known = new Set<string>(learned.map(({ key }) => key));
    for (const { exchange, names } of this.possibilities.disputes)
      this.leave(exchange, `it contradicts other exchanges: ${namesOf(names)} would have to differ`);
    const explained = [...this.trace.keys()].filter((index) => this.#isExplained(index, known)).length;
    const contradictions = this.#inOrder(this.#contradictions, (index, mismatch) =>
      this.#contradiction(index, mismatch),
    );
    const unjudged = this.#inOrder(
      this.#left,
      (index, reason): Unjudged => ({ exchange: this.#exchange(index).index, reason }),
    );
    const total = this.trace.length;
    const agree = total - explained - contradictions.length - unjudged.length;
    const intervals = [
      ...[...NUMBERS, DURATION].flatMap((key) =>
        known.has(key) || disputed.has(key as BehaviourKey) ? [] : (this.#interval(key) ?? []),
      ),
      ...seenIntervals(this.trace),
    ];
    return {
      ok: contradictions.length === 0,
      exchanges: { total, agree, explained, contradict: contradictions.length, unjudged: unjudged.length },
      learned,
      intervals,
      contradictions,
      unjudged,
      open: BEHAVIOUR_KEYS.filter((key) => !known.has(key)),
      refutes: (key, value) => this.#refutation(key as BehaviourKey, value, learned, intervals),
    };
  }

  #exchange = (index: number): Exchange => this.trace[index] as Exchange;
  #inOrder = <T, R>(map: ReadonlyMap<number, T>, make: (index: number, value: T) => R): R[] =>
    [...map].sort(([a], [b]) => a - b).map(([index, value]) => make(index, value));

  #contradiction(index: number, { path, expected, seen, section = "" }: Mismatch): Contradiction {
    const { index: exchange, operation, kind } = this.#exchange(index);
    return {
      exchange,
      operation: operation ?? kind,
      section,
      expected: `${path}: ${shows(expected)}`,
      seen: `${path}: ${shows(seen)}`,
    };
  }

  #evidence = (indexes: readonly number[]): Evidence[] =>
    [...new Set(indexes)]
      .sort((a, b) => a - b)
      .slice(0, MAX_EVIDENCE)
      .map((index) => evidenceOf(this.#exchange(index)));

  #witnesses = (names: readonly string[]): Evidence[] =>
    this.#evidence(names.flatMap((name) => this.possibilities.witnessesOf(name)));

  #learned(key: BehaviourKey): Learned | undefined {
    const of = (value: unknown, evidence: readonly Evidence[]): Learned => ({
      key,
      value,
      default: PROFILES.documented[key],
      evidence,
      against: [],
    });
    if (isAnswerKey(key)) {
      const exchanges = this.#exchangesOf(key);
      const value = this.#formOf(key)?.value(exchanges.length === 1);
      return value && of(value, this.#evidence(exchanges));
    }
    const names =
      key === DURATION ? [IS_SET, DURATION] : (PARTS[key]?.map((part) => `${key} ${part}`) ?? [key]);
    const value = this.#valueOf(key, names);
    return value === undefined ? undefined : of(value, this.#witnesses(names));
  }

  #formOf(key: AnswerKey): AnswerForm | undefined {
    const domain = this.possibilities.domainOf(key);
    return this.#successes.get(key) ?? (domain instanceof AnswerForm ? domain : undefined);
  }

  #exchangesOf(key: AnswerKey): number[] {
    const successes = [...this.#successOf].filter(([, form]) => form.key === key).map(([index]) => index);
    return successes.length > 0 ? successes : this.possibilities.exchangesAbout(key);
  }

  #valueOf(key: BehaviourKey, names: readonly string[]): unknown {
    const values = names.map((name) => this.possibilities.valueOf(name));
    const span = this.possibilities.domainOf(key);
    if (span instanceof Span && isNumber(key)) {
      // A limit that a refusal names still has to be seen from one side.
      const named = this.possibilities.valueOf(`${key} is named`);
      const bounds = [span.least, span.most];
      return span.least === span.most ? span.least : bounds.find((bound) => bound === named);
    }
    if (key === DURATION) {
      if (values[0] !== true || !(span instanceof Span)) return undefined;
      const seconds = Math.ceil(span.least / SECOND_MS);
      return seconds === Math.floor(span.most / SECOND_MS) ? hoursText(seconds * SECOND_MS) : undefined;
    }
    if (values.includes(undefined)) return undefined;
    const parts = PARTS[key];
    if (key === "webhooks.graphqlEvents") return String(values[0]).split(",").filter(Boolean);
    if (parts === undefined) return values[0];
    const chosen = parts.filter((_, index) => values[index] === true);
    if (key !== "threadStatus.transitions") return chosen;
    if (chosen.length === MOVES.length) return "any";
    const targets = (from: string) =>
      MOVES.flatMap(([one, to], index) => (one === from && values[index] === true ? [to] : []));
    return Object.fromEntries(THREAD_STATUSES.map((from) => [from, targets(from)]));
  }

  #interval(key: string): Interval | undefined {
    const span = this.possibilities.domainOf(key);
    if (!(span instanceof Span) || (key === DURATION && this.possibilities.valueOf(IS_SET) !== true))
      return undefined;
    const shown = (value: number) => (key === DURATION ? durationText(value) : value);
    // That a limit is not below its default is not worth a line.
    const [hasLeast, hasMost] = [
      span.least > numberOf(key === "limits.bodyBytes" ? PROFILES.documented[key] : 0),
      span.most < MOST,
    ];
    if (!hasLeast && !hasMost) return undefined;
    const evidence = this.#witnesses([key]);
    return {
      key,
      ...(hasLeast && { atLeast: shown(span.least) }),
      ...(hasMost && { atMost: shown(span.most) }),
      evidence,
    };
  }

  /** Whether another value of a measured entry explains an exchange. If the entry is not measured, the exchange is left. */
  #isExplained(index: number, known: ReadonlySet<string>): boolean {
    if (this.#left.has(index) || this.#contradictions.has(index)) return false;
    const success = this.#successOf.get(index);
    const worlds = this.possibilities
      .worldsLeft(index)
      .map(
        (world) =>
          new Set(world.filter(([name, part]) => !mayBeDefault(name, part)).map(([name]) => keyOf(name))),
      );
    if (success !== undefined && !mayBeDefault(success.key, success))
      for (const world of worlds) world.add(success.key);
    if (worlds.length === 0 || worlds.some(({ size }) => size === 0)) return false;
    if (worlds.some((world) => [...world].every((key) => known.has(key ?? "")))) return true;
    const open = [...new Set(worlds.flatMap((world) => [...world].filter((key) => !known.has(key ?? ""))))];
    this.leave(
      index,
      `${open.slice(0, 4).join(" or ")} explains it: more exchanges that depend on ${open.length > 1 ? "them" : "it"} are needed`,
    );
    return false;
  }

  /** Why an entry does not have a value any more. */
  #refutation(
    key: BehaviourKey,
    value: unknown,
    learned: readonly Learned[],
    intervals: readonly Interval[],
  ): Refutation | undefined {
    const measured = learned.find((one) => one.key === key);
    const by = (indexes: readonly (number | undefined)[]): Evidence[] =>
      this.#evidence(indexes.filter((index) => index !== undefined));
    if (isAnswerKey(key)) {
      const form = this.#formOf(key);
      if (form === undefined || form.allows(value as Answer)) return undefined;
      return {
        seen: measured?.value ?? "another response",
        evidence: this.#evidence(this.#exchangesOf(key)),
      };
    }
    if (key === "limits.rate") {
      const beyond = beyondRate(this.trace, value);
      return beyond && { seen: "more calls than that", evidence: [evidenceOf(beyond)] };
    }
    const interval = intervals.find((one) => one.key === key);
    const seen = measured?.value ?? (interval && intervalText(interval)) ?? `not ${shows(value)}`;
    if (interval !== undefined && isBeyond(value, interval)) return { seen, evidence: interval.evidence };
    for (const [name, part] of partsOf(key, value)) {
      const objection = this.possibilities.objectionTo(name, part);
      if (objection !== undefined) return { seen, evidence: by([objection]) };
    }
    return undefined;
  }
}

/** Whether a value lies beyond an interval that is read off without playing. */
function isBeyond(value: unknown, { key, atLeast, atMost }: Interval): boolean {
  if (value === null || value === undefined) return false;
  if (key === "tokens.lifetime") return milliseconds(value as string) < milliseconds(atLeast as string);
  if (key === "delivery.attempts") return Number(value) < Number(atLeast);
  if (key !== "delivery.backoff") return false;
  const [pauses, most] = [value as readonly string[], atMost as readonly string[]];
  return most.some(
    (pause, index) =>
      milliseconds(pauses[Math.min(index, pauses.length - 1)] ?? 0) > milliseconds(pause) + SECOND_MS,
  );
}

const namesOf = (names: readonly string[]): string =>
  [...new Set(names.map((name) => keyOf(name) ?? name))].slice(0, 4).join(" or ");

/** A duration in the usual unit of a messaging window: hours, not days. */
const HOUR_MS = 3_600_000;
const hoursText = (ms: number): string => (ms % HOUR_MS === 0 ? `${ms / HOUR_MS}h` : durationText(ms));
