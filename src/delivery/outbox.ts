import type { Notification } from "../domain/events.js";
import { onAbort } from "../kernel/abort.js";
import { soon } from "../kernel/realtime.js";
import type { Delivery } from "../sandbox/deliveries.js";
import { InFlightCounter } from "../sandbox/in-flight.js";
import type { Outbox, Run } from "../sandbox/run.js";
import type { Webhook } from "../world/records.js";
import type { Dependencies } from "./dispatcher.js";
import { Dispatcher } from "./dispatcher.js";
import { WebhookQueue } from "./queue.js";
import { QueuedDelivery } from "./queued-delivery.js";

/** How many deliveries of a sandbox may be pending; one more is dropped. */
export const MAX_PENDING = 10_000;
/** How many queues are kept while they are empty. */
const MAX_IDLE_QUEUES = 1_000;

/** The deliveries of one sandbox on their way to its webhooks. Accepting one costs next to nothing: it is sent afterwards. */
export class DeliveryOutbox implements Outbox {
  readonly #run: Run;
  readonly dispatcher: Dispatcher;
  readonly #queues = new Map<string, WebhookQueue>();
  readonly #inFlight = new InFlightCounter();
  #pending = 0;
  #accepted = 0;
  /** Queues that got something since the last turn of the event loop. */
  #dirty = new Set<WebhookQueue>();

  /** Keeps the run without using it: it is not complete yet. */
  constructor(run: Run, post: Dependencies) {
    this.#run = run;
    this.dispatcher = new Dispatcher(run, post);
    onAbort(run.signal, () => this.#close());
  }

  /** How many deliveries are pending: to be sent, under way, waiting for a retry or held back. */
  get pending(): number {
    return this.#pending;
  }

  get idle(): boolean {
    return this.#inFlight.idle;
  }

  settled(): Promise<void> {
    return this.#inFlight.settled();
  }

  accept(delivery: Delivery, { webhook }: Pick<Notification, "webhook">): void {
    if (this.#run.signal.aborted) return;
    if (this.#pending >= MAX_PENDING) {
      delivery.status = "dropped";
      delivery.reason = `the outbox is full: ${MAX_PENDING} deliveries of this sandbox are pending`;
      this.#run.deliveries.changed(delivery);
      return;
    }
    this.#pending += 1;
    this.#accepted += 1;
    const queue = this.#queueOf(webhook);
    queue.add(new QueuedDelivery(delivery, webhook, this.#accepted));
    if (this.#dirty.size === 0) soon(() => this.#drain());
    this.#dirty.add(queue);
  }

  #close(): void {
    for (const queue of this.#queues.values()) queue.close();
    this.#queues.clear();
    this.#pending = 0;
  }

  #drain(): void {
    const dirty = this.#dirty;
    this.#dirty = new Set();
    for (const queue of dirty) queue.drain();
    if (this.#queues.size > MAX_IDLE_QUEUES)
      for (const [webhookId, queue] of this.#queues) if (queue.empty) this.#queues.delete(webhookId);
  }

  #queueOf({ id }: Webhook): WebhookQueue {
    const known = this.#queues.get(id);
    if (known !== undefined) return known;
    const queue = new WebhookQueue(this.#run, this.dispatcher, {
      live: (live) => (live ? this.#inFlight.enter() : this.#inFlight.leave()),
      done: () => {
        this.#pending -= 1;
      },
    });
    this.#queues.set(id, queue);
    return queue;
  }
}
