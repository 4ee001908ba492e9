import { BOUNDS } from "../../kernel/bounds.js";
import { contain } from "../../kernel/contain.js";
import { soon } from "../../kernel/realtime.js";
import type { PendingDelivery } from "../deliveries.js";
import type { FaultAction } from "../faults.js";
import type { InFlightCounter } from "../in-flight.js";
import type { DeliveryContext } from "./attempt.js";
import { attempt, updateAddress } from "./attempt.js";
import { HeldDeliveries } from "./held.js";
import { failedInside, recordResult } from "./result.js";
import type { Resolution } from "./target.js";
import { droppedFor } from "./target.js";

/** What an outbox counts over all its queues. */
interface OutboxCounts {
  /** Deliveries that have not come to their end. */
  readonly pending: InFlightCounter;
  /** Queues that have something under way, or something that can be sent now. */
  readonly busy: InFlightCounter;
}

/** How many deliveries of one webhook are under way at once where `delivery.order` is `none`. */
const MAX_CONCURRENCY = BOUNDS.webhookConcurrency.limit;

/** An advance of the clock that waits for a retry and for what the retry held back. */
interface ClockWait {
  /** The newest delivery that was there when the retry became due. What came later must not stop the clock. */
  readonly newest: number;
  readonly resolve: () => void;
}

/**
 * The pending deliveries of one webhook (behaviour `delivery.order`). With `perWebhook` they go one after the other, and
 * one that waits for its retry holds back those after it. With `none` they go at once, up to `MAX_CONCURRENCY`.
 *
 * The fault `hold` holds deliveries back until each is released, or the fault's rule is gone. The fault `reorder` holds one
 * delivery back at most: until the next new one of the webhook has been tried, and sends it right after that one; once the
 * fault's rule is gone, at once. The queue is not busy meanwhile.
 */
export class WebhookQueue {
  readonly #context: DeliveryContext;
  readonly #counts: OutboxCounts;
  /** Not tried yet, in the order of their acceptance. */
  readonly #fresh: PendingDelivery[] = [];
  /** To be tried before those: retries that are due, and what was held back. */
  readonly #due: PendingDelivery[] = [];
  readonly #underWay = new Set<PendingDelivery>();
  /** How many wait for the instant of their retry. */
  #retries = 0;
  #heldBack: PendingDelivery | undefined;
  readonly #held: HeldDeliveries;
  /** Where the last URL leads: a webhook's URL seldom changes. */
  #resolved: { readonly url: string; readonly resolution: Resolution } | undefined;
  #clockWaits: ClockWait[] = [];
  #newest = 0;
  #isBusy = false;
  #isScheduled = false;

  constructor(context: DeliveryContext, counts: OutboxCounts) {
    this.#context = context;
    this.#counts = counts;
    this.#held = new HeldDeliveries(({ delivery }) => context.run.deliveries.changed(delivery));
  }

  /** Whether nothing is left in it at all. */
  get isEmpty(): boolean {
    return !this.#isBusy && this.#retries === 0 && this.#heldBack === undefined && this.#held.isEmpty;
  }

  /**
   * Takes a delivery. A new one is sent after the current turn of the event loop, once its event is kept as safely as was
   * promised; one that another process had begun goes on where it stopped.
   */
  add(queued: PendingDelivery): void {
    const { nextAttemptAt } = queued.delivery;
    this.#newest = queued.order;
    this.#counts.pending.enter();
    if (queued.fault?.hold) this.#held.hold(queued, queued.fault);
    else if (queued.fault?.reorder) this.#heldBack = queued;
    else if (nextAttemptAt !== null) this.#scheduleRetry(nextAttemptAt, queued);
    else this.#fresh.push(queued);
    this.releaseHeld();
  }

  /** Sends what a rule holds back that is gone, with all that the rule does to it but the delay. */
  releaseHeld(): void {
    const held = this.#heldBack;
    const { faults } = this.#context.run;
    const isGone = ({ fault }: PendingDelivery) =>
      fault !== undefined && faults.get(fault.rule) === undefined;
    this.#due.push(...this.#held.release(isGone));
    if (held?.fault !== undefined && isGone(held)) {
      held.fault = { ...held.fault, delayMs: 0 };
      this.#heldBack = undefined;
      this.#due.unshift(held);
    }
    this.#schedule();
  }

  /** Sends a delivery that the fault `hold` holds back; false for any other. */
  release(id: string): boolean {
    const released = this.#held.release(({ delivery }) => delivery.id === id);
    this.#due.push(...released);
    this.#schedule();
    return released.length > 0;
  }

  /** Tries what can be tried after the current turn of the event loop, once all that has happened is kept. */
  #schedule(): void {
    this.#updateBusy();
    if (this.#isScheduled || this.#fresh.length + this.#due.length === 0) return;
    this.#isScheduled = true;
    const { log, report } = this.#context.run;
    const drain = () =>
      contain(report, () => {
        this.#isScheduled = false;
        this.#drain();
      });
    soon(() => {
      const kept = log.settled();
      if (kept === undefined) drain();
      else kept.then(drain, drain);
    });
  }

