/** Derives the relevant challenges from the table of kinds and from an unchanged run, alone and in pairs. */

import { countsOf, keysOf, omitUndefined } from "../../kernel/objects.js";
import { alternativesOf } from "../../service/behaviour/alternatives.js";
import { answerSchema } from "../../service/behaviour/entry.js";
import type { BehaviourKey } from "../../service/behaviour/table.js";
import { BEHAVIOUR_TABLE } from "../../service/behaviour/table.js";
import type { Challenge, ChallengeKind, ChallengeKindName, EventNeed } from "./kinds.js";
import { AND, CHALLENGE_KINDS, currentName, UNCHANGED } from "./kinds.js";
import type { Observed, Turns } from "./observed.js";

/** How a scenario could meet a need. Without signatures there is nothing to forge. */
const OCCASION: Readonly<Partial<Record<EventNeed, string>>> = {
  next: "no other event comes right after it in this scenario: let two events happen before a step waits, such as two `customer` steps in a row, or a `customer` step right after a `transfer`",
  unanswered:
    "the system under test reacts to it in this scenario: let the customer write after it, and expect a reply to that",
};

interface Derived {
  readonly challenges: Challenge[];
  /** Challenges that the scenario gives no opportunity for, and how it could. */
  readonly withoutOccasion: { readonly name: string; readonly reason: string }[];
}

/** All relevant challenges, in table order. */
export function challengesFor(observed: Observed): Derived {
  const { operations, events, keys, templates, followed, answersTransfers, isSigned } = observed;
  const derived: Derived = { challenges: [], withoutOccasion: [] };
  for (const name of keysOf(CHALLENGE_KINDS)) {
    const kind: ChallengeKind = CHALLENGE_KINDS[name];
    const { change, patienceMs } = kind;
    const add = (subject: string, more: Partial<Challenge>) =>
      derived.challenges.push({
        ...{ ...UNCHANGED, name: `${name}/${subject}`, kind: name, about: `${subject}: ${change}` },
        ...omitUndefined({ patienceMs }),
        ...more,
      });
    const addWhole = (more: Partial<Challenge>) => add("", { name, about: change, ...more });
    switch (kind.about) {
      case "templates":
        if (templates !== undefined) addWhole({ templates: { are: kind.templates, use: templates } });
        break;
      case "ids":
        addWhole({ offset: kind.offset });
        break;
      case "behaviour":
        for (const key of keys) {
          const { question, section } = BEHAVIOUR_TABLE[key];
          const about = `${question} (specification: ${section})`;
          for (const { label, value } of otherValues(key))
            add(`${key}=${label}`, { about, behaviour: { [key]: value } });
        }
        break;
      case "operation":
        for (const operation of operations) {
          const often = kind.forMs === undefined ? { times: 1 } : { forMs: kind.forMs };
          const match = { operation, by: "client" } as const;
          add(operation, { faults: [{ on: "request", match, ...often, then: kind.effect }] });
        }
        break;
      case "event": {
        const { every, behaviour, copy, needs, fits } = kind;
        for (const subject of fits === undefined ? events : events.filter(fits)) {
          const unanswered = subject.name !== "transfer" || !answersTransfers;
          const met = { next: followed.has(subject.name), unanswered, signature: isSigned };
          if (needs !== undefined && !met[needs]) {
            const { [needs]: reason } = OCCASION;
            if (reason !== undefined)
              derived.withoutOccasion.push({ name: `${name}/${subject.name}`, reason });
            continue;
          }
          const match = { ...subject.match, ...kind.match?.(subject) };
          const then = kind.effect(subject);
          add(subject.name, {
            faults: [{ on: "delivery", match, ...omitUndefined({ every }), then }],
            ...omitUndefined({ behaviour, copy }),
            ...(needs === "next" && { releasedBy: subject.isOnlyOwn ? "waits for deliveries" : "any wait" }),
          });
        }
      }
    }
  }
  return derived;
}

/** A value, and its label in challenge names. */
interface OtherValue {
  readonly label: string;
  readonly value: unknown;
}

