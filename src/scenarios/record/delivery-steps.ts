/** Deliveries as steps that wait for them, and what their receivers answered as faults that answer in their place. */
import type { DeliveryRecord } from "../../client/types.js";
import type { Draft } from "./draft.js";
import { stable, UNSTABLE } from "./expected.js";
import type { References } from "./references.js";
import type { Decision, Timeline } from "./timeline.js";

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

/** What stood in for a receiver: `times` in a row, the same each time. */
interface Answer {
  readonly webhook: string;
  /** The position of the entry before which it is set. */
  readonly before: number;
  readonly then: { readonly status: number } | { readonly drop: "before" };
  times: number;
}

/** When nothing answered, an unavailable receiver stands for it. */
const NO_ANSWER = 503;

/**
 * The faults that play back what receivers outside the simulator answered, by the position of the entry before which
 * they are armed. The simulator's own sinks answer for themselves.
 */
export function receiversOf({ entries, decisions }: Timeline, references: () => References) {
  const isClearing = (position: number): boolean => {
    const entry = entries[position];
    return entry?.kind === "control" && entry.control.method === "DELETE" && entry.control.path === "/faults";
  };
  const runs: Answer[] = [];
  const current = new Map<string, Answer>();
  let seen = 0;
  for (const decision of decisions.filter(({ delivery }) => !delivery.url.startsWith("sink:"))) {
    for (; seen < decision.after; seen += 1) if (isClearing(seen)) current.clear();
    const webhook = decision.delivery.webhookId;
    const then = answerOf(decision);
    const last = current.get(webhook);
    if (last !== undefined && JSON.stringify(last.then) === JSON.stringify(then)) last.times += 1;
    else {
      const run = { webhook, before: last?.before ?? decision.after, then, times: 1 };
      current.set(webhook, run);
      runs.push(run);
    }
  }
  return (position: number): Draft[] =>
    runs
      .filter(({ before }) => before === position)
      .map(({ webhook, then, times }, _index, own) => {
        const isLast = own.findLast((run) => run.webhook === webhook)?.then === then;
        const match = { webhookId: references().id(webhook) };
        return {
          noun: "receiver",
          step: { fault: { on: "delivery", match, ...(isLast ? {} : { times }), then } },
        };
      });
}

function answerOf({ attempt, delivery }: Decision): Answer["then"] {
  if (attempt === undefined || delivery.status === "dropped") return { drop: "before" };
  return { status: attempt.error === null ? (attempt.status ?? NO_ANSWER) : NO_ANSWER };
}
