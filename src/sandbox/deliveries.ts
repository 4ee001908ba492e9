/** Deliveries: how they are shown, how they are queued, and how an event becomes one. */

import { DELIVERY_STATUSES, EVENT_TYPES } from "../kernel/names.js";
import { getOrInsert } from "../kernel/objects.js";
import type { InferReadonly } from "../kernel/schema.js";
import {
  array,
  boolean,
  integer,
  literal,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
  unknown,
} from "../kernel/schema.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import { type DomainEvent, notificationsOf } from "../service/domain/events.js";
import { isSendable } from "../service/domain/webhooks.js";
import { instant, type NameValue, type Webhook } from "../service/world/records.js";
import type { World } from "../service/world/world.js";
import { type Coverage, type EventKind, kindOfEvent, rowOfKind } from "./coverage.js";
import type { FaultAction } from "./fault-effects.js";
import type { InFlightCounter } from "./in-flight.js";
import type { Cause } from "./journal.js";
import type { Log } from "./log.js";
import type { Saver } from "./saver.js";

const attemptSchema = object(
  {
    at: instant({ description: "the sandbox's time, ms" }),
    status: nullable(integer()),
    durationMs: number(),
    error: nullable(string()),
    responseBody: nullable(string()),
    fault: optional(
      string({
        description: "the fault rule that fired, and what it sent instead of `body`",
        examples: ["f1"],
      }),
    ),
    stubbed: optional(
      literal(true, { description: "true if the rule responded and the receiver was not called" }),
    ),
    copy: optional(
      literal(true, { description: "true for a changed copy, whose result does not count for the delivery" }),
    ),
  },
  { title: "attempt" },
);
/** One attempt to reach a receiver. */
export type Attempt = InferReadonly<typeof attemptSchema>;

export const DELIVERY_FIELDS = {
  id: string({ examples: ["d1"] }),
  causedBy: nullable(string({ description: "the journal entry (r…) or control call (c…) that caused it" })),
  webhookId: string(),
  hookId: string(),
  threadId: string(),
  url: string(),
  eventType: oneOf(EVENT_TYPES),
  legacy: boolean(),
  body: record(unknown(), { description: "the payload" }),
  headers: record(string()),
  secretHeaders: optional(
    array(string(), { description: "names in lower case; values of extraHeaders are masked" }),
  ),
  status: oneOf(DELIVERY_STATUSES),
  reason: nullable(string({ description: "why it was blocked, dropped or held" })),
  attempts: array(attemptSchema),
  nextAttemptAt: nullable(instant({ description: "the sandbox's time of the next attempt, ms" })),
};
export const deliverySchema = object(DELIVERY_FIELDS, { title: "delivery" });
type Shown = InferReadonly<typeof deliverySchema>;

/** An event on its way to one webhook, as `GET /__sim/deliveries` shows it. */
export type Delivery = { -readonly [Field in keyof Shown]: Shown[Field] };

/** What of a webhook decides where a delivery goes and with which headers. */
interface DeliveryWebhook extends Pick<Webhook, "id" | "hookId" | "url" | "extraHeaders"> {
  /** Requested by hand: sent even if the webhook is disabled or deleted. */
  readonly byHand?: boolean;
}

/** The id of any webhook that was deleted: a later one may have its own. */
const DELETED = "";

const serialized = (body: object): Buffer => Buffer.from(JSON.stringify(body));

export class PendingDelivery {
  /** The number of attempts; an attempt that a fault duplicates counts once. */
  attempts = 0;
  /** The fault of the next attempt, if it was already drawn because it holds the delivery back. */
  fault: FaultAction | undefined;
  /** What it counts as in the coverage; like that, not kept over a restart. */
  kind: EventKind | undefined;
  /** Resolves once its event is as durable as promised; undefined if it is. */
  saved: Promise<void> | undefined;

  constructor(
    readonly delivery: Delivery,
    /** The webhook at the time of the event, or of the last attempt that followed its updates. */
    public webhook: DeliveryWebhook,
    /** The serialized payload, identical in each attempt. */
    readonly body = serialized(delivery.body),
  ) {}
}

/** The names, in lower case, of `extraHeaders` whose values are secret: all except the sandbox's own API keys, which are test data. */
export function secretHeadersOf(
  { world, sandboxId }: { readonly world: Pick<World, "get">; readonly sandboxId: string },
  extraHeaders: readonly NameValue[],
): string[] {
  const isApiKey = (value: string) =>
    [value, value.replace(`${sandboxId}.`, "")].some((id) => world.get("tokens", id) !== undefined);
  const secret = extraHeaders.filter(({ name, value }) => isSendable(name) && !isApiKey(value));
  return [...new Set(secret.map(({ name }) => name.toLowerCase()))];
}

