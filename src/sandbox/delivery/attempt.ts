/** One attempt at a delivery: what is sent, with which headers and signature, and how the answers are judged. */
import { createHmac } from "node:crypto";
import type { LimitFunction } from "p-limit";
import type { Logger } from "../../kernel/errors.js";
import { mergePatch } from "../../kernel/json.js";
import { omitUndefined } from "../../kernel/objects.js";
import { sleep, wallNow } from "../../kernel/realtime.js";
import type { BehaviourValues } from "../../service/behaviour/table.js";
import { isSendable } from "../../service/domain/webhooks.js";
import type { NameValue } from "../../service/world/records.js";
import { type Attempt, type PendingDelivery, secretHeadersOf } from "../deliveries.js";
import type { FaultAction, FaultEffect } from "../fault-effects.js";
import type { Run } from "../run.js";
import type { CallResult, HeaderFields, HttpClient, OutboundRequest } from "./http.js";
import type { Destination, Targets } from "./target.js";

/** What the deliveries of one run need; everything but the run is shared. */
export interface DeliveryContext {
  readonly run: Run;
  readonly http: HttpClient;
  readonly limit: LimitFunction;
  readonly targets: Targets;
  readonly userAgent: string;
  readonly logger: Logger;
}

export interface AttemptResult {
  /** One for each request; empty if nothing was sent. */
  readonly attempts: readonly Attempt[];
  /** Only a failure may be retried. */
  readonly status: "delivered" | "failed" | "dropped" | "blocked";
  readonly reason: string | null;
}

/** Makes one attempt, with the effects of the fault. @throws the reason of the run's signal, if the run is closed meanwhile */
export async function attempt(
  pending: PendingDelivery,
  target: Destination,
  fault: FaultAction | undefined,
  context: DeliveryContext,
): Promise<AttemptResult> {
  const { clock, signal, behaviour } = context.run;
  if (fault !== undefined && fault.delayMs > 0) await sleep(fault.delayMs, signal);
  const copies = fault?.copy ? [await sendCopy(pending, target, fault, context)] : [];
  if (fault?.drop === "before") return unsent("dropped", `never sent: fault ${fault.rule}`, copies);
  const at = clock.now();
  const answers = stubbedAnswers(fault) ?? (await Promise.all(send(pending, target, fault, context)));
  const attempts = [...copies, ...answers.map((answer) => attemptOf(at, answer, fault))];
  // A receiver may have answered with a redirect to a host that the guard refuses.
  const refused = answers.find(({ isBlocked }) => isBlocked);
  if (refused !== undefined) {
    const sent = attempts.filter(({ copy, status }) => copy || status !== null);
    return unsent("blocked", refused.error, sent);
  }
  if (fault?.drop === "after") {
    const error = `the answer was ignored: fault ${fault.rule}`;
    const ignored = attempts.map((each) =>
      each.copy ? each : { ...each, status: null, error, responseBody: null },
    );
    return unsent("dropped", error, ignored);
  }
  const isDelivered = answers.some((answer) => isSuccess(answer, behaviour.counted["delivery.success"]));
  return { attempts, status: isDelivered ? "delivered" : "failed", reason: null };
}

/** The result of an attempt that ends its delivery without an answer that counts. */
export const unsent = (
  status: "blocked" | "dropped",
  reason: string | null,
  attempts: readonly Attempt[] = [],
): AttemptResult => ({ attempts, status, reason });

export function isSuccess(
  { status, error }: CallResult,
  success: BehaviourValues["delivery.success"],
): boolean {
  if (status === null || error !== null) return false;
  return success === "2xx" ? status >= 200 && status < 300 : success.includes(status);
}

const attemptOf = (at: number, answer: CallResult, fault: FaultAction | undefined): Attempt => {
  const { status, durationMs, error, responseBody, stubbed } = answer;
  return { at, status, durationMs, error, responseBody, ...omitUndefined({ fault: fault?.rule, stubbed }) };
};

function stubbedAnswers(fault: FaultAction | undefined): CallResult[] | undefined {
  if (fault?.status === undefined && fault?.body === undefined) return undefined;
  const { status = 200, body = "" } = fault;
  const responseBody = typeof body === "string" ? body : body === null ? "" : JSON.stringify(body);
  return [{ status, durationMs: 0, error: null, responseBody, stubbed: true }];
}

/** Sends a copy with the fault's changes, and waits for its answer. One that is changed has its own id. */
async function sendCopy(
  pending: PendingDelivery,
  target: Destination,
  fault: FaultAction,
  { run, http, limit, userAgent }: DeliveryContext,
): Promise<Attempt> {
  const at = run.clock.now();
  const { payload, signature } = fault;
  const isChanged = payload !== undefined || signature !== undefined;
  const id = isChanged ? `${pending.delivery.id}-copy` : pending.delivery.id;
  const { extraHeaders } = pending.webhook;
  const sent = { id, body: bodyOf(pending, { payload }), extraHeaders, signature };
  const request = requestTo(target, sent, run.behaviour.counted, userAgent);
  const answer = await limit(() => http.send(request, run.signal));
  return { ...attemptOf(at, answer, fault), copy: true };
}

