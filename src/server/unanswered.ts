/** Why a customer has no reply yet, according to the logs: what happened to the events, and which calls followed. */

import { asksBot, bodyText, field, isOutside, messageOfDelivery, refusalOf } from "../client/log-entries.js";
import type { DeliveryRecord, FaultRule, RequestRecord, Webhook } from "../client/types.js";
import type { NoReply } from "../control/replies.js";
import { maskedAddress } from "../kernel/masking.js";
import { numberOf, omitUndefined } from "../kernel/objects.js";
import { threadOfRequest } from "../kernel/replies.js";

/** Why there is no reply yet. */
interface Why extends NoReply {
  readonly text: string;
}

/** A call that reached another sandbox after a delivery of this one. */
export interface StrayCall {
  readonly sandbox: string;
  readonly call: RequestRecord;
}

export interface Unanswered {
  /** The ids of the customer's unanswered messages. */
  readonly asked: ReadonlySet<string>;
  /** The conversation's calls and deliveries since the newest of them. */
  readonly requests: readonly RequestRecord[];
  readonly deliveries: readonly DeliveryRecord[];
}

/** The context of a waiting customer's conversation. */
export interface Surroundings {
  /** Of the thread's organization. */
  readonly webhooks: readonly Webhook[];
  readonly organization: string;
  readonly faults: readonly FaultRule[];
  /** All calls and deliveries of the sandbox, including those of other threads. */
  readonly requests: readonly RequestRecord[];
  readonly deliveries: readonly DeliveryRecord[];
  /** The position of a call among all others; undefined if unknown. */
  readonly rankOf: (cause: string | null) => number | undefined;
  /** `Maria Lopez`; undefined if there is no such thread. */
  readonly customerOf: (threadId: string) => string | undefined;
  /** What is wrong with a call's token, as a sentence; empty if nothing is. */
  readonly tokenProblem: (token: string | null) => string;
  readonly apiKey: string;
  /** How long a receiver has been handling a delivery, ms of real time; undefined if unknown. */
  readonly openFor?: (delivery: DeliveryRecord) => number | undefined;
  readonly timeoutMs: number | undefined;
  /** Whether a webhook receives its deliveries one by one. */
  readonly inOrder: boolean;
  /** The call that followed a delivery, if it went to another sandbox. */
  readonly strayAfter: (delivery: DeliveryRecord) => StrayCall | undefined;
}

const SEND = "sendMessageToCustomerThread";
const WIDGET = "sendMessageToBusiness";
/** How many of the newest calls of other threads are considered. */
const MAX_LOOKED_AT = 50;

export const why = (cause: string, text: string, entry?: string, remedy?: string): Why => ({
  cause,
  text,
  ...omitUndefined({ entry, remedy }),
});

/** Why a customer has no reply yet: what happened to the newest message. */
export function whyUnanswered({ asked, ...since }: Unanswered, around: Surroundings): Why {
  const requests = since.requests.filter(({ by }) => by === "client");
  const own = since.deliveries.filter((delivery) => asked.has(messageOfDelivery(delivery) ?? ""));
  const deliveries = [...new Map(own.map((delivery) => [delivery.webhookId, delivery])).values()];
  const outside = deliveries.filter(isOutside);
  const delivered = outside.find((one) => one.status === "delivered" && !one.attempts.at(-1)?.stubbed);
  const refused = requests.findLast((one) => one.durationMs !== null && isRefused(one));
  if (refused !== undefined && (delivered !== undefined || refused === requests.at(-1)))
    return ofRefusal(refused, around);
  // Of several webhooks, the one that failed is the program's if no call came.
  const hasFailed = outside.some(({ status }) => status === "failed");
  if (delivered === undefined || (requests.length === 0 && hasFailed)) return ofEvent(deliveries, around);
  const open = requests.findLast(({ durationMs }) => durationMs === null);
  if (open !== undefined) {
    const { id } = delaying("request", around);
    const delay = id === undefined ? "" : `: fault ${id} delays it`;
    return why("call-open", `Your program's call ${open.id} has no response yet${delay}.`, open.id);
  }
  const hidden = requests.findLast((one) => one.operation === SEND && field(one.body, "internal") === true);
  if (hidden !== undefined)
    return why("internal", "Your program's message is internal: the customer does not see it.", hidden.id);
  const missed = around.webhooks.filter(
    (one) => isOutside(one) && !deliveries.some(({ webhookId }) => webhookId === one.id),
  );
  return ofCallsAfter(delivered, missed, requests, around);
}

