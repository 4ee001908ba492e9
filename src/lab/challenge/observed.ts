/** Runs a scenario unchanged, to learn what the system under test does in it. */

import type { BehaviourRow, CoverageReport, DeliveryRecord, RequestRecord } from "../../client/types.js";
import { segment } from "../../protocol/names.js";
import { transportTo } from "../../scenarios/http.js";
import type { Scenario } from "../../scenarios/read.js";
import type { Report } from "../../scenarios/report.js";
import type { ParsedStep } from "../../scenarios/step.js";
import { isPassive } from "../../scenarios/step.js";
import type { BehaviourKey } from "../../service/behaviour/table.js";
import { isBehaviourKey } from "../../service/behaviour/table.js";
import { templateUseIn } from "./adapted.js";
import type { EventSubject, TemplateUse } from "./kinds.js";
import { UNCHANGED } from "./kinds.js";
import type { Pace, Stage } from "./play.js";
import { looksAtDeliveries, paceOf, play } from "./play.js";
import type { Facts } from "./wire.js";
import { callsIn, differencesOf, SENT, traceOf } from "./wire.js";

/** The turns in which operations are first called and events sent. */
export type Turns = ReadonlyMap<string, ReadonlySet<number>>;

export interface Observed {
  readonly report: Report;
  /** Its conversations, in Markdown. */
  readonly transcript: string;
  /** The operations that it called. */
  readonly operations: readonly string[];
  /** The events that it got. */
  readonly events: readonly EventSubject[];
  /** The behaviour entries that its calls and deliveries consulted. */
  readonly keys: readonly BehaviourKey[];
  /** How many messages it sent. */
  readonly sent: number;
  readonly isSigned: boolean;
  /** Names of events that were followed by another which no step had waited for. */
  readonly followed: ReadonlySet<string>;
  /** Names of events not caused by customers that it answered with a message. */
  readonly answered: ReadonlySet<string>;
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

/** The numbers of calls and deliveries when a step began, and what the step waits for. */
interface Mark {
  readonly calls: number;
  readonly deliveries: number;
  readonly waits: boolean;
  readonly looksAtDeliveries: boolean;
}

type ShownRun = Pick<Observed, "report"> & Partial<Observed>;

/** Runs a scenario twice unchanged, or once if it fails. @throws UnusableScenario, SimError */
export async function observe(
  scenario: Scenario,
  stage: Stage,
): Promise<Observed | (ShownRun & { readonly operations?: undefined })> {
  const transport = transportTo(stage.target);
  const server = transportTo({ url: stage.target.url, controlToken: stage.target.controlToken });
  const path = `/sandboxes/${segment(stage.target.sandbox)}/coverage`;
  const before = await server.call<CoverageReport>("GET", path);
  const marks: Mark[] = [];
  const onStep = async (step: ParsedStep) => {
    const { length: calls } = await transport.call<RequestRecord[]>("GET", "/requests");
    const { length: deliveries } = await transport.call<DeliveryRecord[]>("GET", "/deliveries");
    const waits = isPassive(step.kind);
    marks.push({ calls, deliveries, waits, looksAtDeliveries: looksAtDeliveries(step) });
  };
  const first = await play(scenario, UNCHANGED, stage, { onStep });
  if (!first.report.ok) return { report: first.report };
  const { deliveries, requests: calls } = first.wire;
  const transcript = await first.transcript();
  const rows = await transport.call<BehaviourRow[]>("GET", "/behaviour");
  const coverage = await server.call<CoverageReport>("GET", path);
  const second = await play(scenario, UNCHANGED, stage, { pace: paceOf(first) });
  if (!second.report.ok) return { report: second.report };
  const trace = traceOf(first.wire);
  const varying = differencesOf(first.outcome, second.outcome).map(({ what }) => what);
  const otherwise = differencesOf(trace, traceOf(second.wire)).map(({ what }) => what);
  const met = metSince(before, coverage);
  const turns = turnsIn(calls, deliveries, marks);
  return {
    report: first.report,
    transcript,
    ...met,
    isSigned: rows.some(({ key, value }) => key === "delivery.signature" && value !== null),
    followed: followedIn(
      deliveries,
      marks.filter(({ waits }) => waits),
      met.events,
    ),
    sent: calls.filter(isSent).length,
    turns,
    answered: answeredIn(calls, marks, turns),
    templates: templateUseIn(calls, first.report),
    trace,
    calls: callsIn(calls),
    outcome: first.outcome,
    varying,
    unstable: new Set([...varying, ...otherwise]),
    // The first run of a program is slower than all others.
    pace: paceOf(second),
  };
}

function metSince(before: CoverageReport, after: CoverageReport) {
  const operations = after.operations.flatMap(({ operation, outcomes }, at) => {
    const met = (rows: typeof outcomes | undefined) => (rows ?? []).reduce((sum, row) => sum + row.met, 0);
    return met(outcomes) > met(before.operations[at]?.outcomes) ? [operation] : [];
  });
  const events = new Map<string, EventSubject>();
  for (const [at, kind] of after.events.entries()) {
    if (kind.met === (before.events[at]?.met ?? 0)) continue;
    const subject = subjectOf({ ...kind, fromCustomer: kind.cause === "customer" });
    const known = events.get(subject.name);
    const isOwn = kind.cause === "api";
    events.set(subject.name, {
      ...subject,
      isOwn: isOwn || known?.isOwn === true,
      isOnlyOwn: isOwn && known?.isOnlyOwn !== false,
    });
  }
  const earlier = new Map(before.behaviours.map(({ key, consulted }) => [key, consulted]));
  const keys = after.behaviours.flatMap(({ key, consulted }) =>
    isBehaviourKey(key) && consulted > (earlier.get(key) ?? 0) ? [key] : [],
  );
  return { operations, events: [...events.values()], keys };
}

interface Event {
  readonly event: EventSubject["event"];
  readonly fromCustomer: boolean;
  readonly legacy: boolean;
}

function subjectOf({ event, fromCustomer, legacy }: Event): Omit<EventSubject, "isOwn" | "isOnlyOwn"> {
  if (event === "transfer") return { name: "transfer", match: { eventType: event }, legacy, event };
  const body = legacy ? { eventType: { $absent: true }, fromCustomer } : { data: { fromCustomer } };
  const name = `message.${fromCustomer ? "customer" : "business"}${legacy ? ".legacy" : ""}`;
  return { name, match: { eventType: event, body }, legacy, event };
}

function subjectOfDelivery({ eventType, legacy, body }: DeliveryRecord): string {
  const payload = body as {
    readonly fromCustomer?: boolean;
    readonly data?: { readonly fromCustomer?: boolean };
  };
  const fromCustomer = (legacy ? payload.fromCustomer : payload.data?.fromCustomer) === true;
  return subjectOf({ event: eventType, fromCustomer, legacy }).name;
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
    if (next < 0) continue;
    const name = subjectOfDelivery(delivery);
    const canWait = events.some((subject) => subject.name === name && subject.isOnlyOwn);
    const hasWaited = marks.some(
      (mark) => mark.deliveries > index && mark.deliveries <= next && (!canWait || mark.looksAtDeliveries),
    );
    if (!hasWaited) followed.add(name);
  }
  return followed;
}

