/** The challenges that make sense for a system under test: derived from the kinds and from what an unchanged run shows. */
import type { BehaviourKey } from "../behaviour/table.js";
import { BEHAVIOUR_TABLE } from "../behaviour/table.js";
import type { FaultInput } from "../client/types.js";
import { given } from "../kernel/given.js";
import { keysOf } from "../kernel/keys.js";
import type { Challenge } from "./change.js";
import { UNCHANGED } from "./change.js";
import type { ChallengeKind, EventNeed, EventSubject } from "./kind.js";
import type { ChallengeKindName } from "./kinds.js";
import { CHALLENGE_KINDS } from "./kinds.js";
import type { Observed } from "./observed.js";
import { otherValues } from "./values.js";

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
