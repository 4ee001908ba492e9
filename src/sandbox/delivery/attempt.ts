/** One attempt at a delivery: its requests, how their answers are judged, and what the delivery log records. */
import type { LimitFunction } from "p-limit";
import { BOUNDS } from "../../kernel/bounds.js";
import type { Logger } from "../../kernel/errors.js";
import { mergePatch } from "../../kernel/json.js";
import { maskedAddress, maskedText } from "../../kernel/masking.js";
import { omitUndefined } from "../../kernel/objects.js";
import { sleep } from "../../kernel/realtime.js";
import { durationText, milliseconds } from "../../kernel/units.js";
import type { BehaviourValues } from "../../service/behaviour/table.js";
import { countFailure, omittedHeaders } from "../../service/domain/webhooks.js";
import { type Attempt, type Delivery, type PendingDelivery, secretHeadersOf } from "../deliveries.js";
import type { FaultAction, FaultEffect } from "../fault-effects.js";
import type { Run } from "../run.js";
import { requestHeaders, sentTo, signatureHeaders } from "./headers.js";
import type { Answer, HttpClient, OutboundRequest, Outcome } from "./http.js";
import type { Resolution, Target, Targets } from "./target.js";

/** What the deliveries of one run need; everything but the run is shared. */
export interface DeliveryContext {
  readonly run: Run;
  readonly http: HttpClient;
  readonly limit: LimitFunction;
  readonly targets: Targets;
  readonly userAgent: string;
  readonly logger: Logger;
}

interface AttemptResult {
  /** One for each request; empty if nothing was sent. */
  readonly attempts: readonly Attempt[];
  /** Only a failure may be retried. */
  readonly status: "delivered" | "failed" | "dropped" | "blocked";
  readonly reason: string | null;
}

/** Makes one attempt, with the effects of the fault. @throws the reason of the run's signal, if the run is closed meanwhile */
export async function attempt(
  queued: PendingDelivery,
  resolution: Resolution | Dropped,
  fault: FaultAction | undefined,
  context: DeliveryContext,
): Promise<AttemptResult> {
  const { clock, signal } = context.run;
  if ("dropped" in resolution) return unsent("dropped", resolution.dropped);
  if ("blocked" in resolution) return unsent("blocked", resolution.blocked);
  queued.attempts += 1;
  queued.delivery.nextAttemptAt = null;
  const { hops = 0 } = queued.webhook;
  if (hops >= BOUNDS.hops.limit)
    return unsent(
      "blocked",
      `${hops} calls of the simulator led to this one: the calls form a loop, because a webhook points back at the simulator`,
    );
  if ("unusable" in resolution) return failedUnsent(resolution.unusable, clock.now());
  const { target } = resolution;
  if (fault !== undefined && fault.delayMs > 0) await sleep(fault.delayMs, signal);
  const copies = fault?.copy ? await sendCopy(queued, target, fault, context) : [];
  if (fault?.drop === "before") return unsent("dropped", `never sent: fault ${fault.rule}`, copies);
  const at = clock.now();
  const answers = stubbedAnswers(fault) ?? (await Promise.all(send(queued, target, fault, context)));
  const attempts = [...copies, ...answers.map((answer) => attemptOf(at, answer, fault))];
  const refused = answers.find(({ stage }) => stage === "guard");
  // A receiver may have answered with a redirect to the host that the guard refuses.
  return refused === undefined
    ? judge(attempts, fault, context.run)
    : unsent(
        "blocked",
        refused.error,
        attempts.filter(({ copy, status }) => copy || status !== null),
      );
}

/** The result of an attempt that ends its delivery without an answer that counts. */
const unsent = (
  status: "blocked" | "dropped",
  reason: string | null,
  attempts: readonly Attempt[] = [],
): AttemptResult => ({ attempts, status, reason });

/** The result of an attempt that sent no request. */
export const failedUnsent = (error: string, at: number): AttemptResult => ({
  attempts: [{ at, status: null, durationMs: 0, error, responseBody: null }],
  status: "failed",
  reason: null,
});

type Answered = Outcome & Pick<Attempt, "stubbed">;

const attemptOf = (at: number, answer: Answered, fault: FaultAction | undefined): Attempt => {
  const { status, durationMs, error, responseBody, stubbed } = answer;
  return { at, status, durationMs, error, responseBody, ...omitUndefined({ fault: fault?.rule, stubbed }) };
};

function stubbedAnswers(fault: FaultAction | undefined): Answered[] | undefined {
  if (fault?.status === undefined && fault?.body === undefined) return undefined;
  const { status = 200, body = "" } = fault;
  const responseBody = typeof body === "string" ? body : body === null ? "" : JSON.stringify(body);
  return [{ status, durationMs: 0, error: null, responseBody, stage: null, stubbed: true }];
}