/** For entries with an open range, representative values; for others, why no value is tried. */
const OPEN_VALUES: Partial<Record<BehaviourKey, readonly OtherValue[] | string>> = {
  "tokens.lifetime": "an expired token would need a replacement",
  "permissions.required": "a missing permission would have to be granted",
  "limits.textLength": [{ label: "1600", value: 1600 }],
  "limits.webhooks": "webhooks would have to be deleted",
  "limits.bodyBytes": "a limit of the simulator",
  "limits.rate": "covered by rate-limited",
  "cors.origins": "only affects browsers",
  "threadStatus.transitions": "an unreachable status needs another conversation",
  "window.channels": [{ label: "none", value: [] }],
  "window.duration": [{ label: "24h", value: "24h" }],
  "webhooks.graphqlEvents": [{ label: "all", value: ["messages", "transfers"] }],
  "delivery.attempts": [{ label: "4", value: 4 }],
  "delivery.backoff": "only matters after failures",
  "delivery.autoDisable": "only matters after failures",
  "delivery.timeoutMs": "only matters after failures",
  "delivery.success": [{ label: "200", value: [200] }],
  "delivery.signature": "the system under test does not know other secrets",
};

/** Why no other value of an entry is tried, if none is. */
export function untried(key: BehaviourKey): string | undefined {
  const values = OPEN_VALUES[key];
  return typeof values === "string" ? values : undefined;
}

/** The other values to try: all, or representative ones. */
export function otherValues(key: BehaviourKey): readonly OtherValue[] {
  const entry = BEHAVIOUR_TABLE[key];
  if (entry.schema === answerSchema) return otherAnswers(BEHAVIOUR_TABLE[key].default);
  const values = OPEN_VALUES[key];
  if (typeof values === "string") return [];
  const alternatives = alternativesOf(entry);
  if (typeof alternatives === "string") return values ?? [];
  return alternatives.map((value) => ({ label: String(value), value }));
}

/** Keeps the status, which separates success from refusal. */
function otherAnswers(preset: unknown): OtherValue[] {
  const { status } = preset as { readonly status: number };
  return [
    { label: "no-body", value: { status, body: "" } },
    { label: "other-body", value: { status, body: { undocumented: true } } },
  ];
}

export const isPair = (name: string): boolean => name.includes(AND);

/** Challenges in which a call takes effect although its answer does not show it. */
const LOSES_ANSWER: readonly ChallengeKindName[] = ["hang-up-after", "malformed"];

/** Why two challenges are not tried together, if they are not. */
function reasonAgainst(a: Challenge, b: Challenge, turns: Turns): string | undefined {
  const [ofA, ofB] = [turnsOf(a, turns), turnsOf(b, turns)];
  if (ofA === undefined || ofB === undefined) return "it is unknown which turn one of them affects";
  if (subjectOf(a) === subjectOf(b) && a.faults.some(({ on }) => on === "delivery"))
    return "a delivery can have only one fault";
  if (a.copy !== undefined && b.copy !== undefined) return "both send copies of deliveries";
  if (a.releasedBy !== undefined && b.releasedBy !== undefined) return "both hold deliveries";
  if ([a, b].some(({ kind }) => kind === "lost") && [a, b].some(({ kind }) => LOSES_ANSWER.includes(kind)))
    return "only the lost event shows whether the call took effect";
  return [...ofA].some((turn) => ofB.has(turn)) ? undefined : "they affect different turns";
}

const subjectOf = ({ name }: Challenge): string => name.slice(name.indexOf("/") + 1);

const turnsOf = (challenge: Challenge, turns: Turns): ReadonlySet<number> | undefined =>
  challenge.faults.length === 0 ? undefined : turns.get(subjectOf(challenge));

const together = (a: Challenge, b: Challenge): Challenge => ({
  ...a,
  ...b,
  kind: a.kind,
  name: a.name + AND + b.name,
  about: `${a.about}; and ${b.about}`,
  faults: [...a.faults, ...b.faults],
  behaviour: { ...a.behaviour, ...b.behaviour },
  patienceMs: (a.patienceMs ?? 0) + (b.patienceMs ?? 0),
});

/** The pairs to try, and the number of other pairs by reason. */
export function pairsOf(challenges: readonly Challenge[], turns: Turns) {
  const pairs: Challenge[] = [];
  const reasons: string[] = [];
  for (const [index, a] of challenges.entries())
    for (const b of challenges.slice(index + 1)) {
      const reason = reasonAgainst(a, b, turns);
      if (reason === undefined) pairs.push(together(a, b));
      else reasons.push(reason);
    }
  return { pairs, notTried: countsOf(reasons) };
}

/** The two challenges that a pair is named after, as far as they exist. */
export const membersOf = (pair: string, challenges: readonly Challenge[]): Challenge[] =>
  currentName(pair)
    .split(AND)
    .flatMap((one) => challenges.filter(({ name }) => name === one));