/** Where the deliveries of a run are queued. It is idle if none is due or in flight. */
export interface Outbox extends Pick<InFlightCounter, "idle" | "settled"> {
  accept(pending: PendingDelivery): void;
  /** Sends deliveries that were held back by fault rules which no longer exist. */
  releaseHeld(): void;
  /** A webhook was deleted: one that is created later with the same id does not wait for its deliveries. */
  forgetWebhook(id: string): void;
}

interface DeliveringRun {
  readonly world: World;
  readonly coverage: Coverage;
  readonly logs: { readonly deliveryLog: Log<Delivery>; causes(cause: string | null): void };
  readonly outbox: Pick<Outbox, "accept" | "forgetWebhook">;
  readonly saver: Pick<Saver, "changed">;
}

/** The deliveries of a saved sandbox. */
export interface KeptDeliveries {
  readonly pending: readonly Pick<PendingDelivery, "delivery" | "webhook" | "attempts" | "fault">[];
  readonly failures: Readonly<Record<string, number>>;
}

export class RunDeliveries {
  readonly pending = new Map<string, PendingDelivery>();
  /** How many deliveries of a webhook have failed in a row, by webhook id (behaviour `delivery.autoDisable`). */
  readonly failures: Map<string, number>;
  /** The size of the payloads of `pending`. */
  pendingBytes = 0;

  constructor(
    private readonly run: DeliveringRun,
    kept: KeptDeliveries = { pending: [], failures: {} },
  ) {
    for (const { delivery, webhook, ...progress } of kept.pending)
      this.pending.set(delivery.id, Object.assign(new PendingDelivery(delivery, webhook), progress));
    this.failures = new Map(Object.entries(kept.failures));
  }

  resume(): void {
    for (const pending of this.pending.values()) this.#accept(pending);
  }

  announce(cause: Cause, event: DomainEvent, behaviour: BehaviourValues): void {
    const { eventType, thread } = event;
    // Thousands of webhooks may receive the same payload.
    const payloads = new Map<object, Buffer>();
    for (const { webhook, body } of notificationsOf(this.run.world, event, behaviour, cause.legacy)) {
      const { legacy } = webhook;
      const kind = kindOfEvent(event, cause.entry?.by, legacy);
      if (kind !== undefined) this.run.coverage.count(...rowOfKind(kind));
      const payload = getOrInsert(payloads, body, () => serialized(body));
      this.deliver(cause, webhook, { threadId: thread.id, eventType, legacy, body }, kind, payload);
    }
  }

  deliver(
    cause: Cause,
    webhook: DeliveryWebhook,
    { threadId, eventType, legacy, body }: Pick<Delivery, "threadId" | "eventType" | "legacy" | "body">,
    kind?: EventKind,
    payload = serialized(body),
  ): Delivery {
    const { id: causedBy, entry } = cause;
    if (entry?.by !== "client") this.run.logs.causes(causedBy);
    const log = this.run.logs.deliveryLog;
    const delivery: Delivery = {
      id: log.nextId(),
      causedBy,
      webhookId: webhook.id,
      hookId: webhook.hookId,
      threadId,
      url: webhook.url,
      eventType,
      legacy,
      body,
      headers: {},
      status: "pending",
      reason: null,
      attempts: [],
      nextAttemptAt: null,
    };
    log.add(delivery, payload.length);
    const pending = new PendingDelivery(delivery, webhook, payload);
    pending.kind = kind;
    this.pending.set(delivery.id, pending);
    this.run.saver.changed();
    this.#accept(pending);
    return delivery;
  }

  /** Reports that a delivery has changed. If it is no longer pending, it is finished. */
  changed(delivery: Delivery): void {
    const { logs, coverage, saver } = this.run;
    logs.deliveryLog.changed(delivery);
    const pending = this.pending.get(delivery.id);
    if (pending === undefined) return;
    saver.changed();
    if (delivery.status === "pending") return;
    this.pending.delete(delivery.id);
    this.pendingBytes -= pending.body.length;
    if (pending.kind && !delivery.attempts.some(({ copy, stubbed }) => !copy && !stubbed))
      coverage.count(...rowOfKind(pending.kind), -1);
  }

  /** A webhook was deleted: one that is created later with the same id does not continue its deliveries and failures. */
  forgetWebhook(id: string): void {
    this.failures.delete(id);
    for (const pending of this.pending.values())
      if (pending.webhook.id === id) pending.webhook = { ...pending.webhook, id: DELETED };
    this.run.saver.changed();
    this.run.outbox.forgetWebhook(id);
  }

  #accept(pending: PendingDelivery): void {
    this.pendingBytes += pending.body.length;
    this.run.outbox.accept(pending);
  }
}
