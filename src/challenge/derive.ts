/** The challenges that make sense for a system under test: derived from the kinds and from what an unchanged run shows. */

import { alternativesOf } from "../behaviour/alternatives.js";
import { answerSchema } from "../behaviour/entry.js";
import type { BehaviourKey } from "../behaviour/table.js";
import { BEHAVIOUR_TABLE } from "../behaviour/table.js";
import type { FaultInput } from "../client/types.js";
import { given } from "../kernel/given.js";
import { keysOf } from "../kernel/keys.js";
import type { Challenge, ChallengeKind, ChallengeKindName, EventNeed, EventSubject } from "./kinds.js";
import { AND, CHALLENGE_KINDS, currentName, UNCHANGED } from "./kinds.js";
import type { Observed, Turns } from "./observed.js";

/** Derives challenges of a kind from unchanged runs. */
function challengesOf(name: ChallengeKindName, observed: Observed): Challenge[] {
  const kind: ChallengeKind = CHALLENGE_KINDS[name];
  const patience = given({ patienceMs: kind.patienceMs });
  if (kind.about === "templates") {
    const { templates: use } = observed;
    if (use === undefined) return [];
    return [{ ...UNCHANGED, name, kind: name, about: kind.change, templates: { are: kind.templates, use } }];
  }
  if (kind.about === "ids")
    return [{ ...UNCHANGED, name, kind: name, about: kind.change, offset: kind.offset }];
  if (kind.about === "behaviour") return observed.keys.flatMap(behaviourChallenges);
  if (kind.about === "operation")
    return observed.operations.map((operation) => ({
      ...UNCHANGED,
      name: `${name}/${operation}`,
      kind: name,
      about: `${operation}: ${kind.change}`,
      ...patience,
      faults: [
        {
          on: "request",
          match: { operation, by: "client" },
          ...(kind.forMs === undefined ? { times: 1 } : { forMs: kind.forMs }),
          then: kind.effect,
        } satisfies FaultInput,
      ],
    }));
  return observed.events
    .filter((subject) => fitsEvent(kind, subject) && unmetNeed(kind, subject, observed) === undefined)
    .map((subject) => ({
      ...UNCHANGED,
      name: `${name}/${subject.name}`,
      kind: name,
      about: `${subject.name}: ${kind.change}`,
      faults: [
        {
          on: "delivery",
          match: { ...subject.match, ...kind.match?.(subject) },
          ...given({ every: kind.every }),
          then: kind.effect(subject),
        } satisfies FaultInput,
      ],
      ...given({ behaviour: kind.behaviour, copy: kind.copy }),
      ...(kind.needs === "next" && {
        releasedBy: subject.isOnlyOwn ? "waits for deliveries" : "any wait",
      }),
    }));
}

type EventKind = Extract<ChallengeKind, { about: "event" }>;

const fitsEvent = ({ fits = () => true }: EventKind, subject: EventSubject): boolean => fits(subject);

/** What a kind of challenge needs of an event and the unchanged run has not shown. */
function unmetNeed(
  { needs }: EventKind,
  { name }: EventSubject,
  { isSigned, followed, answered }: Observed,
): EventNeed | undefined {
  const isMet = { next: followed.has(name), unanswered: !answered.has(name), signature: isSigned };
  return needs === undefined || isMet[needs] ? undefined : needs;
}

/** What would let a challenge be tried that the scenario gives no occasion for. Where nothing is signed, nothing is forged. */
const OCCASION: Readonly<Record<Exclude<EventNeed, "signature">, string>> = {
  next: "no other event comes right after it in this scenario: let two things happen before a step waits, such as two `customer` steps in a row, or a `customer` step right after a `transfer`",
  unanswered:
    "the system under test writes because of it in this scenario: let the customer write after it, and expect the answer to that",
};

/** The challenges that a scenario gives no occasion for, and what would. */
export const withoutOccasion = (observed: Observed): { readonly name: string; readonly reason: string }[] =>
  keysOf(CHALLENGE_KINDS).flatMap((name) => {
    const kind: ChallengeKind = CHALLENGE_KINDS[name];
    if (kind.about !== "event") return [];
    return observed.events.flatMap((subject) => {
      const need = fitsEvent(kind, subject) ? unmetNeed(kind, subject, observed) : undefined;
      return need === undefined || need === "signature"
        ? []
        : [{ name: `${name}/${subject.name}`, reason: OCCASION[need] }];
    });
  });

const behaviourChallenges = (key: BehaviourKey): Challenge[] =>
  otherValues(key).map(({ label, value }) => ({
    ...UNCHANGED,
    name: `behaviour/${key}=${label}`,
    kind: "behaviour",
    about: `${BEHAVIOUR_TABLE[key].question} (specification: ${BEHAVIOUR_TABLE[key].section})`,
    behaviour: { [key]: value },
  }));

/** All that make sense after an unchanged run, in the order of the table. */
export const challengesFor = (observed: Observed): Challenge[] =>
  keysOf(CHALLENGE_KINDS).flatMap((name) => challengesOf(name, observed));

