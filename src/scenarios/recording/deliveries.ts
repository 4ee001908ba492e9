/** Deliveries as steps that wait for them, and receivers' answers as faults. */
import { payloadOf } from "../../client/log-entries.js";
import type { DeliveryRecord } from "../../client/types.js";
import { valueAt } from "../../kernel/json.js";
import { getOrInsert } from "../../kernel/objects.js";
import type { Draft, References } from "./references.js";
import { stable, UNSTABLE } from "./references.js";
import type { DeliveryAttempt, Entry, Timeline } from "./session.js";
import { isCall, isRetryDropped } from "./session.js";

type Fields = Readonly<Record<string, unknown>>;

/** The main field of a payload, and fields that may distinguish payloads with the same one. */
const FIELDS: Readonly<
  Record<DeliveryRecord["eventType"], { readonly subject: string; readonly others: readonly string[] }>
> = {
  message: {
    subject: "messageBody",
    others: ["fromCustomer", "invisible", "messageAttachmentName", "businessId", "channel"],
  },
  transfer: { subject: "newBusinessId", others: ["previousBusinessId", "employeeUserId"] },
};
/**
 * Makes steps that wait until a delivery has its final status. Each matches its delivery by as few fields as distinguish it from
 * the others of the session. Of the delivery's own fields, only those in `address` are used.
 */
export function deliverySteps(
  deliveries: readonly DeliveryRecord[],
  address: readonly ("hookId" | "threadId")[],
  references: References,
): (delivery: DeliveryRecord) => Draft {
  const bySubject = new Map<string, DeliveryRecord[]>();
  const similarTo = (delivery: DeliveryRecord) => {
    const { eventType, legacy } = delivery;
    const key = JSON.stringify([eventType, legacy, payloadOf(delivery)[FIELDS[eventType].subject]]);
    return getOrInsert(bySubject, key, () => []);
  };
  for (const delivery of deliveries) similarTo(delivery).push(delivery);
  return (delivery) => {
    const { eventType, status, legacy } = delivery;
    const { subject, others } = FIELDS[eventType];
    const differ = (field: (delivery: DeliveryRecord) => unknown) =>
      new Set(similarTo(delivery).map(field)).size > 1;
    const where = address.filter((field) => differ((each) => each[field]));
    const distinguishing = others.filter((field) => differ((each) => payloadOf(each)[field]));
    const data = stableFields(payloadOf(delivery), [subject, ...distinguishing], references);
    const match = {
      eventType,
      ...stableFields(delivery, where, references),
      ...(Object.keys(data).length > 0 && { body: legacy ? data : { data } }),
    };
    const isPlain = Object.keys(match).length === 1;
    const step =
      status === "delivered"
        ? { delivered: isPlain ? eventType : match }
        : { expect: { delivery: { status, ...match } } };
    const draft: Draft = { noun: eventType, step };
    for (const field of ["body", "webhookId", "hookId", "id"] as const)
      references.add(draft, delivery[field], [field]);
    return draft;
  };
}

/** The fields of a record that are stable over replays. */
function stableFields(record: object, fields: readonly string[], references: References): Fields {
  const values = fields
    .filter((field) => Object.hasOwn(record, field))
    .map((field) => [field, stable(valueAt(record, [field]), references, field)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== UNSTABLE));
}

interface Series {
  readonly webhook: string;
  readonly before: number;
  readonly then: { readonly status: number } | { readonly drop: "before" };
  times: number;
}

const NO_ANSWER = 503;
const ANSWERING_PRESETS = ["unavailable", "rate-limited", "hang-up"];

/**
 * The faults to arm before each entry. The oldest matching rule wins: the session's own rules precede those that replay
 * receivers if they decide a delivery, and follow them if they let it through. Sinks need no faults.
 */
export function receiverFaults({ entries, attempts }: Timeline, references: References) {
  const all: Series[] = [];
  const current = new Map<string, Series>();
  let passing: number | undefined;
  let seen = 0;
  for (const decision of attempts) {
    for (; seen < decision.after; seen += 1) {
      const effect = effectOn(entries[seen]);
      if (effect === "passes") passing ??= seen;
      else if (effect === "decides") {
        current.clear();
        passing = undefined;
      }
    }
    const webhook = decision.delivery.webhookId;
    if (isSink(decision)) current.delete(webhook);
    if (!isByReceiver(decision)) continue;
    const then = answerOf(decision);
    const last = current.get(webhook);
    if (last !== undefined && JSON.stringify(last.then) === JSON.stringify(then)) last.times += 1;
    else {
      const series = { webhook, before: last?.before ?? passing ?? decision.after, then, times: 1 };
      current.set(webhook, series);
      all.push(series);
    }
  }
  return (position: number): Draft[] =>
    all
      .filter(({ before }) => before === position)
      .map(({ webhook, times, then }) => {
        const match = { webhookId: references.id(webhook) };
        return { noun: "receiver", step: { fault: { on: "delivery", match, times, then } } };
      });
}

/** Whether a call may affect pending deliveries: all but those about threads may. */
export const mayDecideTries = (entry: Entry): boolean =>
  isCall(entry)
    ? /hook|graphql/.test(entry.path)
    : !/^\/(?:threads\/|events$|clock\/advance$)/.test(entry.path);

/** Whether an entry is a rule that decides deliveries, one that lets them through, or a removal of all rules. */
function effectOn(entry: Entry | undefined): "decides" | "passes" | undefined {
  if (entry?.path !== "/faults" || isCall(entry)) return undefined;
  if (entry.method === "DELETE") return "decides";
  const { on, then } = entry.body as { on: string; then: string | Readonly<Record<string, unknown>> };
  if (on !== "delivery") return undefined;
  const decides =
    typeof then === "string"
      ? ANSWERING_PRESETS.includes(then)
      : then.drop === "before" || then.status !== undefined || then.body !== undefined;
  return decides ? "decides" : "passes";
}

/** Whether a real receiver decided: a fault answers in no time. */
const isByReceiver = (decision: DeliveryAttempt): boolean =>
  !isSink(decision) && (decision.attempt.error !== null || decision.attempt.durationMs > 0);

const isSink = ({ delivery }: DeliveryAttempt): boolean => delivery.url.startsWith("sink:");

function answerOf({ attempt, delivery }: DeliveryAttempt): Series["then"] {
  const isIgnored = delivery.status === "dropped" && !isRetryDropped(delivery);
  if (isIgnored && attempt === delivery.attempts.at(-1)) return { drop: "before" };
  return { status: attempt.error === null ? (attempt.status ?? NO_ANSWER) : NO_ANSWER };
}
