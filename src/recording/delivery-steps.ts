/** Deliveries as steps that wait for them. */
import type { DeliveryRecord } from "../client/types.js";
import type { Draft } from "./draft.js";
import { stable, UNSTABLE } from "./expected.js";
import type { References } from "./references.js";

type Fields = Readonly<Record<string, unknown>>;

/** What a payload is about, and the other fields that may tell payloads about the same apart. */
const TELLING: Readonly<Record<DeliveryRecord["eventType"], readonly [string, ...string[]]>> = {
  message: ["messageBody", "fromCustomer", "invisible", "messageAttachmentName", "businessId", "channel"],
  transfer: ["newBusinessId", "previousBusinessId", "employeeUserId"],
};
/** Fields beside the payload that tell deliveries apart. */
const ADDRESS = ["hookId", "threadId"] as const;

/** Writes deliveries down with no more than it takes to tell each from all others of the session. */
export class DeliverySteps {
  readonly #alike = new Map<string, DeliveryRecord[]>();

  constructor(deliveries: readonly DeliveryRecord[]) {
    for (const delivery of deliveries) {
      const key = subjectOf(delivery);
      this.#alike.set(key, [...(this.#alike.get(key) ?? []), delivery]);
    }
  }

  /** Waits for a delivery to come to what it came to. */
  step(delivery: DeliveryRecord, references: References): Draft {
    const { eventType, status, legacy } = delivery;
    const alike = this.#alike.get(subjectOf(delivery)) ?? [];
    const [subject, ...others] = TELLING[eventType];
    const address = ADDRESS.filter((field) => differIn(alike, (each) => each[field]));
    const telling = others.filter((field) => differIn(alike, (each) => payloadOf(each)[field]));
    const told = stableFields(payloadOf(delivery), [subject, ...telling], references);
    const body = legacy ? told : { data: told };
    const match = {
      eventType,
      ...stableFields(delivery, address, references),
      ...(Object.keys(told).length === 0 ? {} : { body }),
    };
    const isPlain = Object.keys(match).length === 1;
    const step =
      status === "delivered"
        ? { delivered: isPlain ? eventType : match }
        : { expect: { delivery: { status, ...match } } };
    const draft: Draft = { noun: eventType, step };
    for (const field of ["body", "webhookId", "hookId", "id"] as const)
      references.made(draft, delivery[field], [field]);
    return draft;
  }
}

const subjectOf = (delivery: DeliveryRecord): string => {
  const { eventType, legacy } = delivery;
  return JSON.stringify([eventType, legacy, payloadOf(delivery)[TELLING[eventType][0]]]);
};

const differIn = (
  deliveries: readonly DeliveryRecord[],
  field: (delivery: DeliveryRecord) => unknown,
): boolean => new Set(deliveries.map(field)).size > 1;

/** Fields of a record in a form that is the same at each replay; those that have none are left out. */
function stableFields(record: object, fields: readonly string[], references: References): Fields {
  const values = fields
    .filter((field) => Object.hasOwn(record, field))
    .map((field) => [field, stable((record as Fields)[field], references, field)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== UNSTABLE));
}

const payloadOf = ({ body, legacy }: DeliveryRecord): Fields =>
  (legacy ? body : (body as { data: object }).data) as Fields;
