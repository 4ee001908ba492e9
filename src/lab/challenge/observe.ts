/** Runs a scenario unchanged, to learn what the system under test does in it. */

import { payloadOf } from "../../client/log-entries.js";
import type { DeliveryRecord, RequestRecord } from "../../client/types.js";
import { isObject, valueAt } from "../../kernel/json.js";
import { numberOf } from "../../kernel/objects.js";
import type { Scenario } from "../../scenarios/read.js";
import type { Report } from "../../scenarios/report.js";
import type { ParsedStep } from "../../scenarios/step.js";
import { isPassive } from "../../scenarios/step.js";
import { isBehaviourKey } from "../../service/behaviour/table.js";
import { differencesOf } from "./facts.js";
import type { Mark, Pace, Played, Stage } from "./play.js";
import { play, quietMsOf, UNKNOWN_PACE } from "./play.js";
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
  const first = await play(scenario, {}, stage, UNKNOWN_PACE, true);
  if (!first.report.ok) return { report: first.report, pace: UNKNOWN_PACE };
  const expected: Pace = { ...UNKNOWN_PACE, quietMs: quietMsOf(first), facts: first.facts };
  const second = await play(scenario, {}, stage, expected);
  if (!second.report.ok) return { report: second.report, pace: UNKNOWN_PACE };
  const except = new Set(differencesOf(first.facts, second.facts).map(({ what }) => what));
  // The first run of a program is slower than all others.
  const pace = { ...expected, quietMs: quietMsOf(second), except };
  return { report: first.report, observed: observedIn(first), pace };
}

function observedIn(played: Played): Observed {
  const { calls, met } = played;
  const own = calls.filter(({ by }) => by === "client");
  const called = new Set(own.map(({ operation }) => operation));
  return {
    // Coverage also counts calls that the journal no longer holds, but none that a fault answered.
    operations: met.operations
      .filter(({ operation, outcomes }) => called.has(operation) || outcomes.some(({ met }) => met > 0))
      .map(({ operation }) => operation),
    events: eventsIn(played, own),
    keys: met.behaviours.map(({ key }) => key).filter(isBehaviourKey),
    usesTemplates: own.some(
      ({ body, response }) =>
        (isObject(body) && typeof body.contentSid === "string") ||
        valueAt(response, ["templates", 0]) !== undefined,
    ),
  };
}

/** The kinds of events that were sent. @param own the calls of the system under test */
function eventsIn({ deliveries, marks }: Played, own: readonly RequestRecord[]): ObservedEvent[] {
  const ids = new Set(own.map(({ id }) => id));
  const isCaused = ({ causedBy }: DeliveryRecord) => ids.has(causedBy ?? "");
  const byName = new Map<string, DeliveryRecord[]>();
  for (const delivery of deliveries.filter(({ attempts }) => attempts.length > 0)) {
    const { name } = subjectOf(delivery);
    byName.set(name, [...(byName.get(name) ?? []), delivery]);
  }
  return [...byName.values()].map((alike) => ({
    ...subjectOf(alike[0] as DeliveryRecord),
    isOwn: alike.some(isCaused),
    isAnswered: alike.some((delivery) => isAnswered(delivery, marks, own)),
    followed: followedIn(alike, { deliveries, marks, isCaused }),
  }));
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
  const [from, to] = [acting.at(next < 0 ? -1 : next - 1), acting[next]];
  return own.some(
    ({ id: call, operation, status }) =>
      operation === "sendMessageToCustomerThread" &&
      status === 200 &&
      numberOf(call) > (from?.calls ?? 0) &&
      (to === undefined || numberOf(call) <= to.calls),
  );
}

/** Whether a step may wait for deliveries: observing steps do, except those that wait for messages in a thread. */
const looksAtDeliveries = ({ kind }: ParsedStep): boolean =>
  kind.effect === "observes" && kind.inThread !== true;

/**
 * The first of some deliveries after which the webhook got another that was independent of it: no step waited in between, and
 * the system under test did not cause it. Events about its own messages may be held back while a step waits for something else.
 */
function followedIn(
  alike: readonly DeliveryRecord[],
  {
    deliveries,
    marks,
    isCaused,
  }: Pick<Played, "deliveries" | "marks"> & { readonly isCaused: (delivery: DeliveryRecord) => boolean },
): ObservedEvent["followed"] {
  const canWait = alike.every(isCaused);
  const found = alike.find((delivery) => {
    const number = numberOf(delivery.id);
    // An event that the system under test caused meanwhile only follows its own events.
    const next = deliveries.find(
      (other) =>
        numberOf(other.id) > number &&
        other.webhookId === delivery.webhookId &&
        (isCaused(delivery) || !isCaused(other)),
    );
    const isBetween = (mark: Mark) => mark.deliveries >= number && mark.deliveries < numberOf(next?.id);
    return (
      next !== undefined &&
      !marks.some(
        (mark) => isBetween(mark) && (canWait ? looksAtDeliveries(mark.step) : isPassive(mark.step.kind)),
      )
    );
  });
  if (found === undefined) return undefined;
  const { webhookId } = found;
  const after = alike.filter((one) => one.webhookId === webhookId).indexOf(found);
  return { match: { ...subjectOf(found).match, webhookId }, after };
}