const turnAt = (marks: readonly Mark[], log: "calls" | "deliveries", index: number): number =>
  marks.filter((mark) => !mark.waits && mark[log] <= index).length;

/** Events not caused by customers in whose turns the system under test sent messages. */
function answeredIn(calls: readonly RequestRecord[], marks: readonly Mark[], turns: Turns): Set<string> {
  const sent = new Set(calls.flatMap((call, index) => (isSent(call) ? [turnAt(marks, "calls", index)] : [])));
  const isAnswered = (name: string) => [...(turns.get(name) ?? [])].some((turn) => sent.has(turn));
  return new Set(["transfer"].filter(isAnswered));
}

/** A turn begins with each step that acts. Of an operation only the first call counts, since its fault fires once. */
function turnsIn(
  calls: readonly RequestRecord[],
  deliveries: readonly DeliveryRecord[],
  marks: readonly Mark[],
): Turns {
  const turns = new Map<string, Set<number>>();
  for (const [index, { operation, by }] of calls.entries())
    if (operation !== null && by === "client" && !turns.has(operation))
      turns.set(operation, new Set([turnAt(marks, "calls", index)]));
  for (const [index, delivery] of deliveries.entries()) {
    const name = subjectOfDelivery(delivery);
    turns.set(name, (turns.get(name) ?? new Set()).add(turnAt(marks, "deliveries", index)));
  }
  return turns;
}

const isSent = ({ by, operation, status }: RequestRecord): boolean =>
  by === SENT.by && operation === SENT.operation && status !== null && status < 300;
