/** Gathers what the logs tell about a thread whose customer waits, for the diagnosis in `unanswered.ts`. */

import { asksBot, field, isOutside, messageOfDelivery } from "../client/log-entries.js";
import type { DeliveryRecord } from "../client/types.js";
import type { NoReply } from "../control/replies.js";
import { sandboxToken } from "../kernel/names.js";
import { numberOf } from "../kernel/objects.js";
import { threadOfRequest } from "../kernel/replies.js";
import type { JournalEntry } from "../sandbox/journal.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Thread, Token } from "../service/world/records.js";
import type { Facts } from "./unanswered.js";
import { answerOf, why, whyUnanswered } from "./unanswered.js";

/**
 * Why the customer of a thread has no reply yet, or too many, from a program that replies to its own messages; or that none is due.
 * If the customer has not written since the start, the newest event of the thread may ask for one, such as a transfer.
 *
 * @param others further sandboxes, where a call with a wrong token may have arrived
 */
export function whyNoReply(sandbox: Sandbox, thread: Thread, others: Iterable<Sandbox>): NoReply {
  const facts = factsOf(sandbox, thread, others);
  if (facts !== undefined) return whyUnanswered(facts);
  const seen = messagesOf(sandbox, thread.id).findLast(({ invisible }) => !invisible);
  return (
    selfReplies(sandbox, thread) ?? { cause: seen?.fromCustomer === false ? "replied" : "nothing-asked" }
  );
}

const messagesOf = ({ run }: Sandbox, thread: string) => [...run.world.find("messagesByThread", thread)];

/** The deliveries, whose types tell the payloads of each event apart. */
const deliveriesIn = ({ run }: Sandbox) =>
  [...run.logs.deliveryLog.from()] as readonly object[] as DeliveryRecord[];

/** So many messages, each after the event of the one before, are no menu. */
const MANY = 10;

/**
 * Whether a program replies to its own messages: since it was told of the customer's message, the newest of its calls each came after
 * the event of the message before. Messages of one turn wait for no events; those of a broadcast answer no customer.
 */
function selfReplies(sandbox: Sandbox, { id: threadId }: Thread): NoReply | undefined {
  const messages = messagesOf(sandbox, threadId);
  const question = messages.findLastIndex(({ fromCustomer }) => fromCustomer);
  const told = deliveriesIn(sandbox).filter(isOutside);
  const events = new Map(told.map((delivery) => [messageOfDelivery(delivery), delivery]));
  const { journal, deliveryLog } = sandbox.run.logs;
  const isTold = events.has(messages[question]?.id ?? "") || deliveryLog.evictedSince(0) > 0;
  const own = messages.slice(question + 1).flatMap(({ id }) => events.get(id) ?? []);
  if (own.length < MANY || !isTold) return undefined;
  const calls = new Map([...journal.from()].map(({ id, at }) => [id, at]));
  const isReply = ({ causedBy }: DeliveryRecord, to: DeliveryRecord | undefined): boolean => {
    const told = to?.attempts[0]?.at;
    return told !== undefined && (calls.get(causedBy ?? "") ?? 0) >= told;
  };
  const newest = own.slice(-MANY);
  if (!newest.every((event, at) => at === 0 || isReply(event, newest[at - 1]))) return undefined;
  const text = `Your program has written ${own.length.toLocaleString("en")} messages in a row, each after the event of the one before: it replies to its own messages.`;
  return why("self-reply", text, newest.at(-1)?.id, "Ignore events whose fromCustomer is false.");
}

/**
 * A sentence on the newest call since the sandbox's last reset whose token no sandbox knows. Such a call belongs to the sandbox that its
 * token names, otherwise to `standard`.
 */
export function unknownToken({ id, run }: Sandbox, standard: Sandbox): string | undefined {
  const calls = [standard.run, run].flatMap(({ logs }) => [...logs.journal.from()]);
  const call = calls.findLast(
    ({ by, ownToken, started }) => by === "client" && ownToken === null && started >= run.started,
  );
  if (call === undefined) return undefined;
  const { method, path, status, token } = call;
  const [first] = run.world.all("tokens");
  const problem = tokenProblem(token, null, sandboxToken(id, first?.id ?? NO_TOKEN));
  return `${method} ${path} was refused: ${status ?? "no response"}. ${problem}`;
}

const NO_TOKEN = "YOUR-TOKEN";

/** What is wrong with a call's token, as a sentence; `owner`: its organization if it is another one, null if it is unknown. */
export function tokenProblem(key: string | null, owner: string | null | undefined, apiKey: string): string {
  if (key === null) return `The call has no token; use \`${apiKey}\`.`;
  if (owner === null) return `Unknown token \`${key}\`; use \`${apiKey}\`.`;
  return owner === undefined ? "" : `\`${key}\` is a token of ${owner}; use \`${apiKey}\`.`;
}

