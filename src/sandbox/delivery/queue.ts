/** The outbox of a run: a queue for each webhook, the journey of a delivery, and its retries. */
import { BOUNDS } from "../../kernel/bounds.js";
import { reasonOf, runSafely } from "../../kernel/errors.js";
import { onAbort, sleep, soon } from "../../kernel/realtime.js";
import { durationText, milliseconds, sizeText } from "../../kernel/units.js";
import { countFailure } from "../../service/domain/webhooks.js";
import type { Delivery, Outbox, PendingDelivery } from "../deliveries.js";
import type { FaultAction } from "../fault-effects.js";
import { InFlightCounter } from "../in-flight.js";
import type { Run } from "../run.js";
import type { AttemptResult, DeliveryContext } from "./attempt.js";
import { attempt, unsent } from "./attempt.js";
import type { Destination } from "./target.js";

/**
 * The pending deliveries of one run, with a queue for each webhook: it counts those with a delivery in flight or ready to be
 * sent. Accepting a delivery does not send it yet.
 */
export class DeliveryOutbox extends InFlightCounter implements Outbox {
  /** By webhook id, while anything is pending. That of a deleted webhook ends on its own. */
  readonly #queues = new Map<string, WebhookQueue>();

  constructor(private readonly context: DeliveryContext) {
    super();
    onAbort(context.run.signal, () => this.close());
  }

  accept(pending: PendingDelivery): void {
    const { deliveries } = this.context.run;
    const { delivery, webhook } = pending;
    const { pending: most, pendingBytes } = BOUNDS;
    if (deliveries.pending.size <= most.limit && deliveries.pendingBytes <= pendingBytes.limit)
      return this.#queueOf(webhook.id).add(pending);
    const full = `${most.limit} deliveries, or payloads of ${sizeText(pendingBytes.limit)}`;
    delivery.status = "dropped";
    delivery.reason = `the outbox is full: ${full}, of this sandbox are pending`;
    deliveries.changed(delivery);
  }

  #queueOf(id: string): WebhookQueue {
    const known = this.#queues.get(id);
    if (known !== undefined) return known;
    const queue = new WebhookQueue(this.context, this, () => {
      if (this.#queues.get(id) === queue) this.#queues.delete(id);
    });
    this.#queues.set(id, queue);
    return queue;
  }

  releaseHeld(): void {
    for (const queue of this.#queues.values()) queue.releaseHeld();
  }

  forgetWebhook(id: string): void {
    this.#queues.get(id)?.endReordering();
    this.#queues.delete(id);
  }
}

/** The delay before asking again whether an event was saved, after a failure, ms. */
const SAVE_RETRY_MS = 250;

/**
 * The pending deliveries of one webhook (behaviour `delivery.order`). With `perWebhook`, they are sent one by one, and one
 * that waits for its retry blocks those behind it. With `none`, they are sent at once.
 *
 * The fault `reorder` holds back at most one delivery, until the webhook's next new one was attempted, and sends it next; if
 * the rule is removed, at once. Meanwhile the queue is not busy.
 */
class WebhookQueue {
  /** To be attempted: due retries, and deliveries that were held back, before new ones in order of acceptance. */
  readonly #due: PendingDelivery[] = [];
  readonly #underWay = new Set<PendingDelivery>();
  #held: PendingDelivery | undefined;
  /** How many wait for the clock. */
  #retries = 0;
  #isBusy = false;

  constructor(
    private readonly context: DeliveryContext,
    private readonly busyQueues: InFlightCounter,
    /** Called when nothing of it is pending. */
    private readonly onEmpty: () => void,
  ) {}

