/** Runs a scenario unchanged, to learn what the system under test does in it. */

import { payloadOf } from "../../client/log-entries.js";
import type { BehaviourRow, CoverageReport, DeliveryRecord, RequestRecord } from "../../client/types.js";
import { getOrInsert } from "../../kernel/objects.js";
import { segment } from "../../protocol/names.js";
import { transportTo } from "../../scenarios/http.js";
import type { Scenario } from "../../scenarios/read.js";
import type { Report } from "../../scenarios/report.js";
import type { ParsedStep } from "../../scenarios/step.js";
import { isPassive } from "../../scenarios/step.js";
import type { BehaviourKey } from "../../service/behaviour/table.js";
import { isBehaviourKey } from "../../service/behaviour/table.js";
import { reportSince } from "../coverage/report.js";
import type { EventSubject, TemplateUse } from "./kinds.js";
import { UNCHANGED } from "./kinds.js";
import type { Pace, Stage } from "./play.js";
import { looksAtDeliveries, paceOf, play, templateUseIn, UNKNOWN_PACE } from "./play.js";
import type { FactDifference, Facts } from "./wire.js";
import { callsIn, differencesOf, isClients, SENT, traceOf } from "./wire.js";

/** The turns in which operations are first called and events sent. */
export type Turns = ReadonlyMap<string, ReadonlySet<number>>;

export interface Observed {
  readonly report: Report;
  /** Its conversations, in Markdown. */
  readonly transcript: string;
  /** The operations that it called. */
  readonly operations: readonly string[];
  /** The events that it received. */
  readonly events: readonly EventSubject[];
  /** The behaviour entries that its calls and deliveries consulted. */
  readonly keys: readonly BehaviourKey[];
  /** How many messages it sent. */
  readonly sent: number;
  readonly isSigned: boolean;
  /** Names of events that were followed by another which no step had waited for. */
  readonly followed: ReadonlySet<string>;
  /** Whether it sent a message in the turn of a transfer. */
  readonly answersTransfers: boolean;
  readonly templates: TemplateUse | undefined;
  readonly trace: Facts;
  /** How often each call was made. */
  readonly calls: ReadonlyMap<string, number>;
  readonly turns: Turns;
  readonly outcome: Facts;
  /** Names of facts in which two unchanged runs differ: of the final state, and of all. */
  readonly varying: readonly string[];
  readonly unstable: ReadonlySet<string>;
  readonly pace: Pace;
}

/** A step, and the numbers of calls and deliveries when it began. */
interface Mark {
  readonly step: ParsedStep;
  readonly calls: number;
  readonly deliveries: number;
}

/** Runs a scenario twice unchanged, or once if it fails. @throws UnusableScenario, SimError */
export async function observe(
  scenario: Scenario,
  stage: Stage,
): Promise<Observed | { readonly report: Report; readonly operations?: undefined }> {
  const transport = transportTo(stage.target);
  const server = transportTo({ url: stage.target.url, controlToken: stage.target.controlToken });
  const coverage = () =>
    server.call<CoverageReport>("GET", `/sandboxes/${segment(stage.target.sandbox)}/coverage`);
  const before = await coverage();
  const marks: Mark[] = [];
  const onStep = async (step: ParsedStep) => {
    const { length: calls } = await transport.call<RequestRecord[]>("GET", "/requests");
    const { length: deliveries } = await transport.call<DeliveryRecord[]>("GET", "/deliveries");
    marks.push({ step, calls, deliveries });
  };
  const first = await play(scenario, UNCHANGED, stage, UNKNOWN_PACE, onStep);
  if (!first.report.ok) return { report: first.report };
  const { report, outcome } = first;
  const { deliveries, requests: calls } = first.wire;
  const transcript = await first.transcript();
  const rows = await transport.call<BehaviourRow[]>("GET", "/behaviour");
  const { behaviours, operations } = reportSince(before, await coverage());
  const second = await play(scenario, UNCHANGED, stage, paceOf(first));
  if (!second.report.ok) return { report: second.report };
  const trace = traceOf(first.wire);
  const varying = namesOf(differencesOf(outcome, second.outcome));
  const own = calls.filter(isClients);
  const events = eventsIn(deliveries, new Set(own.map(({ id }) => id)));
  const turns = turnsIn(calls, deliveries, marks);
  return {
    ...{ report, outcome, transcript, trace, varying, events, turns },
    // Coverage also counts calls that the journal no longer holds, but none that a fault answered.
    operations: operations
      .filter(
        ({ operation, outcomes }) =>
          outcomes.some(({ met }) => met > 0) || own.some((call) => call.operation === operation),
      )
      .map(({ operation }) => operation),
    keys: behaviours.map(({ key }) => key).filter(isBehaviourKey),
    isSigned: rows.some(({ key, value }) => key === "delivery.signature" && value !== null),
    followed: followedIn(deliveries, marks, events),
    sent: calls.filter(isSent).length,
    answersTransfers: calls.some(
      (call, index) => isSent(call) && turns.get("transfer")?.has(turnAt(marks, "calls", index)),
    ),
    templates: templateUseIn(calls, report),
    calls: callsIn(calls),
    unstable: new Set([...varying, ...namesOf(differencesOf(trace, traceOf(second.wire)))]),
    // The first run of a program is slower than all others.
    pace: paceOf(second),
  };
}

