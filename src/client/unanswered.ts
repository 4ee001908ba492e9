/** Why a customer has no reply yet, according to the logs: what happened to the events, and which calls followed. */

import { maskedAddress } from "../kernel/masking.js";
import { numberOf } from "../kernel/objects.js";
import { threadOfRequest } from "../protocol/replies.js";
import { asksBot, bodyText, field, isOutside, messageOfDelivery, refusalOf } from "./log-entries.js";
import type { DeliveryRecord, FaultRule, RequestRecord, Webhook } from "./types.js";

/** What stands between a customer and a reply, in one word for programs. */
type NoReplyCause =
  | "no-webhook"
  | "webhook-disabled"
  | "not-subscribed"
  | "no-event"
  | "not-connected"
  | "blocked"
  | "dropped"
  | "waiting"
  | "unreachable"
  | "receiver-failed"
  | "fault"
  | "call-refused"
  | "call-open"
  | "internal"
  | "wrong-thread"
  | "wrong-token"
  | "unknown-token"
  | "no-call";

/** Why there is no reply yet, and the call or delivery that shows it. */
export interface Why {
  readonly cause: NoReplyCause;
  readonly text: string;
  readonly fix?: string | undefined;
  readonly item?: string | undefined;
  /** The delivery that no call in this sandbox followed: the call may have gone to another sandbox. */
  readonly unheard?: DeliveryRecord;
}

/** A call that reached another sandbox after a delivery of this one. */
export interface StrayCall {
  readonly after: string;
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
  readonly stray?: StrayCall | undefined;
}

const SEND = "sendMessageToCustomerThread";
const WIDGET = "sendMessageToBusiness";
/** How many of the newest calls of other threads are considered. */
const MAX_LOOKED_AT = 50;

