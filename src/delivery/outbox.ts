import type { Notification } from "../domain/events.js";
import { soon } from "../kernel/realtime.js";
import type { Delivery } from "../sandbox/deliveries.js";
import { InFlightCounter } from "../sandbox/in-flight.js";
import type { Outbox, Sandbox } from "../sandbox/sandbox.js";
import type { Webhook } from "../world/records.js";
import type { Dependencies } from "./dispatcher.js";
import { Dispatcher } from "./dispatcher.js";
import { WebhookQueue } from "./queue.js";
import { QueuedDelivery } from "./queued-delivery.js";

/** How many deliveries of a sandbox may be pending; one more is dropped. */
export const MAX_PENDING = 10_000;
/** How many lanes are kept while they are empty. */
const SPARE_LANES = 1_000;

/** The deliveries of one sandbox on their way to its webhooks. Accepting one costs next to nothing: it is sent afterwards. */
export class DeliveryOutbox implements Outbox {
  readonly #sandbox: Sandbox;
  readonly #newCarrier: () => Dispatcher;
  #carrier: Dispatcher;
  readonly #lanes = new Map<string, WebhookQueue>();
  #flight = new InFlightCounter();
  #pending = 0;
  #accepted = 0;
  /** Lanes that got something since the last turn of the event loop. */
  #dirty = new Set<WebhookQueue>();

  /** Keeps the sandbox without using it: it is not complete yet. */
  constructor(sandbox: Sandbox, post: Dependencies, nextEpoch: () => number) {
    this.#sandbox = sandbox;
    this.#newCarrier = () => new Dispatcher(sandbox, post, nextEpoch());
    this.#carrier = this.#newCarrier();
  }

  get carrier(): Dispatcher {
    return this.#carrier;
  }

  get epoch(): number {
    return this.#carrier.epoch;
  }

  /** How many deliveries are pending: to be sent, under way, waiting for a retry or held back. */
  get pending(): number {
    return this.#pending;
  }

  get idle(): boolean {
    return this.#flight.idle;
  }

  settled(): Promise<void> {
    return this.#flight.settled();
  }

  accept(delivery: Delivery, { webhook }: Pick<Notification, "webhook">): void {
    if (this.#pending >= MAX_PENDING) {
      delivery.status = "dropped";
      delivery.reason = `the outbox is full: ${MAX_PENDING} deliveries of this sandbox are pending`;
      this.#sandbox.deliveries.changed(delivery);
      return;
    }
    this.#pending += 1;
    this.#accepted += 1;
    const lane = this.#laneOf(webhook);
    lane.add(new QueuedDelivery(delivery, webhook, this.#accepted));
    if (this.#dirty.size === 0) soon(() => this.#drain());
    this.#dirty.add(lane);
  }

  reset(): void {
    for (const lane of this.#lanes.values()) lane.close();
    this.#lanes.clear();
    this.#pending = 0;
    this.#carrier = this.#newCarrier();
  }

  #drain(): void {
    const dirty = this.#dirty;
    this.#dirty = new Set();
    for (const lane of dirty) lane.drain();
    if (this.#lanes.size > SPARE_LANES)
      for (const [webhookId, lane] of this.#lanes) if (lane.empty) this.#lanes.delete(webhookId);
  }

  #laneOf({ id }: Webhook): WebhookQueue {
    const known = this.#lanes.get(id);
    if (known !== undefined) return known;
    const lane = new WebhookQueue(this.#sandbox, this.#carrier, {
      live: (live) => (live ? this.#flight.enter() : this.#flight.leave()),
      done: () => {
        this.#pending -= 1;
      },
    });
    this.#lanes.set(id, lane);
    return lane;
  }
}