/** Sends a copy with the fault's changes, and waits for its answer. One that is changed has its own id. */
async function sendCopy(
  queued: PendingDelivery,
  target: Target,
  fault: FaultAction,
  context: DeliveryContext,
): Promise<Attempt[]> {
  const { clock, signal } = context.run;
  const at = clock.now();
  const { payload, signature } = fault;
  const isChanged = payload !== undefined || signature !== undefined;
  const id = isChanged ? `${queued.delivery.id}-copy` : queued.delivery.id;
  const request = requestFor(queued, target, { payload, signature, id }, context);
  const answer = await context.limit(() => context.http.send(request, signal));
  return [{ ...attemptOf(at, answer, fault), copy: true }];
}

/** Sends the request, whose headers the delivery log shows, together with its duplicates. */
function send(
  queued: PendingDelivery,
  target: Target,
  fault: FaultAction | undefined,
  context: DeliveryContext,
): Promise<Answered>[] {
  const { delivery } = queued;
  const { run, http, limit } = context;
  const { payload, signature, copy, malformed, headers } = fault ?? {};
  const changes = copy ? {} : { payload, signature };
  const request = requestFor(queued, target, { ...changes, malformed, headers, id: delivery.id }, context);
  delivery.headers = request.headers;
  run.logs.deliveries.changed(delivery);
  const sendOnce = (each: OutboundRequest) => limit(() => http.send(each, run.signal));
  return Array.from({ length: 1 + (fault?.duplicate ?? 0) }, () =>
    sendFollowing(request, context, run.behaviour.counted, sendOnce),
  );
}

const MAX_REDIRECTS = 3;

/** Sends a request, and follows its redirects if the behaviour `delivery.redirects` says so. */
export async function sendFollowing(
  request: OutboundRequest,
  { run, targets }: Pick<DeliveryContext, "run" | "targets">,
  values: Pick<BehaviourValues, "delivery.redirects">,
  send: (request: OutboundRequest) => Promise<Outcome>,
): Promise<Outcome> {
  let { target } = request;
  let outcome = await send(request);
  for (let followed = 0; followed < MAX_REDIRECTS; followed += 1) {
    const { status, location } = outcome;
    if ((status !== 307 && status !== 308) || location === undefined) return outcome;
    if (values["delivery.redirects"] === "fail") return outcome;
    const base = urlOf(target);
    if (!URL.canParse(location, base)) return outcome;
    const resolution = targets.resolve(new URL(location, base).href, run.sandboxId, run.epoch);
    if ("blocked" in resolution) return { ...outcome, error: resolution.blocked, stage: "guard" };
    if ("unusable" in resolution) return { ...outcome, error: resolution.unusable };
    target = resolution.target;
    outcome = await send({ ...request, target });
  }
  return outcome;
}

/** The base of a relative location: the URL as the receiver knows it. */
const urlOf = ({ origin, host, secure, path }: Target): string =>
  (host === undefined ? origin : `${secure ? "https" : "http"}://${host}`) + path;

interface Dropped {
  readonly dropped: string;
}

/** Why the webhook no longer gets deliveries (behaviour `webhooks.pendingAfterDisable`); undefined if it does. */
export function droppedFor({ world, behaviour }: Run, pending: PendingDelivery): Dropped | undefined {
  const { delivery, webhook } = pending;
  if (webhook.byHand || behaviour.counted["webhooks.pendingAfterDisable"] === "send") return undefined;
  const current = pending.webhookIn(world);
  if (current?.enabled) return undefined;
  const change = current === undefined ? "deleted" : "disabled";
  return {
    dropped: `webhook ${delivery.hookId} was ${change} before this attempt (behaviour webhooks.pendingAfterDisable)`,
  };
}

/**
 * Gives a delivery the url and the headers that its webhook has now (behaviour `delivery.pendingUpdate`): always both, so
 * that a changed secret does not reach the address that it was changed for.
 */
export function followUpdate({ world, behaviour }: Run, pending: PendingDelivery): void {
  const { delivery, webhook: known } = pending;
  const webhook = pending.webhookIn(world);
  if (webhook === undefined || (webhook.url === known.url && webhook.extraHeaders === known.extraHeaders))
    return;
  if (behaviour.counted["delivery.pendingUpdate"] !== "current") return;
  const { url, extraHeaders } = webhook;
  pending.webhook = { ...known, url, extraHeaders };
  delivery.url = url;
}

type Sent = { readonly id: string } & {
  readonly [K in "payload" | "signature" | "malformed" | "headers"]?: FaultEffect[K] | undefined;
};