  /** Takes a delivery: a new one, or one of a saved sandbox that continues where it stopped. */
  add(pending: PendingDelivery): void {
    const { nextAttemptAt } = pending.delivery;
    pending.saved = this.#eventsSaved();
    // Whoever waits for it takes care of the end of the run.
    pending.saved?.catch(() => {});
    if (pending.fault !== undefined && this.#held === undefined) this.#held = pending;
    else if (nextAttemptAt !== null) this.#retry(pending, nextAttemptAt);
    else this.#due.push(pending);
    this.#drainSoon();
  }

  /** Sends the delivery that is held back, if its rule was removed. */
  releaseHeld(): void {
    if (this.context.run.faults.get(this.#held?.fault?.rule ?? "") === undefined) this.endReordering();
  }

  /** Sends the delivery that is held back, with all effects of its rule but the delay. */
  endReordering(): void {
    const held = this.#held;
    if (held?.fault === undefined) return;
    this.#held = undefined;
    held.delivery.reason = null;
    this.context.run.deliveries.changed(held.delivery);
    held.fault = { ...held.fault, delayMs: 0 };
    this.#due.unshift(held);
    this.#drainSoon();
  }

  /** Attempts what is due after the current turn of the event loop: an answer never waits for a receiver. */
  #drainSoon(): void {
    this.#updateBusy();
    soon(() => runSafely(this.context.run.report, () => this.#drain()));
  }

  #drain(): void {
    const { run } = this.context;
    while (!run.signal.aborted && this.#canTry()) {
      const next = this.#due.shift() as PendingDelivery;
      this.#underWay.add(next);
      // An attempt aborted by the end of the run is not reported.
      this.#deliver(next).catch((error: unknown) => {
        if (!run.signal.aborted) run.report(error);
      });
    }
    this.#updateBusy();
  }

  #canTry(): boolean {
    const isOrdered = this.context.run.behaviour.counted["delivery.order"] === "perWebhook";
    return this.#due.length > 0 && !(isOrdered && this.#underWay.size + this.#retries > 0);
  }

  /** The journey of a delivery: from the outbox to its receiver, the answer into the log, and back for a retry. */
  async #deliver(pending: PendingDelivery): Promise<void> {
    const { run } = this.context;
    const { delivery } = pending;
    // 1. Its event is as durable as promised.
    if (pending.saved !== undefined) await pending.saved;
    // 2. The webhook as it is now says where it goes.
    delivery.reason = null;
    delivery.nextAttemptAt = null;
    followUpdate(run, pending);
    const destination = destinationOf(pending, this.context);
    // 3. A fault may change what is sent and answered, or hold the delivery back until the next new one was attempted.
    const held = pending.fault;
    const isNew = pending.attempts === 0 && held === undefined;
    const overtaken = isNew ? this.#held : undefined;
    if (isNew) this.#held = undefined;
    const fault = held ?? ("target" in destination ? run.faults.pick("delivery", delivery) : undefined);
    pending.fault = undefined;
    const hasNext = run.world.get("webhooks", pending.webhook.id) !== undefined;
    const canHold = hasNext && held === undefined && overtaken === undefined && this.#held === undefined;
    if (fault?.reorder && canHold) return this.#hold(pending, fault);
    // 4. The request goes to the receiver, and its answer comes back.
    const result = await ("target" in destination
      ? attempt(pending, destination.target, fault, this.context).catch((error: unknown): AttemptResult => {
          run.signal.throwIfAborted();
          run.report(error);
          const failure = `the simulator failed: ${reasonOf(error)}`;
          const at = run.clock.now();
          const failed = { at, status: null, durationMs: 0, error: failure, responseBody: null };
          return { attempts: [failed], status: "failed", reason: null };
        })
      : destination);
    run.signal.throwIfAborted();
    // 5. The log records it, and with it when the next attempt is due.
    if (result.status === "delivered" || result.status === "failed") pending.attempts += 1;
    const retryAt = result.status === "failed" ? retryAtOf(pending, run) : null;
    record(pending, result, retryAt, this.context);
    // 6. A retry waits for the sandbox's clock, and the queue goes on.
    if (overtaken !== undefined) this.#due.unshift(overtaken);
    if (retryAt !== null) this.#retry(pending, retryAt);
    this.#underWay.delete(pending);
    this.#drain();
  }

  /** Resolves once all events so far are as durable as promised; undefined if they are. */
  #eventsSaved(): Promise<void> | undefined {
    const { saver, signal } = this.context.run;
    return saver.settled(-1)?.catch(() => sleep(SAVE_RETRY_MS, signal).then(() => this.#eventsSaved()));
  }

  /** Holds a delivery back for the fault `reorder`. */
  #hold(pending: PendingDelivery, fault: FaultAction): void {
    pending.fault = fault;
    pending.delivery.reason = `held by fault ${fault.rule} until the next event`;
    this.#held = pending;
    this.context.run.deliveries.changed(pending.delivery);
    this.#underWay.delete(pending);
    this.#drain();
  }

  /** Attempts a delivery again at an instant; an advance of the clock waits until that is done. */
  #retry(pending: PendingDelivery, at: number): void {
    const { clock, outbox } = this.context.run;
    if (at <= clock.now()) {
      this.#due.unshift(pending);
      return;
    }
    this.#retries += 1;
    clock.at(at, () => {
      this.#retries -= 1;
      this.#due.unshift(pending);
      this.#drain();
      return outbox.settled();
    });
  }

  #updateBusy(): void {
    const isBusy = this.#underWay.size > 0 || this.#canTry();
    if (isBusy === this.#isBusy) return;
    this.#isBusy = isBusy;
    if (isBusy) return this.busyQueues.enter();
    this.busyQueues.leave();
    if (this.#retries === 0 && this.#held === undefined) this.onEmpty();
  }
}