/** What the sandbox shows; undefined if no answer is due. */
function factsOf(sandbox: Sandbox, thread: Thread, others: Iterable<Sandbox>): Facts | undefined {
  const { world, logs, behaviour, faults } = sandbox.run;
  const controls = Array.from(logs.controls.from(), (record) => record.toJSON());
  const rankOf: Facts["rankOf"] = (cause) => {
    if (cause?.startsWith("r")) return numberOf(cause);
    const control = controls.find(({ id }) => id === cause);
    return control && numberOf(control.after) + 0.5;
  };
  const messages = messagesOf(sandbox, thread.id);
  const open = messages.slice(messages.findLastIndex((one) => !one.fromCustomer && !one.invisible) + 1);
  const asked = open.filter(({ fromCustomer }) => fromCustomer).map(({ id }) => id);
  const newest = asked.at(-1);
  if (newest === undefined) return undefined;
  const deliveries = deliveriesIn(sandbox);
  const own = deliveries.filter((one) => one.threadId === thread.id);
  const written =
    controls.find(({ response }) => field(response, "id") === newest)?.id ??
    own.find((one) => messageOfDelivery(one) === newest)?.causedBy;
  const cause = written ?? own.at(-1)?.causedBy;
  if (cause === undefined) return undefined;
  const events = own.filter(({ causedBy }) => causedBy === cause);
  const nameOf = (id = "") => world.get("organizations", id)?.name;
  const organization = world.get("businesses", thread.businessId)?.organizationId;
  const tokens = [...world.all("tokens")];
  const userOf = (token?: Token) => world.get("users", token?.userId ?? "");
  const token = tokens.find((one) => userOf(one)?.businessIds.includes(thread.businessId)) ?? tokens[0];
  const apiKey = sandboxToken(sandbox.id, token?.id ?? NO_TOKEN);
  return {
    thread: thread.id,
    asked: new Set(written === undefined ? events.map((one) => messageOfDelivery(one) ?? "") : asked),
    since: rankOf(cause) ?? 0,
    webhooks: [...world.all("webhooks")].filter((one) => one.organizationId === organization),
    organization: nameOf(organization) ?? "The organization",
    faults: faults.list(),
    requests: [...logs.journal.from()],
    deliveries,
    rankOf,
    customerOf: (id) => {
      const customer = world.get("threads", id)?.customerId;
      return customer && (world.get("customers", customer)?.displayName || `customer ${customer}`);
    },
    tokenProblem: (key) => {
      const known = tokens.find(({ id }) => id === key || sandboxToken(sandbox.id, id) === key);
      const theirs = userOf(known)?.organizationId;
      const owner = known === undefined ? null : theirs === organization ? undefined : nameOf(theirs);
      return tokenProblem(key, owner, apiKey);
    },
    timeoutMs: behaviour.values["delivery.timeoutMs"],
    inOrder: behaviour.values["delivery.order"] === "perWebhook",
    stray: () => strayCall(sandbox, thread.id, apiKey, others),
  };
}

/**
 * The newest call that a program made after a delivery of this sandbox, and that arrived in another one because of its token: in one
 * that knows no such token, or whose own customer the call does not answer and where no program at another address is told of events.
 */
function strayCall({ run, id: own }: Sandbox, threadId: string, apiKey: string, others: Iterable<Sandbox>) {
  const { at: since } = run.logs.beforeCause;
  const urls = new Set([...run.world.all("webhooks")].map(({ url }) => url));
  const isForeign = (one: DeliveryRecord) =>
    isOutside(one) && one.status === "delivered" && !urls.has(one.url);
  for (const other of others) {
    if (other.id === own) continue;
    const isStray = (call: JournalEntry) => {
      if (call.by !== "client" || call.started < since) return false;
      const thread = threadOfRequest(call);
      if (call.ownToken === null) return thread === null || thread === threadId;
      return thread === threadId && !isAsked(other, threadId, call) && !deliveriesIn(other).some(isForeign);
    };
    const call = [...other.run.logs.journal.from()].findLast(isStray);
    if (call === undefined) continue;
    const token = call.token === null ? "no token" : `\`${call.token}\``;
    const key = `The key for this conversation is \`${apiKey}\`.`;
    if (call.status !== 401)
      return why("wrong-token", `Your program used ${token} of sandbox ${other.id}. ${key}`);
    const unknown = call.token === null ? "" : ", which is unknown";
    const came = `Your program's call came to sandbox ${other.id} with ${token}${unknown}`;
    return why("unknown-token", `${came}: ${answerOf(call)}. ${key}`);
  }
  return undefined;
}

/** Whether a call came when the program had been told of a message of the thread's customer in its own sandbox, and had not answered it. */
function isAsked(sandbox: Sandbox, threadId: string, call: JournalEntry): boolean {
  const deliveries = deliveriesIn(sandbox);
  const sent = deliveries.find(({ causedBy }) => causedBy === call.id);
  const messages = messagesOf(sandbox, threadId).filter((one) => !one.invisible);
  const written = sent === undefined ? -1 : messages.findIndex(({ id }) => id === messageOfDelivery(sent));
  const before = messages.at(written === -1 ? -1 : written - 1);
  return deliveries.some((one) => asksBot(one) && messageOfDelivery(one) === before?.id);
}
