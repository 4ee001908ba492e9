import { durationText, milliseconds } from "../../kernel/duration.js";
import { maskedAddress, maskedText } from "../../kernel/masking.js";
import { estimateBytes } from "../../kernel/size.js";
import { disableWebhook } from "../../service/domain/webhooks.js";
import type { PendingDelivery } from "../deliveries.js";
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
  context.run.deliveries.changed(delivery, estimateBytes(attempts) + estimateBytes(delivery.headers));
  if (nextAttemptAt === null && !queued.webhook.byHand) countFailures(queued, context);
  return nextAttemptAt;
}

/** Disables a webhook when as many of its deliveries in a row have failed as `delivery.autoDisable` says. */
function countFailures(queued: PendingDelivery, context: DeliveryContext): void {
  const { run } = context;
  const { webhookId, hookId, status } = queued.delivery;
  const { failures } = run.deliveries;
  if (status === "delivered") failures.delete(webhookId);
  if (status !== "failed") return;
  const limit = run.behaviour.counted["delivery.autoDisable"];
  const count = (failures.get(webhookId) ?? 0) + 1;
  if (limit === null || run.world.get("webhooks", webhookId) === undefined) failures.delete(webhookId);
  else if (count < limit) failures.set(webhookId, count);
  else {
    failures.delete(webhookId);
    run.transact({ id: null }, disableWebhook, { id: webhookId });
    log(queued, `disables webhook ${hookId}: ${count} failed in a row (delivery.autoDisable)`, context);
  }
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
