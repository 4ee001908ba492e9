import { BOUNDS } from "../../kernel/bounds.js";
import { runSafely } from "../../kernel/errors.js";
import { numberOf } from "../../kernel/objects.js";
import { onAbort, sleep, soon } from "../../kernel/realtime.js";
import { sizeText } from "../../kernel/units.js";
import type { Outbox, PendingDelivery } from "../deliveries.js";
import type { FaultAction } from "../fault-effects.js";
import { InFlightCounter } from "../in-flight.js";
import type { DeliveryContext } from "./attempt.js";
import { attempt, droppedFor, failedUnsent, followUpdate, recordResult } from "./attempt.js";

/** The number of queues from which the outbox removes empty ones when a new one is added. */
const MAX_EMPTY_QUEUES = 1_000;

/** The pending deliveries of one run, with a queue for each webhook. Accepting a delivery does not send it yet. */
export class DeliveryOutbox implements Outbox {
  /** By webhook id; those of deleted webhooks by symbols. */
  readonly #queues = new Map<string | symbol, WebhookQueue>();
  /** Queues with a delivery in flight or ready to be sent. */
  readonly #busy = new InFlightCounter();

  constructor(private readonly context: DeliveryContext) {
    onAbort(context.run.signal, () => this.#close());
  }

  get idle(): boolean {
    return this.#busy.idle;
  }

  settled(): Promise<void> {
    return this.#busy.settled();
  }

  accept(pending: PendingDelivery): void {
    const { deliveries } = this.context.run;
    const { delivery, webhook, isOrphan } = pending;
    const isLong = deliveries.pending.size > BOUNDS.pending.limit;
    if (isLong || deliveries.pendingBytes > BOUNDS.pendingBytes.limit) {
      const what = isLong
        ? `${BOUNDS.pending.limit} deliveries`
        : `payloads of ${sizeText(BOUNDS.pendingBytes.limit)}`;
      delivery.status = "dropped";
      delivery.reason = `the outbox is full: ${what} of this sandbox are pending`;
      deliveries.changed(delivery);
    } else this.#queueFor(keyOf(webhook.id, isOrphan)).add(pending);
  }

  releaseHeld(): void {
    for (const queue of this.#queues.values()) queue.releaseHeld();
  }

  forgetWebhook(id: string): void {
    const key = keyOf(id, false);
    const queue = this.#queues.get(key);
    if (queue === undefined) return;
    this.#queues.delete(key);
    this.#queues.set(Symbol(), queue);
    queue.endReordering();
  }

  #close(): void {
    this.#busy.close();
    for (const queue of this.#queues.values()) queue.close();
    this.#queues.clear();
  }

  #queueFor(key: string): WebhookQueue {
    const known = this.#queues.get(key);
    if (known !== undefined) return known;
    if (this.#queues.size >= MAX_EMPTY_QUEUES)
      for (const [other, queue] of this.#queues) if (queue.isEmpty) this.#queues.delete(other);
    const queue = new WebhookQueue(this.context, this.#busy);
    this.#queues.set(key, queue);
    return queue;
  }
}

/** A deleted webhook's deliveries have a queue of their own: a later webhook may have its id. */
const keyOf = (id: string, isOrphan: boolean): string => `${isOrphan ? "deleted" : "webhook"} ${id}`;

/** The delay before asking again whether an event was saved, after a failure, ms. */
const RETRY_MS = 250;

/**
 * The pending deliveries of one webhook (behaviour `delivery.order`). With `perWebhook`, they are sent one by one, and one
 * that waits for its retry blocks those behind it. With `none`, they are sent at once, up to a limit.
 *
 * The fault `reorder` holds back at most one delivery, until the webhook's next new one was attempted, and sends it right
 * after that; if the rule is removed, at once. Meanwhile the queue is not busy.
 */
class WebhookQueue {
  /** Not attempted yet, in order of acceptance. */
  readonly #fresh: PendingDelivery[] = [];
  /** How many of those may be attempted: their events are as durable as promised. */
  #ready = 0;
  /** Attempted before those: due retries, and deliveries that were held back. */
  readonly #due: PendingDelivery[] = [];
  readonly #underWay = new Set<PendingDelivery>();
  #held: PendingDelivery | undefined;
  #retries = 0;
  /** Advances of the clock that wait for a due retry; deliveries accepted after `newest` do not hold them up. */
  #clockWaits: { readonly newest: number; readonly resolve: () => void }[] = [];
  #newest = 0;
  #isBusy = false;
  #isScheduled = false;

  constructor(
    private readonly context: DeliveryContext,
    private readonly busyQueues: InFlightCounter,
  ) {}

  get isEmpty(): boolean {
    return !this.#isBusy && this.#retries === 0 && this.#held === undefined;
  }

  /** Takes a delivery: a new one, or one that another process has started and that continues where it stopped. */
  add(queued: PendingDelivery): void {
    const { id, nextAttemptAt } = queued.delivery;
    this.#newest = numberOf(id);
    if (queued.fault !== undefined) this.#held = queued;
    else if (nextAttemptAt !== null) this.#scheduleRetry(nextAttemptAt, queued);
    else this.#fresh.push(queued);
    this.releaseHeld();
    this.#schedule();
  }

  /** Sends the delivery that is held back, if its rule was removed. */
  releaseHeld(): void {
    if (this.context.run.faults.get(this.#held?.fault?.rule ?? "") === undefined) this.endReordering();
  }

  /** Sends the delivery that is held back, with all effects of its rule but the delay. */
  endReordering(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held?.fault !== undefined) {
      held.delivery.reason = null;
      this.context.run.deliveries.changed(held.delivery);
      held.fault = { ...held.fault, delayMs: 0 };
      this.#due.push(held);
    }
    this.#schedule();
  }

  /** Unblocks the clock when the run is closed. */
  close(): void {
    for (const { resolve } of this.#clockWaits) resolve();
  }

  /** Attempts what is ready after the current turn of the event loop, once everything so far is durable. */
  #schedule(): void {
    this.#updateBusy();
    if (this.#isScheduled || this.#fresh.length + this.#due.length === 0) return;
    this.#isScheduled = true;
    const { report, signal } = this.context.run;
    const onError = (error: unknown) => void (signal.aborted || report(error));
    soon(() => runSafely(onError, () => this.#start()));
  }

  async #start(): Promise<void> {
    const { saver, signal } = this.context.run;
    // Later ones wait for their own events.
    const last = this.#fresh.at(-1);
    const saved = () =>
      saver.settled(-1)?.then(
        () => true,
        () => false,
      );
    for (let kept = saved(); kept !== undefined && !(await kept); kept = saved())
      await sleep(RETRY_MS, signal);
    this.#isScheduled = false;
    if (last !== undefined) this.#ready = this.#fresh.indexOf(last) + 1;
    this.#drain();
    if (this.#fresh.length > this.#ready) this.#schedule();
  }

  #drain(): void {
    const { run } = this.context;
    while (!run.signal.aborted && this.#canTry()) {
      const due = this.#due.shift();
      const next = due ?? (this.#fresh.shift() as PendingDelivery);
      if (due === undefined) this.#ready -= 1;
      // The delivery held back by the fault `reorder` follows the one attempted now.
      const overtaken = due === undefined ? this.#held : undefined;
      if (due === undefined) this.#held = undefined;
      // An attempt aborted by the end of the run is not reported.
      this.#deliver(next, overtaken).catch((error: unknown) => {
        if (!run.signal.aborted) run.report(error);
      });
    }
    this.#updateBusy();
    this.#releaseClock();
  }

  #canTry(): boolean {
    const isOrdered = this.context.run.behaviour.counted["delivery.order"] === "perWebhook";
    if (this.#underWay.size >= (isOrdered ? 1 : BOUNDS.webhookConcurrency.limit)) return false;
    return this.#due.length > 0 || (this.#ready > 0 && (this.#retries === 0 || !isOrdered));
  }

  /** The journey of a delivery from the queue to its receiver and into the log. */
  async #deliver(queued: PendingDelivery, overtaken: PendingDelivery | undefined): Promise<void> {
    const { run, targets } = this.context;
    const { delivery } = queued;
    delivery.reason = null;
    followUpdate(run, queued);
    const resolution = droppedFor(run, queued) ?? targets.resolve(delivery.url, run.sandboxId, run.epoch);
    const isEnding = "blocked" in resolution || "dropped" in resolution;
    const fault = isEnding ? undefined : (queued.fault ?? run.faults.pick("delivery", delivery));
    if (fault !== undefined && queued.fault === undefined && this.#holdBack(queued, fault, overtaken)) return;
    queued.fault = undefined;
    this.#underWay.add(queued);
    const result = await attempt(queued, resolution, fault, this.context).catch((error: unknown) => {
      run.signal.throwIfAborted();
      run.report(error);
      return failedUnsent(`the simulator failed: ${String(error)}`, run.clock.now());
    });
    run.signal.throwIfAborted();
    const retryAt = recordResult(queued, result, this.context);
    this.#underWay.delete(queued);
    if (overtaken !== undefined) this.#due.unshift(overtaken);
    if (retryAt !== null && retryAt <= run.clock.now()) this.#due.push(queued);
    else if (retryAt !== null) this.#scheduleRetry(retryAt, queued);
    this.#drain();
  }

  #holdBack(queued: PendingDelivery, fault: FaultAction, overtaken: PendingDelivery | undefined): boolean {
    if (!fault.reorder || overtaken !== undefined || this.#held !== undefined) return false;
    queued.fault = fault;
    queued.delivery.reason = `held by fault ${fault.rule} until the next event`;
    this.#held = queued;
    this.context.run.deliveries.changed(queued.delivery);
    return true;
  }

  /** Makes an advance of the clock wait until the retry and the deliveries behind it were attempted. */
  #scheduleRetry(at: number, queued: PendingDelivery): void {
    this.#retries += 1;
    this.context.run.clock.at(at, () => {
      this.#retries -= 1;
      this.#due.push(queued);
      const tried = new Promise<void>((resolve) => this.#clockWaits.push({ newest: this.#newest, resolve }));
      this.#drain();
      return tried;
    });
  }

  #releaseClock(): void {
    if (this.#clockWaits.length === 0) return;
    const active = this.#isBusy ? [...this.#underWay, ...this.#due, ...this.#fresh.slice(0, 1)] : [];
    const oldest = Math.min(...active.map(({ delivery }) => numberOf(delivery.id)));
    this.#clockWaits = this.#clockWaits.filter(({ newest, resolve }) => {
      if (oldest > newest) resolve();
      return oldest <= newest;
    });
  }

  #updateBusy(): void {
    const isBusy = this.#underWay.size > 0 || this.#fresh.length > this.#ready || this.#canTry();
    if (isBusy === this.#isBusy) return;
    this.#isBusy = isBusy;
    if (isBusy) this.busyQueues.enter();
    else this.busyQueues.leave();
  }
}