/** The rule that delays something now, and for how long at most: it fired more often than entries that have ended show. */
function delaying(on: FaultRule["on"], { faults, requests, deliveries }: Surroundings) {
  const ended = [...requests, ...deliveries.flatMap(({ attempts }) => attempts)].filter(
    ({ durationMs }) => durationMs !== null,
  );
  const hits = (id: string) => ended.filter(({ fault }) => fault === id).length;
  const rule = faults.findLast((one) => one.on === on && one.then.delayMs && one.fired > hits(one.id));
  const delay = rule?.then.delayMs ?? 0;
  return { id: rule?.id, delayMs: typeof delay === "number" ? delay : delay.max };
}

/** An event was delivered, but no reply followed; `own`: the calls about its thread. */
function ofCallsAfter(
  delivered: DeliveryRecord,
  missed: readonly Webhook[],
  own: readonly RequestRecord[],
  around: Surroundings,
): Why {
  // Calls and attempts are timed by the same clock.
  const rank = around.rankOf(delivered.causedBy);
  const at = delivered.attempts.at(-1)?.at ?? 0;
  const isAfter = (one: RequestRecord) =>
    rank === undefined ? one.at > at : one.at >= at && numberOf(one.id) > rank;
  const since = around.requests.filter((one) => one.by === "client" && isAfter(one));
  const customer = around.customerOf(delivered.threadId);
  const call = since.slice(-MAX_LOOKED_AT).findLast((one) => {
    const thread = threadOfRequest(one) ?? "";
    if (one.operation === SEND) return thread !== delivered.threadId && !isAnswer(one, around);
    return one.operation === WIDGET && around.customerOf(thread) === customer;
  });
  if (call !== undefined) return ofOtherThread(call, around);
  const spoilt = own.findLast(({ fault }) => fault !== undefined);
  if (spoilt !== undefined) {
    const { id, fault } = spoilt;
    return why("fault", `Fault ${fault} changed the response to your program's call ${id}.`, id);
  }
  const stray = around.strayAfter(delivered);
  if (stray !== undefined) return ofStray(stray, around);
  const [counted, which] = own.length === 0 ? [since, "for this customer"] : [own, "with a reply"];
  const calls = `${counted.length.toLocaleString("en")} ${counted.length === 1 ? "call" : "calls"}`;
  const came = counted.length === 0 ? ", and no call has come since" : `; ${calls} since, none ${which}`;
  const got = `The event was delivered (${delivered.attempts.at(-1)?.status ?? "no status"})`;
  return why("no-call", `${got}${came}${missedText(missed)}.`, (counted.at(-1) ?? delivered).id);
}

/** Whether a call in another thread answers a message of that thread's own customer. */
function isAnswer(call: RequestRecord, { requests, deliveries, rankOf }: Surroundings): boolean {
  const thread = threadOfRequest(call);
  const rank = numberOf(call.id);
  const isBefore = (one: RequestRecord) =>
    one.operation === SEND && !isRefused(one) && numberOf(one.id) < rank;
  const before = requests.findLast((one) => isBefore(one) && threadOfRequest(one) === thread);
  return deliveries.some((one) => {
    const own = rankOf(one.causedBy) ?? rank;
    const isNew = own <= rank && (before === undefined || own > numberOf(before.id));
    return isNew && one.threadId === thread && asksBot(one);
  });
}

function ofOtherThread(call: RequestRecord, around: Surroundings): Why {
  const thread = threadOfRequest(call);
  if (!thread) return ofRefusal(call, around);
  const name = around.customerOf(thread);
  const place = name === undefined ? `thread ${thread}` : `${name} (${thread})`;
  const how = call.operation === WIDGET ? ", through the widget's route" : "";
  const unknown = name === undefined ? ", which does not exist" : "";
  const refused = isRefused(call) ? `: ${answerOf(call)}` : "";
  return why("wrong-thread", `Your program wrote to ${place} instead${how}${unknown}${refused}.`, call.id);
}

