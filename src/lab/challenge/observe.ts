/** Runs a scenario unchanged, to learn what the system under test does in it. */

import { payloadOf } from "../../client/log-entries.js";
import type { DeliveryRecord, RequestRecord } from "../../client/types.js";
import { isObject, valueAt } from "../../kernel/json.js";
import { getOrInsert, numberOf } from "../../kernel/objects.js";
import type { Scenario } from "../../scenarios/read.js";
import type { Report } from "../../scenarios/report.js";
import type { ParsedStep } from "../../scenarios/step.js";
import { isPassive } from "../../scenarios/step.js";
import { isBehaviourKey } from "../../service/behaviour/table.js";
import { differencesOf } from "./facts.js";
import type { Mark, Pace, Played, Stage } from "./play.js";
import { play, quietMsOf, UNCHANGED, UNKNOWN_PACE } from "./play.js";
import type { EventSubject, Observed, ObservedEvent } from "./table.js";

/** The unchanged run that challenges are compared with. */
export interface Unchanged {
  readonly report: Report;
  /** If it passed. */
  readonly observed?: Observed;
  readonly pace: Pace;
}

/** Runs a scenario twice unchanged, or once if it fails. @throws UnusableScenario, SimError */
export async function observe(scenario: Scenario, stage: Stage): Promise<Unchanged> {
  const first = await play(scenario, UNCHANGED, stage, UNKNOWN_PACE);
  if (!first.report.ok) return { report: first.report, pace: UNKNOWN_PACE };
  const expected: Pace = { ...UNKNOWN_PACE, quietMs: quietMsOf(first), facts: first.facts };
  const second = await play(scenario, UNCHANGED, stage, expected);
  if (!second.report.ok) return { report: second.report, pace: UNKNOWN_PACE };
  const except = new Set(differencesOf(first.facts, second.facts).map(({ what }) => what));
  // The first run of a program is slower than all others.
  const pace = { ...expected, quietMs: quietMsOf(second), except };
  return { report: first.report, observed: observedIn(first), pace };
}

function observedIn({ calls, deliveries, marks, met }: Played): Observed {
  const own = calls.filter(({ by }) => by === "client");
  const called = new Set(own.map(({ operation }) => operation));
  return {
    // Coverage also counts calls that the journal no longer holds, but none that a fault answered.
    operations: met.operations
      .filter(({ operation, outcomes }) => called.has(operation) || outcomes.some(({ met }) => met > 0))
      .map(({ operation }) => operation),
    events: eventsIn(deliveries, own, marks),
    keys: met.behaviours.map(({ key }) => key).filter(isBehaviourKey),
    usesTemplates: own.some(
      ({ body, response }) =>
        (isObject(body) && typeof body.contentSid === "string") ||
        valueAt(response, ["templates", 0]) !== undefined,
    ),
  };
}

/** The kinds of events that were sent. @param own the calls of the system under test */
function eventsIn(
  deliveries: readonly DeliveryRecord[],
  own: readonly RequestRecord[],
  marks: readonly Mark[],
): ObservedEvent[] {
  const ids = new Set(own.map(({ id }) => id));
  const isOwn = ({ causedBy }: DeliveryRecord) => ids.has(causedBy ?? "");
  const byName = new Map<string, DeliveryRecord[]>();
  for (const delivery of deliveries.filter(({ attempts }) => attempts.length > 0))
    getOrInsert(byName, subjectOf(delivery).name, () => []).push(delivery);
  return [...byName.values()].map((alike) => {
    const subject = subjectOf(alike[0] as DeliveryRecord);
    const followed = alike.find((one) => isFollowed(one, deliveries, marks, isOwn));
    const { webhookId } = followed ?? {};
    const after = alike.filter((one) => one.webhookId === webhookId).indexOf(followed as DeliveryRecord);
    return {
      ...subject,
      isOwn: alike.some(isOwn),
      isAnswered: alike.some((delivery) => isAnswered(delivery, marks, own)),
      followed: followed && { match: { ...subject.match, webhookId }, after },
    };
  });
}

function subjectOf(delivery: DeliveryRecord): EventSubject {
  const { eventType: event, legacy } = delivery;
  if (event !== "message") return { name: event, match: { eventType: event }, legacy, event };
  const fromCustomer = payloadOf(delivery).fromCustomer === true;
  const name = `message.${fromCustomer ? "customer" : "business"}${legacy ? ".legacy" : ""}`;
  const matched = legacy ? { eventType: { $absent: true }, fromCustomer } : { data: { fromCustomer } };
  return { name, match: { eventType: event, body: matched }, legacy, event };
}

/** Whether the system under test sent a message before the next step that acts. */
function isAnswered({ id }: DeliveryRecord, marks: readonly Mark[], own: readonly RequestRecord[]): boolean {
  const acting = marks.filter(({ step }) => !isPassive(step.kind));
  const next = acting.findIndex(({ deliveries }) => deliveries >= numberOf(id));
  const from = acting.at(next < 0 ? -1 : next - 1)?.calls ?? 0;
  const to = acting[next]?.calls ?? Number.POSITIVE_INFINITY;
  return own.some(
    ({ id: call, operation, status }) =>
      operation === "sendMessageToCustomerThread" &&
      status === 200 &&
      numberOf(call) > from &&
      numberOf(call) <= to,
  );
}

/**
 * Whether the webhook got another delivery after one before a step waited. What the system under test caused meanwhile follows its own
 * events alone, and these may be held back while a step waits for a message in a thread.
 */
function isFollowed(
  delivery: DeliveryRecord,
  deliveries: readonly DeliveryRecord[],
  marks: readonly Mark[],
  isOwn: (delivery: DeliveryRecord) => boolean,
): boolean {
  const number = numberOf(delivery.id);
  const next = deliveries.find(
    (other) =>
      numberOf(other.id) > number &&
      other.webhookId === delivery.webhookId &&
      (isOwn(delivery) || !isOwn(other)),
  );
  if (next === undefined) return false;
  const waits = ({ kind }: ParsedStep) =>
    isOwn(delivery) ? kind.effect === "observes" && kind.inThread !== true : isPassive(kind);
  return !marks.some(
    ({ step, deliveries: newest }) => newest >= number && newest < numberOf(next.id) && waits(step),
  );
}
