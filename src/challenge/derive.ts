/** The challenges that make sense for a system under test: derived from the kinds and from what an unchanged run shows. */
import type { BehaviourKey } from "../behaviour/table.js";
import { BEHAVIOUR_TABLE } from "../behaviour/table.js";
import type { FaultInput } from "../client/types.js";
import { given } from "../kernel/given.js";
import { keysOf } from "../kernel/keys.js";
import type { Challenge } from "./change.js";
import { UNCHANGED } from "./change.js";
import type { ChallengeKind, EventSubject } from "./kind.js";
import type { ChallengeKindName } from "./kinds.js";
import { CHALLENGE_KINDS } from "./kinds.js";
import type { Observed } from "./observed.js";
import { otherValues } from "./values.js";

/** Derives challenges of a kind from unchanged runs. */
function challengesOf(name: ChallengeKindName, observed: Observed): Challenge[] {
  const kind: ChallengeKind = CHALLENGE_KINDS[name];
  if (kind.about === "ids")
    return [{ ...UNCHANGED, name, kind: name, about: kind.change, offset: kind.offset }];
  if (kind.about === "behaviour") return observed.keys.flatMap(behaviourChallenges);
  if (kind.about === "operation")
    return observed.operations.map((operation) => ({
      ...UNCHANGED,
      name: `${name}/${operation}`,
      kind: name,
      about: `${operation}: ${kind.change}`,
      faults: [
        {
          on: "request",
          match: { operation, by: "client" },
          times: 1,
          then: kind.effect,
        } satisfies FaultInput,
      ],
    }));
  return observed.events
    .filter((subject) => makesSense(kind, subject, observed))
    .map((subject) => ({
      ...UNCHANGED,
      name: `${name}/${subject.name}`,
      kind: name,
      about: `${subject.name}: ${kind.change}`,
      faults: [
        {
          on: "delivery",
          match: subject.match,
          ...given({ every: kind.every }),
          then: kind.effect(subject),
        } satisfies FaultInput,
      ],
      ...given({ behaviour: kind.behaviour, copy: kind.copy }),
      ...(kind.needs === "next" && {
        releasedBy: subject.name.startsWith("message.business") ? "waits for deliveries" : "any wait",
      }),
    }));
}

function makesSense(
  { needs }: Extract<ChallengeKind, { about: "event" }>,
  { name, legacy }: EventSubject,
  { isSigned, followed }: Observed,
): boolean {
  if (needs === "signature") return isSigned;
  if (needs === "eventType") return !legacy;
  return needs === undefined || followed.has(name);
}

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