/**
 * Gives a delivery the url and the headers that its webhook has now (behaviour `delivery.pendingUpdate`): always both, so
 * that a changed secret does not reach the address that it was changed for.
 */
function followUpdate({ world, behaviour }: Run, pending: PendingDelivery): void {
  const { delivery, webhook: known } = pending;
  const webhook = world.get("webhooks", known.id);
  if (webhook === undefined || (webhook.url === known.url && webhook.extraHeaders === known.extraHeaders))
    return;
  if (behaviour.counted["delivery.pendingUpdate"] !== "current") return;
  const { url, extraHeaders } = webhook;
  pending.webhook = { ...known, url, extraHeaders };
  delivery.url = url;
}

/** Where a delivery goes, or how it ends without a call. */
function destinationOf(
  pending: PendingDelivery,
  { run, targets }: DeliveryContext,
): { readonly target: Destination } | AttemptResult {
  const { delivery, webhook } = pending;
  // Behaviour `webhooks.pendingAfterDisable`.
  const current = run.world.get("webhooks", webhook.id);
  const isOff = !webhook.byHand && !current?.enabled;
  if (isOff && run.behaviour.counted["webhooks.pendingAfterDisable"] === "drop") {
    const change = current === undefined ? "deleted" : "disabled";
    return unsent(
      "dropped",
      `webhook ${delivery.hookId} was ${change} before this attempt (behaviour webhooks.pendingAfterDisable)`,
    );
  }
  const resolution = targets.resolve(delivery.url, run.sandboxId, run.epoch);
  return "blocked" in resolution ? unsent("blocked", resolution.blocked) : resolution;
}

/** When the next attempt is due; null if there is none. A legacy webhook gets one attempt (specification: "Legacy delivery payload"). */
function retryAtOf({ delivery, attempts }: PendingDelivery, { behaviour, clock }: Run): number | null {
  const { "delivery.attempts": maximum, "delivery.backoff": backoff } = behaviour.counted;
  if (attempts >= (delivery.legacy ? 1 : maximum)) return null;
  return clock.now() + milliseconds(backoff[Math.min(attempts, backoff.length) - 1] ?? 0);
}

/** Records in the delivery log how an attempt has ended, and when the next one is due. */
function record(
  pending: PendingDelivery,
  { attempts, status, reason }: AttemptResult,
  retryAt: number | null,
  context: DeliveryContext,
): void {
  const { run } = context;
  const { delivery } = pending;
  delivery.attempts = [...delivery.attempts, ...attempts];
  delivery.nextAttemptAt = retryAt;
  delivery.reason = reason;
  delivery.status = retryAt === null ? status : "pending";
  if (status === "failed") {
    const last = attempts.at(-1);
    const next =
      retryAt === null ? "the last" : `the next comes in ${durationText(retryAt - run.clock.now())}`;
    const why = last?.error ?? `answered ${last?.status}`;
    log(delivery, `failed: ${why} (attempt ${pending.attempts}, ${next})`, context);
  } else if (reason !== null) log(delivery, `is ${status}: ${reason}`, context);
  run.deliveries.changed(delivery);
  if (retryAt === null && !pending.webhook.byHand) countFailures(pending, context);
}

/** Counts the deliveries of a webhook that have failed in a row: the service may disable it. */
function countFailures({ delivery, webhook }: PendingDelivery, context: DeliveryContext): void {
  const { run } = context;
  const { deliveries } = run;
  const { hookId, status } = delivery;
  const webhookId = webhook.id;
  if (status === "delivered") deliveries.failures.delete(webhookId);
  if (status !== "failed") return;
  const failures = (deliveries.failures.get(webhookId) ?? 0) + 1;
  const counted = run.transact({ id: null }, countFailure, { webhookId, failures });
  if (counted.failures > 0) deliveries.failures.set(webhookId, counted.failures);
  else deliveries.failures.delete(webhookId);
  if (counted.isDisabled)
    log(delivery, `disables webhook ${hookId}: ${failures} failed in a row (delivery.autoDisable)`, context);
}

function log({ id, hookId, url }: Delivery, message: string, { run, logger }: DeliveryContext): void {
  logger.info({ sandbox: run.sandboxId, delivery: id, hookId, url }, `delivery ${id} to ${url} ${message}`);
}