  /** Lets the clock go on when the run is closed. */
  close(): void {
    for (const { resolve } of this.#clockWaits) resolve();
  }

  /** Tries what can be tried now. */
  #drain(): void {
    while (!this.#context.run.signal.aborted && this.#canTry()) {
      const queued = this.#due.shift();
      if (queued !== undefined) this.#start(queued);
      else this.#startFresh();
    }
    this.#updateBusy();
    this.#releaseClock();
  }

  #canTry(): boolean {
    const isOrdered = this.#context.run.behaviour.counted["delivery.order"] === "perWebhook";
    if (this.#underWay.size >= (isOrdered ? 1 : MAX_CONCURRENCY)) return false;
    return this.#due.length > 0 || (this.#fresh.length > 0 && (this.#retries === 0 || !isOrdered));
  }

  #startFresh(): void {
    const queued = this.#fresh.shift() as PendingDelivery;
    const overtaken = this.#heldBack;
    this.#heldBack = undefined;
    this.#start(queued, overtaken);
  }

  /** Starts an attempt. One that the end of the run aborts is heard of no more; what fails is reported. */
  #start(queued: PendingDelivery, overtaken?: PendingDelivery): void {
    this.#try(queued, overtaken).catch((error: unknown) => {
      const { run } = this.#context;
      if (!run.signal.aborted) run.report(error);
    });
  }

  /** Makes one attempt at a delivery, and then decides where it and the one that it has overtaken go. */
  async #try(queued: PendingDelivery, overtaken: PendingDelivery | undefined): Promise<void> {
    const { run } = this.#context;
    queued.delivery.reason = null;
    updateAddress(run, queued);
    const resolution = droppedFor(run, queued) ?? this.#resolve(queued.delivery.url);
    const drawn = queued.fault;
    const isCalled = !("blocked" in resolution || "dropped" in resolution);
    const fault = isCalled ? (drawn ?? this.#drawFault(queued)) : undefined;
    queued.fault = undefined;
    if (fault !== undefined && drawn === undefined && this.#holdBack(queued, fault, overtaken)) return;
    this.#underWay.add(queued);
    const result = await attempt(queued, resolution, fault, this.#context).catch((error: unknown) => {
      run.signal.throwIfAborted();
      run.report(error);
      return failedInside(error, run.clock.now());
    });
    run.signal.throwIfAborted();
    const retryAt = recordResult(queued, result, this.#context);
    this.#underWay.delete(queued);
    if (overtaken !== undefined) this.#due.unshift(overtaken);
    if (retryAt === null) this.#counts.pending.leave();
    else if (retryAt <= run.clock.now()) this.#due.push(queued);
    else this.#scheduleRetry(retryAt, queued);
    this.#drain();
  }

  /** Whether a fault that was drawn just now holds the delivery back. */
  #holdBack(queued: PendingDelivery, fault: FaultAction, overtaken: PendingDelivery | undefined): boolean {
    if (fault.hold) {
      this.#held.hold(queued, fault);
      if (overtaken !== undefined) this.#due.unshift(overtaken);
      return true;
    }
    if (!fault.reorder || overtaken !== undefined || this.#heldBack !== undefined) return false;
    queued.fault = fault;
    queued.delivery.reason = `held back by fault ${fault.rule} until the next event`;
    this.#heldBack = queued;
    this.#context.run.deliveries.changed(queued.delivery);
    return true;
  }

  #resolve(url: string): Resolution {
    const { run, targets } = this.#context;
    if (this.#resolved?.url !== url)
      this.#resolved = { url, resolution: targets.resolve(url, run.sandboxId, run.epoch) };
    return this.#resolved.resolution;
  }

  #drawFault({ delivery }: PendingDelivery): FaultAction | undefined {
    const { faults } = this.#context.run;
    return faults.active ? faults.pick("delivery", delivery) : undefined;
  }

  /** Makes an advance of the clock wait until the retry and what it held back have been tried. */
  #scheduleRetry(at: number, queued: PendingDelivery): void {
    this.#retries += 1;
    this.#context.run.clock.at(at, () => {
      this.#retries -= 1;
      this.#due.push(queued);
      const tried = new Promise<void>((resolve) => this.#clockWaits.push({ newest: this.#newest, resolve }));
      this.#drain();
      return tried;
    });
  }

  #releaseClock(): void {
    if (this.#clockWaits.length === 0) return;
    const active = [...this.#underWay, ...this.#due, ...this.#fresh.slice(0, 1)];
    const oldest = this.#isBusy ? Math.min(...active.map(({ order }) => order)) : Number.POSITIVE_INFINITY;
    this.#clockWaits = this.#clockWaits.filter(({ newest, resolve }) => {
      if (oldest > newest) resolve();
      return oldest <= newest;
    });
  }

  #updateBusy(): void {
    const isBusy = this.#underWay.size > 0 || this.#canTry();
    if (isBusy === this.#isBusy) return;
    this.#isBusy = isBusy;
    if (isBusy) this.#counts.busy.enter();
    else this.#counts.busy.leave();
  }
}
