/** Deliveries as steps that wait for them. */
import { payloadOf } from "../../client/log-entries.js";
import type { DeliveryRecord } from "../../client/types.js";
import { valueAt } from "../../kernel/json.js";
import { getOrInsert } from "../../kernel/objects.js";
import type { Draft, References } from "./references.js";
import { stable, UNSTABLE } from "./references.js";

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
/** Makes steps that wait for a delivery: each matches it by as few fields as distinguish it from the others of the session. */
export function deliverySteps(
  deliveries: readonly DeliveryRecord[],
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
    const { eventType, legacy } = delivery;
    const { subject, others } = FIELDS[eventType];
    const differ = (field: (delivery: DeliveryRecord) => unknown) =>
      new Set(similarTo(delivery).map(field)).size > 1;
    const where = differ(({ threadId }) => threadId) ? ["threadId"] : [];
    const distinguishing = others.filter((field) => differ((each) => payloadOf(each)[field]));
    const data = stableFields(payloadOf(delivery), [subject, ...distinguishing], references);
    const match = {
      eventType,
      ...stableFields(delivery, where, references),
      ...(Object.keys(data).length > 0 && { body: legacy ? data : { data } }),
    };
    const isPlain = Object.keys(match).length === 1;
    const draft: Draft = { noun: eventType, step: { delivered: isPlain ? eventType : match } };
    for (const field of ["body", "webhookId", "hookId", "id"] as const)
      references.add(draft, delivery[field], [field]);
    return draft;
  };
}

/** The fields of a record that are stable over runs. */
function stableFields(record: object, fields: readonly string[], references: References): Fields {
  const values = fields
    .filter((field) => Object.hasOwn(record, field))
    .map((field) => [field, stable(valueAt(record, [field]), references, field)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== UNSTABLE));
}