function ofStray({ sandbox, call }: StrayCall, { apiKey }: Surroundings): Why {
  const token = call.token === null ? "no token" : `\`${call.token}\``;
  const key = `The key for this conversation is \`${apiKey}\`.`;
  if (call.status !== 401)
    return why("wrong-token", `Your program used ${token} of sandbox ${sandbox}. ${key}`);
  const unknown = call.token === null ? "" : ", which is unknown";
  const came = `Your program's call came to sandbox ${sandbox} with ${token}${unknown}`;
  return why("unknown-token", `${came}: ${answerOf(call)}. ${key}`);
}

const isRefused = ({ status }: RequestRecord): boolean => (status ?? 500) >= 400;
const answerOf = (call: RequestRecord): string =>
  `${call.status ?? "closed without an answer"} ${refusalOf(call)}`.trim();

function ofRefusal(call: RequestRecord, { tokenProblem }: Surroundings): Why {
  const { id, status, fault, token } = call;
  const how = status === null ? "by closing the connection" : `with ${status}`;
  if (fault !== undefined) return why("fault", `Fault ${fault} answered your program's call ${how}.`, id);
  const wrong = tokenProblem(token);
  const problem = wrong || (status === 401 ? `\`${token}\` has expired: see tokens.lifetime.` : "");
  const text = `Your program's call was refused: ${answerOf(call)}.${problem && ` ${problem}`}`;
  return why(wrong ? "unknown-token" : "call-refused", text, id);
}

/** No event has reached the program. */
function ofEvent(deliveries: readonly DeliveryRecord[], around: Surroundings): Why {
  const outside = deliveries.filter(isOutside);
  const told = outside.find(({ status }) => status === "failed") ?? outside[0] ?? deliveries[0];
  if (told === undefined) return ofWebhooks(around);
  const { id, url, hookId, webhookId, status, reason } = told;
  if (!isOutside(told) && status !== "failed") {
    const others = around.webhooks.filter((one) => isOutside(one) && one.id !== webhookId);
    const text = `Webhook ${hookId} still points to ${url}, a built-in receiver${missedText(others)}.`;
    return why("not-connected", text, id, "Call sandbox.connect(url), or run messaging-sim connect URL.");
  }
  const webhook = around.webhooks.find((one) => one.id === webhookId);
  const isMoved = webhook !== undefined && maskedAddress(webhook.url) !== maskedAddress(url);
  const again = status === "pending" ? "" : " Replay the event, or write again.";
  const moved = isMoved ? ` That was the earlier URL of ${hookId}.${again}` : "";
  if (reason !== null) {
    const [cause, remedy] =
      status === "blocked" ? [status, ALLOW] : [status === "dropped" ? status : "waiting"];
    const how = status === "pending" ? reason : `${status}: ${reason}`;
    return why(cause, `The event for webhook ${hookId} is ${how}.${moved}`, id, remedy);
  }
  const { cause, text, remedy } = told.attempts.length === 0 ? ofOpen(told, around) : ofAttempt(told);
  return why(cause, `${text}.${moved}`, id, remedy);
}

const ALLOW = "Connect a local address, or allow the host with --allow-outbound.";

/** Webhooks that did not get an event, to follow a sentence. */
const missedText = (webhooks: readonly Webhook[]): string =>
  webhooks
    .map(({ hookId, enabled, subscribedEvents }) => {
      if (!enabled) return `; webhook ${hookId} is disabled`;
      const isSubscribed = subscribedEvents.includes("messages");
      return `; webhook ${hookId} ${isSubscribed ? "did not get it" : "is not subscribed to messages"}`;
    })
    .join("");

