/** Deliveries as steps that wait for them. */
import type { DeliveryRecord } from "../client/types.js";
import { valueAt } from "../kernel/json.js";
import type { Draft } from "./draft.js";
import { stable, UNSTABLE } from "./expected.js";
import type { References } from "./references.js";

type Fields = Readonly<Record<string, unknown>>;

/** What a payload is about, and the other fields that may distinguish payloads about the same. */
const FIELDS: Readonly<
  Record<DeliveryRecord["eventType"], { readonly subject: string; readonly others: readonly string[] }>
> = {
  message: {
    subject: "messageBody",
    others: ["fromCustomer", "invisible", "messageAttachmentName", "businessId", "channel"],
  },
  transfer: { subject: "newBusinessId", others: ["previousBusinessId", "employeeUserId"] },
};
/** A field beside the payload that distinguishes deliveries. */
type Address = "hookId" | "threadId";

/** Matches deliveries by no more than it takes to distinguish each from all others of the session. */
export class DeliverySteps {
  readonly #bySubject = new Map<string, DeliveryRecord[]>();

  readonly #address: readonly Address[];

  constructor(deliveries: readonly DeliveryRecord[], address: readonly Address[]) {
    this.#address = address;
    for (const delivery of deliveries) {
      const key = subjectKey(delivery);
      this.#bySubject.set(key, [...(this.#bySubject.get(key) ?? []), delivery]);
    }
  }

  /** A step that waits until a delivery has the status that it came to. */
  step(delivery: DeliveryRecord, references: References): Draft {
    const { eventType, status, legacy } = delivery;
    const { subject, others } = FIELDS[eventType];
    const similar = this.#bySubject.get(subjectKey(delivery)) ?? [];
    const address = this.#address.filter((field) => differ(similar, (each) => each[field]));
    const distinguishing = others.filter((field) => differ(similar, (each) => payloadOf(each)[field]));
    const data = stableFields(payloadOf(delivery), [subject, ...distinguishing], references);
    const match = {
      eventType,
      ...stableFields(delivery, address, references),
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
  }
}

const subjectKey = (delivery: DeliveryRecord): string => {
  const { eventType, legacy } = delivery;
  return JSON.stringify([eventType, legacy, payloadOf(delivery)[FIELDS[eventType].subject]]);
};

const differ = (
  deliveries: readonly DeliveryRecord[],
  field: (delivery: DeliveryRecord) => unknown,
): boolean => new Set(deliveries.map(field)).size > 1;

/** Fields of a record in a form that is the same at each replay; those that have none are left out. */
function stableFields(record: object, fields: readonly string[], references: References): Fields {
  const values = fields
    .filter((field) => Object.hasOwn(record, field))
    .map((field) => [field, stable(valueAt(record, [field]), references, field)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== UNSTABLE));
}

const payloadOf = (delivery: DeliveryRecord): Fields => ({
  ...(delivery.legacy ? delivery.body : delivery.body.data),
});
