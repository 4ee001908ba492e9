import { costOf } from "../kernel/cost.js";
import { durationText, milliseconds } from "../kernel/duration.js";
import { maskedAddress, maskedText } from "../kernel/masking.js";
import type { PendingDelivery } from "../sandbox/pending-delivery.js";
import type { AttemptResult, DeliveryContext } from "./attempt.js";

/** Enters an attempt's result in the delivery log. Returns the world's time of the next attempt, ms; null for none. */
export function recordResult(
  queued: PendingDelivery,
  { attempts, status, reason }: AttemptResult,
  context: DeliveryContext,
): number | null {
  const { delivery } = queued;
  const nextAttemptAt = status === "failed" ? retryAt(queued, context) : null;
  delivery.attempts = [...delivery.attempts, ...attempts];
  delivery.nextAttemptAt = nextAttemptAt;
  delivery.reason = reason;
  delivery.status = nextAttemptAt === null ? status : "pending";
  if (status === "failed") logFailure(queued, context);
  else if (reason !== null) log(queued, `is ${status}: ${reason}`, context);
  context.run.deliveries.changed(delivery, costOf(attempts) + costOf(delivery.headers));
  return nextAttemptAt;
}

/** When the next attempt is due; null for none. A legacy webhook gets one attempt (specification: "Legacy delivery payload"). */
function retryAt({ delivery, attempts }: PendingDelivery, { run }: DeliveryContext): number | null {
  const { "delivery.attempts": maximum, "delivery.backoff": backoff } = run.behaviour.counted;
  if (attempts >= (delivery.legacy ? 1 : maximum)) return null;
  return run.clock.now() + milliseconds(backoff[Math.min(attempts, backoff.length) - 1] ?? 0);
}

function logFailure(queued: PendingDelivery, context: DeliveryContext): void {
  const { attempts, nextAttemptAt } = queued.delivery;
  const last = attempts.at(-1);
  const next =
    nextAttemptAt === null
      ? "the last"
      : `the next comes in ${durationText(nextAttemptAt - context.run.clock.now())}`;
  const why = last?.error ?? `answered ${last?.status}`;
  log(queued, `failed: ${why} (attempt ${queued.attempts}, ${next})`, context);
}

function log({ delivery }: PendingDelivery, message: string, { run, logger }: DeliveryContext): void {
  const { id, hookId } = delivery;
  const url = maskedAddress(delivery.url);
  const text = `delivery ${id} to ${url} ${maskedText(message)}`;
  logger.info({ sandbox: run.sandboxId, delivery: id, hookId, url }, text);
}

/** The result of an attempt that came to no end of its own: the receiver may have got it, or not. */
export const failedInside = (error: unknown, at: number): AttemptResult => ({
  attempts: [
    { at, status: null, durationMs: 0, error: `the simulator failed: ${String(error)}`, responseBody: null },
  ],
  status: "failed",
  reason: null,
});