function ofAttempt({ attempts, status: stands, url, hookId }: DeliveryRecord): Why {
  const last = attempts.at(-1);
  const again = stands === "pending" ? "; it will be retried" : "";
  const said = bodyText(last?.responseBody ?? "");
  const body = said && `: ${said}`;
  const status = last?.status ?? null;
  const error = last?.error ?? "no response";
  if (last?.fault !== undefined) {
    const what = last.stubbed ? "answered, in place of your program," : "hit";
    const answer = `${status ?? error}${last.stubbed ? "" : body}`;
    return why("fault", `Fault ${last.fault} ${what} the event for webhook ${hookId}: ${answer}${again}`);
  }
  if (status === null) {
    const how = /answer|response|receiver/.test(error) ? "did not respond" : "could not be reached";
    const text = `Your program ${how} at ${maskedAddress(url)}: ${error}${again}`;
    const remedy = REMEDIES.find(([part]) => error.includes(part))?.[1];
    return why("unreachable", text, undefined, remedy);
  }
  const isUnlisted = status >= 200 && status < 300 ? ", which delivery.success does not list" : "";
  const remedy = status >= 400 ? "Fix the program, then replay the event." : undefined;
  const text = `Your program answered the webhook with ${status}${isUnlisted || body}${again}`;
  return why("receiver-failed", text, undefined, remedy);
}

/** What to do about an error of a connection. */
const REMEDIES: readonly (readonly [part: string, remedy: string])[] = [
  ["connection refused", "Start your program at that address, or connect the address where it listens."],
  ["connection was closed", "See what your program has printed: it may have ended."],
];

/** A delivery whose first attempt is still in flight. */
function ofOpen(delivery: DeliveryRecord, around: Surroundings): Why {
  const { webhookId, hookId } = delivery;
  const waiting = (text: string) => why("waiting", text);
  const isOpen = ({ status, reason, ...one }: DeliveryRecord) =>
    one.webhookId === webhookId && status === "pending" && reason === null;
  const before = around.inOrder ? around.deliveries.find(isOpen) : undefined;
  if (before !== undefined && before.id !== delivery.id)
    return waiting(`The event for webhook ${hookId} waits for delivery ${before.id}`);
  const { timeoutMs } = around;
  const ms = around.openFor?.(delivery);
  const { id, delayMs } = delaying("delivery", around);
  if (id !== undefined && (ms ?? 0) < delayMs)
    return waiting(`Fault ${id} delays the event for webhook ${hookId}`);
  if (ms === undefined || timeoutMs === undefined) return waiting(`Webhook ${hookId} has not answered yet`);
  const seconds = Math.floor((ms - delayMs) / 1_000);
  const time = seconds > 0 ? `for ${seconds} s` : "yet";
  return waiting(`Your program has not answered the webhook ${time}; timeout at ${timeoutMs / 1_000} s`);
}

/** There is no delivery: what about the webhooks explains it. */
function ofWebhooks({ webhooks, organization }: Surroundings): Why {
  if (webhooks.length === 0) {
    const remedy = `Create one with a token of ${organization}: POST /api/webhooks/.`;
    return why("no-webhook", `${organization} has no webhook to send the event to.`, undefined, remedy);
  }
  const enabled = webhooks.filter((webhook) => webhook.enabled);
  const names = (enabled.length === 0 ? webhooks : enabled).map(({ hookId }) => hookId).join(", ");
  if (enabled.length === 0) return why("webhook-disabled", `No webhook is enabled: ${names}.`);
  if (!enabled.some(({ subscribedEvents }) => subscribedEvents.includes("messages")))
    return why("not-subscribed", `No webhook is subscribed to messages: ${names}.`);
  const remedy = "The webhook was set up later, or the simulator was restarted since. Write again.";
  return why("no-event", "The log has no event for this message.", undefined, remedy);
}

/** What is wrong with a call's token, as a sentence; `owner`: its organization if it is another one, null if it is unknown. */
export function tokenProblem(key: string | null, owner: string | null | undefined, apiKey: string): string {
  if (key === null) return `The call has no token; use \`${apiKey}\`.`;
  if (owner === null) return `Unknown token \`${key}\`; use \`${apiKey}\`.`;
  return owner === undefined ? "" : `\`${key}\` is a token of ${owner}; use \`${apiKey}\`.`;
}
