/** Why a customer has no reply yet: from what a sandbox shows to a sentence. */

import { asksBot, bodyText, field, isOutside, messageOfDelivery, refusalOf } from "../client/log-entries.js";
import type { DeliveryRecord, FaultRule, RequestRecord, Webhook } from "../client/types.js";
import type { NoReply } from "../control/replies.js";
import { maskedAddress } from "../kernel/masking.js";
import { numberOf, omitUndefined } from "../kernel/objects.js";
import { threadOfRequest } from "../kernel/replies.js";

type Why = NoReply & { readonly text: string };

/** What a sandbox shows about a thread whose customer waits. */
export interface Facts {
  readonly thread: string;
  /** The ids of the customer's unanswered messages, and the position of the newest among all calls. */
  readonly asked: ReadonlySet<string>;
  readonly since: number;
  readonly organization: string;
  readonly webhooks: readonly Webhook[];
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
  readonly timeoutMs: number;
  /** Whether a webhook receives its deliveries one by one. */
  readonly inOrder: boolean;
  /** What is wrong if the newest call for this customer came to another sandbox, because of its token. */
  readonly stray: () => Why | undefined;
}

const SEND = "sendMessageToCustomerThread";
/** How many of the newest calls of other threads are considered. */
const MAX_LOOKED_AT = 50;

export const why = (cause: string, text: string, entry?: string, remedy?: string): Why => ({
  cause,
  text,
  ...omitUndefined({ entry, remedy }),
});

const isRefused = ({ status }: RequestRecord): boolean => (status ?? 500) >= 400;
export const answerOf = (call: RequestRecord): string =>
  `${call.status ?? "closed without an answer"} ${refusalOf(call)}`.trim();

/** Why a customer has no reply yet: what happened to the newest message, and which calls followed. */
export function whyUnanswered(facts: Facts): Why {
  const { thread, asked, since, requests } = facts;
  const isOwn = (one: RequestRecord) => numberOf(one.id) > since && threadOfRequest(one) === thread;
  const calls = requests.filter((one) => one.by === "client" && isOwn(one));
  const events = facts.deliveries.filter(
    (one) => one.threadId === thread && asked.has(messageOfDelivery(one) ?? ""),
  );
  const newest = [...new Map(events.map((event) => [event.webhookId, event])).values()];
  const outside = newest.filter(isOutside);
  const delivered = outside.find((one) => one.status === "delivered" && !one.attempts.at(-1)?.stubbed);
  const refused = calls.findLast((one) => one.durationMs !== null && isRefused(one));
  if (refused !== undefined && (delivered !== undefined || refused === calls.at(-1)))
    return ofRefusal(refused, facts);
  // Of several webhooks, the one that failed is the program's if no call came.
  const hasFailed = outside.some(({ status }) => status === "failed");
  if (delivered === undefined || (calls.length === 0 && hasFailed)) return ofEvent(newest, facts);
  const open = calls.findLast(({ durationMs }) => durationMs === null);
  if (open !== undefined) {
    const delay = open.fault === undefined ? "" : `: fault ${open.fault} delays it`;
    return why("call-open", `Your program's call ${open.id} has no response yet${delay}.`, open.id);
  }
  const hidden = calls.findLast((one) => one.operation === SEND && field(one.body, "internal") === true);
  if (hidden !== undefined)
    return why("internal", "Your program's message is internal: the customer does not see it.", hidden.id);
  const told = new Set(newest.map(({ webhookId }) => webhookId));
  const missed = facts.webhooks.filter((one) => isOutside(one) && !told.has(one.id));
  return ofCallsAfter(delivered, missed, calls, facts);
}

/** An event was delivered, but no reply followed; `own`: the calls about its thread. */
function ofCallsAfter(
  delivered: DeliveryRecord,
  missed: readonly Webhook[],
  own: readonly RequestRecord[],
  facts: Facts,
): Why {
  // Calls and attempts are timed by the same clock.
  const at = delivered.attempts.at(-1)?.at ?? 0;
  const rank = facts.rankOf(delivered.causedBy) ?? facts.since;
  const isAfter = (one: RequestRecord) => one.at >= at && numberOf(one.id) > rank;
  const since = facts.requests.filter((one) => one.by === "client" && isAfter(one));
  const elsewhere = since
    .slice(-MAX_LOOKED_AT)
    .findLast(
      (one) => one.operation === SEND && threadOfRequest(one) !== facts.thread && !isAnswer(one, facts),
    );
  if (elsewhere !== undefined) return ofOtherThread(elsewhere, facts);
  const { fault, id } = own.findLast((one) => one.fault !== undefined) ?? {};
  if (fault !== undefined)
    return why("fault", `Fault ${fault} changed the response to your program's call ${id}.`, id);
  const stray = facts.stray();
  if (stray !== undefined) return stray;
  const [counted, which] = own.length === 0 ? [since, "for this customer"] : [own, "with a reply"];
  const calls = `${counted.length.toLocaleString("en")} ${counted.length === 1 ? "call" : "calls"}`;
  const came = counted.length === 0 ? ", and no call has come since" : `; ${calls} since, none ${which}`;
  const got = `The event was delivered (${delivered.attempts.at(-1)?.status ?? "no status"})`;
  return why("no-call", `${got}${came}${missedText(missed)}.`, (counted.at(-1) ?? delivered).id);
}

