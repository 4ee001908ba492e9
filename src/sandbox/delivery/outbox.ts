import { onAbort } from "../../kernel/abort.js";
import { BOUNDS } from "../../kernel/bounds.js";
import type { Delivery, Outbox, PendingDelivery } from "../deliveries.js";
import { InFlightCounter } from "../in-flight.js";
import type { DeliveryContext } from "./attempt.js";
import { WebhookQueue } from "./queue.js";

/** How many deliveries of a sandbox may be pending; one more is dropped. */
export const MAX_PENDING = BOUNDS.pending.limit;
/** From how many queues on a new one makes the outbox forget those that are empty. */
const MAX_EMPTY_QUEUES = 1_000;

/** The pending deliveries of one run, in a queue for each webhook. Accepting one sends nothing yet. */
export class DeliveryOutbox implements Outbox {
  readonly #context: DeliveryContext;
  readonly #queues = new Map<string, WebhookQueue>();
  readonly #pending = new InFlightCounter();
  readonly #busy = new InFlightCounter();
  #accepted = 0;

  /** Keeps the run, of which only the signal is there yet. */
  constructor(context: DeliveryContext) {
    this.#context = context;
    onAbort(context.run.signal, () => this.#close());
  }

  get idle(): boolean {
    return this.#busy.idle;
  }

  settled(): Promise<void> {
    return this.#busy.settled();
  }

  accept(pending: PendingDelivery): void {
    const { run } = this.#context;
    const { delivery, webhook } = pending;
    if (this.#pending.count >= MAX_PENDING) {
      delivery.status = "dropped";
      delivery.reason = `the outbox is full: ${MAX_PENDING} deliveries of this sandbox are pending`;
      run.deliveries.changed(delivery);
      return;
    }
    this.#accepted += 1;
    pending.order = this.#accepted;
    this.#queueFor(webhook.id).add(pending);
  }

  releaseHeld(): void {
    for (const queue of this.#queues.values()) queue.releaseHeld();
  }

  release({ id, webhookId }: Delivery): boolean {
    return this.#queues.get(webhookId)?.release(id) === true;
  }

  #close(): void {
    this.#busy.close();
    for (const queue of this.#queues.values()) queue.close();
    this.#queues.clear();
  }

  #queueFor(webhookId: string): WebhookQueue {
    const known = this.#queues.get(webhookId);
    if (known !== undefined) return known;
    if (this.#queues.size >= MAX_EMPTY_QUEUES) this.#forgetEmptyQueues();
    const queue = new WebhookQueue(this.#context, { pending: this.#pending, busy: this.#busy });
    this.#queues.set(webhookId, queue);
    return queue;
  }

  #forgetEmptyQueues(): void {
    for (const [id, queue] of this.#queues) if (queue.isEmpty) this.#queues.delete(id);
  }
}