const namesOf = (differences: readonly FactDifference[]): string[] => differences.map(({ what }) => what);

const isSent = (call: RequestRecord): boolean =>
  isClients(call) && call.operation === SENT.operation && call.status !== null && call.status < 300;

/** The kinds of events that were sent. @param ownCalls the ids of the system under test's calls */
function eventsIn(deliveries: readonly DeliveryRecord[], ownCalls: ReadonlySet<string>): EventSubject[] {
  const events = new Map<string, EventSubject>();
  for (const delivery of deliveries.filter(({ attempts }) => attempts.length > 0)) {
    const subject = subjectOf(delivery);
    const isCaused = ownCalls.has(delivery.causedBy ?? "");
    const { isOwn = false, isOnlyOwn = true } = events.get(subject.name) ?? {};
    events.set(subject.name, { ...subject, isOwn: isOwn || isCaused, isOnlyOwn: isOnlyOwn && isCaused });
  }
  return [...events.values()];
}

function subjectOf(delivery: DeliveryRecord) {
  const { eventType: event, legacy } = delivery;
  if (event !== "message") return { name: event, match: { eventType: event }, legacy, event };
  const fromCustomer = payloadOf(delivery).fromCustomer === true;
  const name = `message.${fromCustomer ? "customer" : "business"}${legacy ? ".legacy" : ""}`;
  const matched = legacy ? { eventType: { $absent: true }, fromCustomer } : { data: { fromCustomer } };
  return { name, match: { eventType: event, body: matched }, legacy, event };
}

/**
 * Events after which the webhook got another that was independent of them: no step waited in between, and the system under
 * test did not cause it. Events about its own messages may be held back while a step waits for something else.
 */
function followedIn(
  deliveries: readonly DeliveryRecord[],
  marks: readonly Mark[],
  events: readonly EventSubject[],
): Set<string> {
  const followed = new Set<string>();
  const isOwn = ({ causedBy }: DeliveryRecord) => causedBy?.startsWith("r") === true;
  for (const [index, delivery] of deliveries.entries()) {
    // An event that the system under test caused meanwhile only follows its own events.
    const next = deliveries.findIndex(
      (other, at) =>
        at > index && other.webhookId === delivery.webhookId && (isOwn(delivery) || !isOwn(other)),
    );
    const { name } = subjectOf(delivery);
    const canWait = events.some((subject) => subject.name === name && subject.isOnlyOwn);
    const between = marks.filter((mark) => mark.deliveries > index && mark.deliveries <= next);
    const hasWaited = between.some(({ step }) => (canWait ? looksAtDeliveries(step) : isPassive(step.kind)));
    if (next > 0 && !hasWaited) followed.add(name);
  }
  return followed;
}

/** A turn begins with each step that acts. */
const turnAt = (marks: readonly Mark[], log: "calls" | "deliveries", index: number): number =>
  marks.filter((mark) => !isPassive(mark.step.kind) && mark[log] <= index).length;

/** Of an operation only the first call counts, since its fault fires once. */
function turnsIn(
  calls: readonly RequestRecord[],
  deliveries: readonly DeliveryRecord[],
  marks: readonly Mark[],
): Turns {
  const turns = new Map<string, Set<number>>();
  for (const [index, call] of calls.entries())
    if (call.operation !== null && isClients(call) && !turns.has(call.operation))
      turns.set(call.operation, new Set([turnAt(marks, "calls", index)]));
  for (const [index, delivery] of deliveries.entries())
    getOrInsert(turns, subjectOf(delivery).name, () => new Set()).add(turnAt(marks, "deliveries", index));
  return turns;
}
