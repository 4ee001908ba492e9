import type { Notification } from "../domain/events.js";
import { soon } from "../kernel/realtime.js";
import type { Outbox, Sandbox } from "../sandbox/sandbox.js";
import type { Delivery } from "../traffic/deliveries.js";
import { Flight } from "../traffic/flight.js";
import type { Webhook } from "../world/records.js";
import type { Post } from "./carrier.js";
import { Carrier } from "./carrier.js";
import { Lane } from "./lane.js";
import { Parcel } from "./parcel.js";

/** How many deliveries of a sandbox may be pending; one more is dropped. */
export const MOST_PENDING = 10_000;
/** How many lanes are kept while they are empty. */
const SPARE_LANES = 1_000;

/** The deliveries of one sandbox on their way to its webhooks. Accepting one costs next to nothing: it is sent afterwards. */
export class DeliveryOutbox implements Outbox {
  readonly #sandbox: Sandbox;
  readonly #newCarrier: () => Carrier;
  #carrier: Carrier;
  readonly #lanes = new Map<string, Lane>();
  #flight = new Flight();
  #pending = 0;
  #accepted = 0;
  /** Lanes that got something since the last turn of the event loop. */
  #stirred = new Set<Lane>();

  /** Keeps the sandbox without using it: it is not complete yet. */
  constructor(sandbox: Sandbox, post: Post, nextLife: () => number) {
    this.#sandbox = sandbox;
    this.#newCarrier = () => new Carrier(sandbox, post, nextLife());
    this.#carrier = this.#newCarrier();
  }

  get carrier(): Carrier {
    return this.#carrier;
  }

  get life(): number {
    return this.#carrier.life;
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
    if (this.#pending >= MOST_PENDING) {
      delivery.status = "dropped";
      delivery.reason = `the outbox is full: ${MOST_PENDING} deliveries of this sandbox are pending`;
      this.#sandbox.deliveries.changed(delivery);
      return;
    }
    this.#pending += 1;
    this.#accepted += 1;
    const lane = this.#laneOf(webhook);
    lane.add(new Parcel(delivery, webhook, this.#accepted));
    if (this.#stirred.size === 0) soon(() => this.#drain());
    this.#stirred.add(lane);
  }

  reset(): void {
    for (const lane of this.#lanes.values()) lane.close();
    this.#lanes.clear();
    this.#pending = 0;
    this.#carrier = this.#newCarrier();
  }

  #drain(): void {
    const stirred = this.#stirred;
    this.#stirred = new Set();
    for (const lane of stirred) lane.drain();
    if (this.#lanes.size > SPARE_LANES)
      for (const [webhookId, lane] of this.#lanes) if (lane.empty) this.#lanes.delete(webhookId);
  }

  #laneOf({ id }: Webhook): Lane {
    const known = this.#lanes.get(id);
    if (known !== undefined) return known;
    const lane = new Lane(this.#sandbox, this.#carrier, {
      live: (live) => (live ? this.#flight.enter() : this.#flight.leave()),
      done: () => {
        this.#pending -= 1;
      },
    });
    this.#lanes.set(id, lane);
    return lane;
  }
}
