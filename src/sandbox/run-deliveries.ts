import type { BehaviourValues } from "../behaviour/table.js";
import type { DomainEvent } from "../domain/events.js";
import { notificationsOf } from "../domain/notifications.js";
import { HOPS_HEADER, readHops } from "../http/hops.js";
import { estimateBytes } from "../kernel/size.js";
import type { World } from "../world/world.js";
import type { Cause } from "./cause.js";
import type { Coverage } from "./coverage.js";
import { kindOfEvent } from "./coverage.js";
import type { Delivery, DeliveryContent, DeliveryWebhook } from "./deliveries.js";
import { newDelivery } from "./deliveries.js";
import type { ChangeLog, KeptParts } from "./durable.js";
import { DurableMap } from "./durable.js";
import type { Log } from "./log.js";
import type { Outbox } from "./outbox.js";
import { PendingDelivery } from "./pending-delivery.js";
import { keptDeliveries } from "./run-parts.js";
import type { Totals } from "./totals.js";

/** What the deliveries need of their run. */
interface DeliveringRun {
  readonly world: World;
  readonly coverage: Coverage;
  readonly logs: { readonly deliveries: Log<Delivery> };
  readonly outbox: Outbox;
  /** Aborted when the run ends. */
  readonly signal: AbortSignal;
}

interface RunDeliveriesContext {
  readonly totals: Totals;
  /** Is told of the pending ones, which outlast the process. */
  readonly log: ChangeLog;
  /** What another process had. */
  readonly kept: KeptParts | undefined;
}

/** The deliveries of a run on their way: from the log through the outbox to their end. */
export class RunDeliveries {
  /** The deliveries that have not come to their end. */
  readonly pending: DurableMap<PendingDelivery>;
  /** How many deliveries of a webhook have failed in a row, by its id (behaviour `delivery.autoDisable`). */
  readonly failures: DurableMap<number>;
  readonly #run: DeliveringRun;
  readonly #totals: Totals;

  constructor(run: DeliveringRun, { totals, log, kept }: RunDeliveriesContext) {
    this.pending = new DurableMap(log, "deliveries", kept && { deliveries: keptDeliveries(kept) });
    this.failures = new DurableMap(log, "failures", kept);
    this.#run = run;
    this.#totals = totals;
  }

  /** Hands the outbox what another process had on its way. */
  resume(): void {
    for (const pending of this.pending.values()) this.#accept(pending);
  }

  /** Delivers an event to the webhooks that are to have it. */
  announce(cause: Cause, event: DomainEvent, behaviour: BehaviourValues): void {
    const { world, coverage } = this.#run;
    const { eventType, thread } = event;
    for (const { webhook, body } of notificationsOf(world, event, behaviour, cause.legacy)) {
      const { legacy } = webhook;
      this.deliver(cause, webhook, { threadId: thread.id, eventType, legacy, body });
      coverage.send(kindOfEvent(event, cause.entry !== undefined, legacy));
    }
  }

  /** Enters a delivery in the log and hands it to the outbox. */
  deliver(cause: Cause, webhook: DeliveryWebhook, content: DeliveryContent): Delivery {
    const { id: causedBy, entry, hops = readHops(entry?.header(HOPS_HEADER)) } = cause;
    const { deliveries } = this.#run.logs;
    const delivery = newDelivery(deliveries.nextId(), causedBy, webhook, content);
    deliveries.add(delivery, estimateBytes(content.body) + estimateBytes(webhook.url));
    const pending = new PendingDelivery(delivery, hops === 0 ? webhook : { ...webhook, hops });
    this.pending.set(delivery.id, pending);
    this.#accept(pending);
    return delivery;
  }

  /** Reports that a delivery has changed, and costs so many bytes more. One that is not pending has come to its end. */
  changed(delivery: Delivery, bytes = 0): void {
    this.#run.logs.deliveries.changed(delivery, bytes);
    if (delivery.status === "pending") return this.pending.changed(delivery.id);
    if (this.pending.delete(delivery.id) && !this.#run.signal.aborted) this.#totals.pending -= 1;
    this.#totals.countDelivery(delivery);
  }

  /** Counts what is left of a run that has ended as pending no more. */
  close(): void {
    this.#totals.pending -= this.pending.size;
  }

  #accept(pending: PendingDelivery): void {
    this.#totals.pending += 1;
    this.#run.outbox.accept(pending);
  }
}