/** Sends the request, whose headers the delivery log shows, together with its duplicates. */
function send(
  pending: PendingDelivery,
  target: Destination,
  fault: FaultAction | undefined,
  context: DeliveryContext,
): Promise<CallResult>[] {
  const { delivery, webhook } = pending;
  const { run, http, limit, userAgent } = context;
  const { id } = delivery;
  const { extraHeaders } = webhook;
  const { malformed, headers, duplicate = 0 } = fault ?? {};
  const { payload, signature } = fault?.copy ? {} : (fault ?? {});
  const sent = { id, body: bodyOf(pending, { payload, malformed }), extraHeaders, headers, signature };
  const request = requestTo(target, sent, run.behaviour.counted, userAgent);
  delivery.headers = request.headers;
  delivery.secretHeaders = secretHeadersOf(run, extraHeaders);
  const sendOnce = (each: OutboundRequest) => limit(() => http.send(each, run.signal));
  return Array.from({ length: 1 + duplicate }, () =>
    sendFollowing(request, context, run.behaviour.counted, sendOnce),
  );
}

/** The body as it is signed and sent. */
function bodyOf(
  { delivery, body }: PendingDelivery,
  { payload, malformed }: Pick<FaultEffect, "payload" | "malformed">,
): Buffer {
  const text = payload === undefined ? body : Buffer.from(JSON.stringify(mergePatch(delivery.body, payload)));
  return malformed ? text.subarray(0, -1) : text;
}

const MAX_REDIRECTS = 3;

/** Sends a request, and follows its redirects if the behaviour `delivery.redirects` says so. */
export async function sendFollowing(
  request: OutboundRequest,
  { run, targets }: Pick<DeliveryContext, "run" | "targets">,
  values: Pick<BehaviourValues, "delivery.redirects">,
  send: (request: OutboundRequest) => Promise<CallResult>,
): Promise<CallResult> {
  let { target } = request;
  let outcome = await send(request);
  for (let followed = 0; followed < MAX_REDIRECTS; followed += 1) {
    const { status, location } = outcome;
    if ((status !== 307 && status !== 308) || location === undefined) return outcome;
    if (values["delivery.redirects"] === "fail") return outcome;
    if (!URL.canParse(location, target.url)) return outcome;
    const resolution = targets.resolve(new URL(location, target.url).href, run.sandboxId, run.epoch);
    if ("blocked" in resolution) return { ...outcome, error: resolution.blocked, isBlocked: true };
    target = resolution.target;
    outcome = await send({ ...request, target });
  }
  return outcome;
}

interface RequestContent extends Pick<FaultEffect, "headers" | "signature"> {
  readonly id: string;
  readonly body: Buffer;
  readonly extraHeaders: readonly NameValue[];
}

/** The request to a receiver, signed as `delivery.signature` says; a sink gets no `Host` of the webhook. */
export function requestTo(
  target: Destination,
  { id, body, extraHeaders, headers, signature }: RequestContent,
  values: Pick<BehaviourValues, "delivery.signature" | "delivery.timeoutMs">,
  userAgent: string,
): OutboundRequest {
  const own = target.isOwn ? extraHeaders.filter(({ name }) => name.toLowerCase() !== "host") : extraHeaders;
  const signed = signatureHeaders(values["delivery.signature"], id, body, signature);
  return {
    target,
    headers: requestHeaders(userAgent, own, headers, signed),
    body,
    timeoutMs: values["delivery.timeoutMs"],
  };
}

/**
 * The headers of a request to a webhook: those of every delivery, overridden by the webhook's own (specification:
 * "Authentication", 6), overridden by `others`. Names are case-insensitive. If the webhook names a header twice, its values
 * are joined with a comma, except for `Host`, of which the last wins. Connection headers are omitted.
 */
export function requestHeaders(
  userAgent: string,
  extraHeaders: readonly NameValue[],
  ...others: readonly (HeaderFields | undefined)[]
): HeaderFields {
  const own = new Map<string, readonly [name: string, value: string]>();
  for (const { name, value } of extraHeaders) {
    const key = name.toLowerCase();
    const earlier = key === "host" ? undefined : own.get(key);
    own.set(key, [name, earlier === undefined ? value : `${earlier[1]}, ${value}`]);
  }
  const merged = new Map<string, readonly [name: string, value: string]>([
    ["content-type", ["content-type", "application/json"]],
    ["user-agent", ["user-agent", userAgent]],
    ...own,
  ]);
  for (const headers of others)
    for (const [name, value] of Object.entries(headers ?? {})) merged.set(name.toLowerCase(), [name, value]);
  const sent = [...merged].filter(([key]) => isSendable(key));
  return Object.freeze(Object.fromEntries(sent.map(([, field]) => field)));
}

/** The age of a stale signature, ms. */
const STALE_MS = 600_000;

const SECRET_PREFIX = "whsec_";

/**
 * The headers that sign a body as Standard Webhooks defines: an id that stays the same over retries, the real time in
 * seconds, and one HMAC-SHA256 over `id.timestamp.body` for each secret. Undefined without a secret.
 *
 * @param fault how a fault changes the signature
 */
function signatureHeaders(
  signature: BehaviourValues["delivery.signature"],
  id: string,
  body: Uint8Array,
  fault?: FaultEffect["signature"],
): HeaderFields | undefined {
  if (signature === null) return undefined;
  const timestamp = Math.floor((wallNow() - (fault === "stale" ? STALE_MS : 0)) / 1000);
  const sign = (secret: string) =>
    createHmac("sha256", fault === "bad" ? `not ${secret}` : keyOf(secret))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signature.secrets.map((secret) => `v1,${sign(secret)}`).join(" "),
  };
}

/** The bytes of a secret: `whsec_` and base64, or any other text as it is. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), "base64")
    : Buffer.from(secret);