/** A value, and how names of challenges write it. */
interface OtherValue {
  readonly label: string;
  readonly value: unknown;
}

/** Of entries that take any number of values: some that stand for all; of any entry: why none is tried. */
const OPEN_VALUES: Partial<Record<BehaviourKey, readonly OtherValue[] | string>> = {
  "tokens.lifetime": "a token that has expired needs somebody who issues another",
  "permissions.required": "a permission that is missing needs somebody who grants it",
  "limits.textLength": [{ label: "1600", value: 1600 }],
  "limits.webhooks": "a bound that is reached needs somebody who takes webhooks away",
  "limits.bodyBytes": "a bound of the simulator",
  "limits.rate": "the kind rate-limited tries it",
  "cors.origins": "only browsers ask",
  "customers.unknownType": [{ label: "other", value: "other" }],
  "threadStatus.transitions": "a status that cannot be reached needs another conversation",
  "window.channels": [{ label: "none", value: [] }],
  "window.duration": [{ label: "24h", value: "24h" }],
  "templates.channels": [{ label: "all", value: ["WHATSAPP", "SMS", "EMAIL"] }],
  "webhooks.graphqlEvents": [{ label: "all", value: ["messages", "transfers"] }],
  "delivery.attempts": [{ label: "4", value: 4 }],
  "delivery.backoff": "it shows only after failures",
  "delivery.autoDisable": "it shows only after failures",
  "delivery.timeoutMs": "it shows only after failures",
  "delivery.success": [{ label: "200", value: [200] }],
  "delivery.signature": "the system under test does not have another secret",
};

/** Why another value of an entry is not tried; undefined where some are. */
export function untried(key: BehaviourKey): string | undefined {
  const values = OPEN_VALUES[key];
  return typeof values === "string" ? values : undefined;
}

/** The other values of an entry that are tried: all that it takes, or some that stand for them. */
export function otherValues(key: BehaviourKey): readonly OtherValue[] {
  const entry = BEHAVIOUR_TABLE[key];
  if (entry.schema === answerSchema) return otherAnswers(BEHAVIOUR_TABLE[key].default);
  const values = OPEN_VALUES[key];
  if (typeof values === "string") return [];
  const alternatives = alternativesOf(entry);
  if (typeof alternatives === "string") return values ?? [];
  return alternatives.map((value) => ({ label: String(value), value }));
}

/** The status stays: it is what tells success from refusal. */
function otherAnswers(preset: unknown): OtherValue[] {
  const { status } = preset as { readonly status: number };
  return [
    { label: "no-body", value: { status, body: "" } },
    { label: "other-body", value: { status, body: { undocumented: true } } },
  ];
}

export const isPair = (name: string): boolean => name.includes(AND);

/** Why two challenges are not tried at once; undefined where they are. */
function reasonAgainst(a: Challenge, b: Challenge, turns: Turns): string | undefined {
  const [ofA, ofB] = [turnsOf(a, turns), turnsOf(b, turns)];
  if (ofA === undefined || ofB === undefined) return "of one it cannot be said which turn it touches";
  if (subjectOf(a) === subjectOf(b) && a.faults.some(({ on }) => on === "delivery"))
    return "a delivery carries one fault only";
  if (a.copy !== undefined && b.copy !== undefined) return "both send copies of deliveries";
  if (a.releasedBy !== undefined && b.releasedBy !== undefined) return "both hold deliveries back";
  return [...ofA].some((turn) => ofB.has(turn)) ? undefined : "they touch different turns";
}

const subjectOf = ({ name }: Challenge): string => name.slice(name.indexOf("/") + 1);

const turnsOf = (challenge: Challenge, turns: Turns): ReadonlySet<number> | undefined =>
  challenge.faults.length === 0 ? undefined : turns.get(subjectOf(challenge));

/** Both changes as one. */
const together = (a: Challenge, b: Challenge): Challenge => ({
  ...a,
  ...b,
  kind: a.kind,
  name: a.name + AND + b.name,
  about: `${a.about}; and ${b.about}`,
  faults: [...a.faults, ...b.faults],
  behaviour: { ...a.behaviour, ...b.behaviour },
});

/** The pairs that are tried of some challenges, and how many are not, by the reason. */
export function pairsOf(
  challenges: readonly Challenge[],
  turns: Turns,
): { readonly pairs: Challenge[]; readonly notTried: ReadonlyMap<string, number> } {
  const pairs: Challenge[] = [];
  const notTried = new Map<string, number>();
  for (const [index, a] of challenges.entries())
    for (const b of challenges.slice(index + 1)) {
      const reason = reasonAgainst(a, b, turns);
      if (reason === undefined) pairs.push(together(a, b));
      else notTried.set(reason, (notTried.get(reason) ?? 0) + 1);
    }
  return { pairs, notTried };
}

/** The pair of this name, of some challenges; undefined where one of the two is not among them. */
export function pairOf(name: string, challenges: readonly Challenge[]): Challenge | undefined {
  const [a, b] = currentName(name)
    .split(AND)
    .map((one) => challenges.find((challenge) => challenge.name === one));
  return a === undefined || b === undefined ? undefined : together(a, b);
}