/** Why a customer has no reply yet: what happened to the newest message. */
export function whyUnanswered({ asked, ...since }: Unanswered, around: Surroundings): Why {
  const requests = since.requests.filter(({ by }) => by === "client");
  const own = since.deliveries.filter((delivery) => asked.has(messageOfDelivery(delivery) ?? ""));
  const newest = new Map(own.map((delivery) => [delivery.webhookId, delivery]));
  const deliveries = [...newest.values()];
  const delivered = deliveries.find(
    (one) => one.status === "delivered" && isOutside(one) && !one.attempts.at(-1)?.stubbed,
  );
  const refused = requests.findLast((one) => one.durationMs !== null && isRefused(one));
  if (refused !== undefined && (delivered !== undefined || refused === requests.at(-1)))
    return refusedText(refused, around);
  // Of several webhooks, the one that failed is the bot's if no call came.
  const hasFailed = deliveries.some((one) => one.status === "failed" && isOutside(one));
  if (delivered === undefined || (requests.length === 0 && hasFailed))
    return undeliveredText(deliveries, around);
  const open = requests.findLast(({ durationMs }) => durationMs === null);
  if (open !== undefined) {
    const { id } = delaying("request", around);
    const why = id === undefined ? "" : `: fault ${id} delays it`;
    return {
      cause: "call-open",
      text: `Your bot's call ${open.id} has no response yet${why}.`,
      item: open.id,
    };
  }
  const hidden = requests.findLast(
    ({ operation, body }) => operation === SEND && field(body, "internal") === true,
  );
  if (hidden !== undefined)
    return {
      cause: "internal",
      text: "Your bot's message is internal: the customer does not see it.",
      item: hidden.id,
    };
  const missed = around.webhooks.filter((one) => !newest.has(one.id) && isOutside(one));
  return elsewhereText(delivered, missed, requests, around);
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

/** What followed a delivery without a reply; `own`: the calls about its thread. */
function elsewhereText(
  delivered: DeliveryRecord,
  missed: readonly Webhook[],
  own: readonly RequestRecord[],
  around: Surroundings,
): Why {
  const since = callsAfter(delivered, around);
  const customer = around.customerOf(delivered.threadId);
  const isElsewhere = (one: RequestRecord) => {
    const thread = threadOfRequest(one) ?? "";
    if (one.operation === SEND) return thread !== delivered.threadId && !isAnswer(one, around);
    return one.operation === WIDGET && around.customerOf(thread) === customer;
  };
  const call = since.slice(-MAX_LOOKED_AT).findLast(isElsewhere);
  if (call !== undefined) return otherThreadText(call, around);
  if (around.stray?.after === delivered.id) return strayText(around.stray, around);
  const spoilt = own.findLast(({ fault }) => fault !== undefined);
  if (spoilt !== undefined) {
    const { id: item, fault } = spoilt;
    return { cause: "fault", text: `Fault ${fault} changed the response to your bot's call ${item}.`, item };
  }
  const [counted, which] = own.length === 0 ? [since, "for this customer"] : [own, "with a reply"];
  const count = `${counted.length.toLocaleString("en")} ${counted.length === 1 ? "call" : "calls"}`;
  const came = counted.length === 0 ? ", and no call has come since" : `; ${count} since, none ${which}`;
  const got = `The event was delivered (${delivered.attempts.at(-1)?.status ?? "no status"})${came}`;
  const others = missed.map((one) => `; ${missedText(one)}`).join("");
  const item = (counted.at(-1) ?? delivered).id;
  return { cause: "no-call", text: `${got}${others}.`, item, unheard: delivered };
}

function otherThreadText(call: RequestRecord, around: Surroundings): Why {
  const thread = threadOfRequest(call);
  if (!thread) return refusedText(call, around);
  const name = around.customerOf(thread);
  const place = name === undefined ? `thread ${thread}` : `${name} (${thread})`;
  const how = call.operation === WIDGET ? ", through the widget's route" : "";
  const text = `Your bot wrote to ${place} instead${how}${name === undefined ? ", which does not exist" : ""}`;
  const refused = isRefused(call) ? `: ${answerOf(call)}` : "";
  return { cause: "wrong-thread", text: `${text}${refused}.`, item: call.id };
}

/** The clients' calls after a delivery, oldest first. Calls and attempts are timed by the same clock. */
function callsAfter(delivered: DeliveryRecord, { requests, rankOf }: Surroundings): RequestRecord[] {
  const rank = rankOf(delivered.causedBy);
  const at = delivered.attempts.at(-1)?.at ?? 0;
  return requests.filter(
    (one) =>
      one.by === "client" && (rank === undefined ? one.at > at : one.at >= at && numberOf(one.id) > rank),
  );
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

function strayText({ sandbox, call }: StrayCall, { apiKey }: Surroundings): Why {
  const token = call.token === null ? "no token" : `\`${call.token}\``;
  const unknown = call.token === null ? "" : ", which is unknown";
  const used = `Your bot used ${token} of sandbox ${sandbox}`;
  const came = `Your bot's call came to sandbox ${sandbox} with ${token}${unknown}: ${answerOf(call)}`;
  const isUnknown = call.status === 401;
  const text = `${isUnknown ? came : used}. The key for this conversation is \`${apiKey}\`.`;
  return { cause: isUnknown ? "unknown-token" : "wrong-token", text };
}

const isRefused = ({ status }: RequestRecord): boolean => (status ?? 500) >= 400;
const answerOf = (call: RequestRecord): string =>
  `${call.status ?? "closed without an answer"} ${refusalOf(call)}`.trim();

function refusedText(call: RequestRecord, { tokenProblem }: Surroundings): Why {
  const { id: item, status, fault, token } = call;
  const how = status === null ? "by closing the connection" : `with ${status}`;
  if (fault !== undefined)
    return { cause: "fault", text: `Fault ${fault} answered your bot's call ${how}.`, item };
  const wrong = tokenProblem(token);
  const problem = wrong || (status === 401 ? `\`${token}\` has expired: see tokens.lifetime.` : "");
  const text = `Your bot's call was refused: ${answerOf(call)}.${problem && ` ${problem}`}`;
  return { cause: wrong ? "unknown-token" : "call-refused", text, item };
}

function undeliveredText(deliveries: readonly DeliveryRecord[], around: Surroundings): Why {
  const outside = deliveries.filter(isOutside);
  const told = outside.find(({ status }) => status === "failed") ?? outside[0] ?? deliveries[0];
  if (told === undefined) return noWebhook(around);
  const { id: item, url, hookId, webhookId, status, reason } = told;
  if (!isOutside(told) && status !== "failed") {
    const others = around.webhooks.filter((one) => isOutside(one) && one.id !== webhookId);
    const why = others.map((one) => `; ${missedText(one)}`).join("");
    const text = `Webhook ${hookId} still points to ${url}, a built-in receiver${why}.`;
    return { cause: "not-connected", text, fix: CONNECT, item };
  }
  const why = status === "pending" ? reason : `${status}: ${reason}`;
  const tried = told.attempts.length === 0 ? openText(told, around) : attemptText(told);
  const text = reason === null ? tried : `The event for webhook ${hookId} is ${why}`;
  const webhook = around.webhooks.find(({ id }) => id === webhookId);
  const isMoved = webhook !== undefined && maskedAddress(webhook.url) !== maskedAddress(url);
  const ended = status === "pending" ? "" : " Replay the event, or write again.";
  const moved = isMoved ? ` That was the earlier URL of ${hookId}.${ended}` : "";
  return { cause: causeOf(told), fix: fixOf(told), text: `${text}.${moved}`, item };
}

const CONNECT = "Call sandbox.connect(url), or run messaging-sim connect URL.";

function causeOf({ status, reason, attempts }: DeliveryRecord): NoReplyCause {
  if (status === "blocked" || status === "dropped") return status;
  const last = attempts.at(-1);
  if (reason !== null || last === undefined) return "waiting";
  if (last.fault !== undefined) return "fault";
  return last.status === null ? "unreachable" : "receiver-failed";
}

function missedText({ hookId, enabled, subscribedEvents }: Webhook): string {
  if (!enabled) return `webhook ${hookId} is disabled`;
  const isSubscribed = subscribedEvents.includes("messages");
  return `webhook ${hookId} ${isSubscribed ? "did not get it" : "is not subscribed to messages"}`;
}

function fixOf({ status, attempts }: DeliveryRecord): string | undefined {
  const last = attempts.at(-1);
  if (status === "blocked") return "Connect a local address, or allow the host with --allow-outbound.";
  if (last === undefined || last.fault !== undefined) return undefined;
  if (last.error?.startsWith("connection refused"))
    return "Start your bot at that address, or connect the address where it listens.";
  if (last.error?.includes("closed the connection"))
    return "See what the bot has printed: it may have ended.";
  return last.status !== null && last.status >= 400 ? "Fix the bot, then replay the event." : undefined;
}

function attemptText({ attempts, status, url, hookId }: DeliveryRecord): string {
  const last = attempts.at(-1);
  const again = status === "pending" ? "; it will be retried" : "";
  const said = bodyText(last?.responseBody ?? "");
  const body = said && `: ${said}`;
  if (last?.fault !== undefined) {
    const what = last.stubbed ? "answered, in place of your bot," : "hit";
    const answer = last.stubbed ? "" : body;
    return `Fault ${last.fault} ${what} the event for webhook ${hookId}: ${last.status ?? last.error}${answer}${again}`;
  }
  if (last?.status == null) {
    const error = last?.error ?? "no response";
    const how = /answer|response|receiver/.test(error) ? "did not respond" : "could not be reached";
    return `Your bot ${how} at ${maskedAddress(url)}: ${error}${again}`;
  }
  const isUnlisted = last.status >= 200 && last.status < 300 ? ", which delivery.success does not list" : "";
  return `Your bot answered the webhook with ${last.status}${isUnlisted || body}${again}`;
}

/** What is known about a delivery whose first attempt is still in flight. */
function openText(delivery: DeliveryRecord, around: Surroundings): string {
  const { webhookId, hookId } = delivery;
  const open = ({ status, reason, ...one }: DeliveryRecord) =>
    one.webhookId === webhookId && status === "pending" && reason === null;
  const before = around.inOrder ? around.deliveries.find(open) : undefined;
  if (before !== undefined && before.id !== delivery.id)
    return `The event for webhook ${hookId} waits for delivery ${before.id}`;
  const { timeoutMs } = around;
  const ms = around.openFor?.(delivery);
  const { id, delayMs } = delaying("delivery", around);
  if (id !== undefined && (ms ?? 0) < delayMs) return `Fault ${id} delays the event for webhook ${hookId}`;
  if (ms === undefined || timeoutMs === undefined) return `Webhook ${hookId} has not answered yet`;
  const seconds = Math.floor((ms - delayMs) / 1_000);
  const time = seconds > 0 ? `for ${seconds} s` : "yet";
  return `Your bot has not answered the webhook ${time}; timeout at ${timeoutMs / 1_000} s`;
}

function noWebhook({ webhooks, organization }: Surroundings): Why {
  if (webhooks.length === 0) {
    const fix = `Create one with a token of ${organization}: POST /api/webhooks/.`;
    return { cause: "no-webhook", text: `${organization} has no webhook to send the event to.`, fix };
  }
  const enabled = webhooks.filter((webhook) => webhook.enabled);
  const names = (enabled.length === 0 ? webhooks : enabled).map(({ hookId }) => hookId).join(", ");
  if (enabled.length === 0) return { cause: "webhook-disabled", text: `No webhook is enabled: ${names}.` };
  if (!enabled.some(({ subscribedEvents }) => subscribedEvents.includes("messages")))
    return { cause: "not-subscribed", text: `No webhook is subscribed to messages: ${names}.` };
  const fix = "The webhook was set up later, or the simulator was restarted since. Write again.";
  return { cause: "no-event", text: "The log has no event for this message.", fix };
}

/** What is wrong with a call's token, as a sentence; `owner`: its organization if it is another one, null if it is unknown. */
export function tokenProblem(key: string | null, owner: string | null | undefined, apiKey: string): string {
  if (key === null) return `The call has no token; use \`${apiKey}\`.`;
  if (owner === null) return `Unknown token \`${key}\`; use \`${apiKey}\`.`;
  return owner === undefined ? "" : `\`${key}\` is a token of ${owner}; use \`${apiKey}\`.`;
}