function requestFor(
  queued: PendingDelivery,
  target: Target,
  sent: Sent,
  { run, userAgent }: DeliveryContext,
): OutboundRequest {
  const { behaviour } = run;
  const { delivery } = queued;
  const { extraHeaders, hops = 0 } = queued.webhook;
  const { "delivery.signature": signature, "delivery.timeoutMs": timeoutMs } = behaviour.counted;
  const body = bodyOf(queued, sent);
  delivery.omittedHeaders = omittedHeaders(extraHeaders, target.isOwn);
  delivery.secretHeaders = secretHeadersOf(run, extraHeaders);
  const headers = requestHeaders(
    userAgent,
    sentTo(extraHeaders, target.isOwn),
    sent.headers,
    signatureHeaders(signature, sent.id, body, sent.signature),
  );
  return { target, headers, body, hops, timeoutMs };
}

/** The body as it is signed and sent. */
function bodyOf({ delivery, body }: PendingDelivery, { payload, malformed }: Sent): Buffer {
  const text = payload === undefined ? body : Buffer.from(JSON.stringify(mergePatch(delivery.body, payload)));
  return malformed ? text.subarray(0, -1) : text;
}

/** A delivery succeeds if one of its requests does, copies aside; a fault may ignore the answers. */
function judge(attempts: readonly Attempt[], fault: FaultAction | undefined, run: Run): AttemptResult {
  if (fault?.drop === "after") {
    const error = `the answer was ignored: fault ${fault.rule}`;
    const unheard = attempts.map((each) =>
      each.copy ? each : { ...each, status: null, error, responseBody: null },
    );
    return unsent("dropped", error, unheard);
  }
  const success = run.behaviour.counted["delivery.success"];
  const isDelivered = attempts.some((one) => !one.copy && isSuccess(one, success));
  return { attempts, status: isDelivered ? "delivered" : "failed", reason: null };
}

export function isSuccess({ status, error }: Answer, success: BehaviourValues["delivery.success"]): boolean {
  if (status === null || error !== null) return false;
  return success === "2xx" ? status >= 200 && status < 300 : success.includes(status);
}

/** Records an attempt's result in the delivery log. Returns the sandbox's time of the next attempt, ms; null if there is none. */
export function recordResult(
  queued: PendingDelivery,
  { attempts, status, reason }: AttemptResult,
  context: DeliveryContext,
): number | null {
  const { run } = context;
  const { delivery } = queued;
  const nextAttemptAt = status === "failed" ? retryAt(queued, run) : null;
  delivery.attempts = [...delivery.attempts, ...attempts];
  delivery.nextAttemptAt = nextAttemptAt;
  delivery.reason = reason;
  delivery.status = nextAttemptAt === null ? status : "pending";
  if (status === "failed") log(delivery, failureText(queued, run.clock.now()), context);
  else if (reason !== null) log(delivery, `is ${status}: ${reason}`, context);
  run.deliveries.changed(delivery);
  if (nextAttemptAt === null && !queued.webhook.byHand) countFailures(queued, context);
  return nextAttemptAt;
}

/** Counts the deliveries of a webhook that have failed in a row: the service may disable it. */
function countFailures({ delivery, isOrphan }: PendingDelivery, context: DeliveryContext): void {
  const { run } = context;
  const { webhookId, hookId, status } = delivery;
  const { deliveries } = run;
  if (isOrphan) return;
  if (status === "delivered") deliveries.failed(webhookId, undefined);
  if (status !== "failed") return;
  const failures = (deliveries.failures.get(webhookId) ?? 0) + 1;
  const counted = run.transact({ id: null }, countFailure, { webhookId, failures });
  deliveries.failed(webhookId, counted.failures || undefined);
  if (counted.isDisabled)
    log(delivery, `disables webhook ${hookId}: ${failures} failed in a row (delivery.autoDisable)`, context);
}

/** When the next attempt is due; null if there is none. A legacy webhook gets one attempt (specification: "Legacy delivery payload"). */
function retryAt({ delivery, attempts }: PendingDelivery, { behaviour, clock }: Run): number | null {
  const { "delivery.attempts": maximum, "delivery.backoff": backoff } = behaviour.counted;
  if (attempts >= (delivery.legacy ? 1 : maximum)) return null;
  return clock.now() + milliseconds(backoff[Math.min(attempts, backoff.length) - 1] ?? 0);
}

function failureText({ delivery, attempts }: PendingDelivery, now: number): string {
  const last = delivery.attempts.at(-1);
  const { nextAttemptAt } = delivery;
  const next = nextAttemptAt === null ? "the last" : `the next comes in ${durationText(nextAttemptAt - now)}`;
  return `failed: ${last?.error ?? `answered ${last?.status}`} (attempt ${attempts}, ${next})`;
}

function log(
  { id, hookId, url: address }: Delivery,
  message: string,
  { run, logger }: DeliveryContext,
): void {
  const url = maskedAddress(address);
  const text = `delivery ${id} to ${url} ${maskedText(message)}`;
  logger.info({ sandbox: run.sandboxId, delivery: id, hookId, url }, text);
}