/** Whether a call in another thread answers a message of that thread's own customer. */
function isAnswer(call: RequestRecord, { requests, deliveries, rankOf }: Facts): boolean {
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

function ofOtherThread(call: RequestRecord, facts: Facts): Why {
  const thread = threadOfRequest(call);
  if (!thread) return ofRefusal(call, facts);
  const name = facts.customerOf(thread);
  const place = name === undefined ? `thread ${thread}` : `${name} (${thread})`;
  const unknown = name === undefined ? ", which does not exist" : "";
  const refused = isRefused(call) ? `: ${answerOf(call)}` : "";
  return why("wrong-thread", `Your program wrote to ${place} instead${unknown}${refused}.`, call.id);
}

function ofRefusal(call: RequestRecord, { tokenProblem }: Facts): Why {
  const { id, status, fault, token } = call;
  const how = status === null ? "by closing the connection" : `with ${status}`;
  if (fault !== undefined) return why("fault", `Fault ${fault} answered your program's call ${how}.`, id);
  const wrong = tokenProblem(token);
  const problem = wrong || (status === 401 ? `\`${token}\` has expired: see tokens.lifetime.` : "");
  const text = `Your program's call was refused: ${answerOf(call)}.${problem && ` ${problem}`}`;
  return why(wrong ? "unknown-token" : "call-refused", text, id);
}

/** No event has reached the program. */
function ofEvent(events: readonly DeliveryRecord[], facts: Facts): Why {
  const outside = events.filter(isOutside);
  const told = outside.find(({ status }) => status === "failed") ?? outside[0] ?? events[0];
  if (told === undefined) return ofWebhooks(facts);
  const { id, url, hookId, webhookId, status, reason } = told;
  if (!isOutside(told) && status !== "failed") {
    const others = facts.webhooks.filter((one) => isOutside(one) && one.id !== webhookId);
    const text = `Webhook ${hookId} still points to ${url}, a built-in receiver${missedText(others)}.`;
    return why("not-connected", text, id, "Call sandbox.connect(url), or run messaging-sim connect URL.");
  }
  const now = facts.webhooks.find((one) => one.id === webhookId)?.url ?? url;
  const again = status === "pending" ? "" : " Replay the event, or write again.";
  const isMoved = maskedAddress(now) !== maskedAddress(url);
  const moved = isMoved ? ` That was the earlier URL of ${hookId}.${again}` : "";
  if (reason !== null) {
    const how = status === "pending" ? reason : `${status}: ${reason}`;
    const allow = "Connect a local address, or allow the host with --allow-outbound.";
    const remedy = status === "blocked" ? allow : undefined;
    const cause = status === "pending" ? "waiting" : status;
    return why(cause, `The event for webhook ${hookId} is ${how}.${moved}`, id, remedy);
  }
  const { cause, text, remedy } = told.attempts.length === 0 ? ofOpen(told, facts) : ofAttempt(told);
  return why(cause, `${text}.${moved}`, id, remedy);
}

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
  const { status = null, error, fault, stubbed, responseBody } = attempts.at(-1) ?? {};
  const again = stands === "pending" ? "; it will be retried" : "";
  const said = bodyText(responseBody ?? "");
  const body = said && `: ${said}`;
  const failure = error ?? "no response";
  if (fault !== undefined) {
    const what = stubbed ? "answered, in place of your program," : "hit";
    const answer = `${status ?? failure}${stubbed ? "" : body}`;
    return why("fault", `Fault ${fault} ${what} the event for webhook ${hookId}: ${answer}${again}`);
  }
  if (status === null) {
    const how = /answer|response|receiver/.test(failure) ? "did not respond" : "could not be reached";
    const text = `Your program ${how} at ${maskedAddress(url)}: ${failure}${again}`;
    return why("unreachable", text, undefined, REMEDIES.find(([part]) => failure.includes(part))?.[1]);
  }
  const isUnlisted = status >= 200 && status < 300 ? ", which delivery.success does not list" : "";
  const remedy = status >= 400 ? "Fix the program, then replay the event." : undefined;
  const text = `Your program answered the webhook with ${status}${isUnlisted || body}${again}`;
  return why("receiver-failed", text, undefined, remedy);
}

const REMEDIES = [
  ["connection refused", "Start your program at that address, or connect the address where it listens."],
  ["connection was closed", "See what your program has printed: it may have ended."],
] as const;

/** A delivery whose first attempt is still in flight. */
function ofOpen(delivery: DeliveryRecord, { deliveries, inOrder, faults, timeoutMs }: Facts): Why {
  const { id, webhookId, hookId } = delivery;
  const isOpen = (one: DeliveryRecord) =>
    one.webhookId === webhookId && one.status === "pending" && one.reason === null;
  const before = inOrder ? deliveries.find(isOpen) : undefined;
  if (before !== undefined && before.id !== id)
    return why("waiting", `The event for webhook ${hookId} waits for delivery ${before.id}`);
  // A rule that fired more often than attempts that have ended show delays one now.
  const hits = (rule: string) =>
    deliveries.flatMap(({ attempts }) => attempts).filter(({ fault }) => fault === rule).length;
  const rule = faults.findLast(
    (one) => one.on === "delivery" && one.then.delayMs && one.fired > hits(one.id),
  );
  if (rule !== undefined) return why("waiting", `Fault ${rule.id} delays the event for webhook ${hookId}`);
  const limit = `timeout at ${timeoutMs / 1_000} s`;
  return why("waiting", `Your program has not answered the webhook yet; ${limit}`);
}

/** There is no delivery: what about the webhooks explains it. */
function ofWebhooks({ webhooks, organization }: Facts): Why {
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
