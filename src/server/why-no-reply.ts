/** Gathers what the logs tell about a thread whose customer waits, for the diagnosis in `unanswered.ts`. */

import { asksBot, field, isOutside, messageOfDelivery } from "../client/log-entries.js";
import type { DeliveryRecord } from "../client/types.js";
import type { NoReply } from "../control/replies.js";
import { sandboxToken } from "../kernel/names.js";
import { numberOf } from "../kernel/objects.js";
import { monotonicNow } from "../kernel/realtime.js";
import { threadOfRequest } from "../kernel/replies.js";
import type { ControlRecord, JournalEntry } from "../sandbox/journal.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Thread } from "../service/world/records.js";
import type { StrayCall, Surroundings, Unanswered } from "./unanswered.js";
import { tokenProblem, why, whyUnanswered } from "./unanswered.js";

/**
 * Why the customer of a thread has no reply yet, or too many, from a program that replies to its own messages; or that none is due.
 * If the customer has not written since the start, the newest event of the thread may ask for one, such as a transfer.
 *
 * @param others further sandboxes, where a call with a wrong token may have arrived
 */
export function whyNoReply(sandbox: Sandbox, thread: Thread, others: Iterable<Sandbox>): NoReply {
  const { logs } = sandbox.run;
  const controls = [...logs.controls.from()].map((record) => record.toJSON());
  const rankOf: Surroundings["rankOf"] = (cause) => {
    if (cause?.startsWith("r")) return numberOf(cause);
    const control = controls.find(({ id }) => id === cause);
    return control === undefined ? undefined : numberOf(control.after) + 0.5;
  };
  const unanswered = unansweredIn(sandbox, thread, controls, rankOf);
  if (unanswered === null)
    return (
      selfReplies(sandbox, thread) ?? { cause: isReplied(sandbox, thread) ? "replied" : "nothing-asked" }
    );
  return whyUnanswered(unanswered, surroundingsOf(sandbox, thread, rankOf, others));
}

/** So many messages, each after the event of the one before, are no menu. */
const MANY = 10;

/**
 * Whether a program replies to its own messages: since it was told of the customer's message, the newest of its calls each came after
 * the event of the message before. Messages of one turn wait for no events; those of a broadcast answer no customer.
 */
function selfReplies(sandbox: Sandbox, { id: threadId }: Thread): NoReply | undefined {
  const { world, logs } = sandbox.run;
  const messages = [...world.find("messagesByThread", threadId)];
  const question = messages.findLastIndex(({ fromCustomer }) => fromCustomer);
  const deliveries = deliveriesIn(sandbox);
  const events = new Map(
    deliveries.filter(isOutside).map((delivery) => [messageOfDelivery(delivery), delivery]),
  );
  const isTold = events.has(messages[question]?.id ?? "") || deliveries[0]?.id !== "d1";
  const own = messages.slice(question + 1).flatMap(({ id }) => events.get(id) ?? []);
  if (own.length < MANY || !isTold) return undefined;
  const calls = new Map([...logs.journal.from()].map(({ id, at }) => [id, at]));
  const isReply = ({ causedBy }: DeliveryRecord, to: DeliveryRecord | undefined): boolean => {
    const told = to?.attempts[0]?.at;
    return told !== undefined && (calls.get(causedBy ?? "") ?? 0) >= told;
  };
  const newest = own.slice(-MANY);
  if (!newest.every((event, at) => at === 0 || isReply(event, newest[at - 1]))) return undefined;
  const text = `Your program has written ${own.length.toLocaleString("en")} messages in a row, each after the event of the one before: it replies to its own messages.`;
  return why("self-reply", text, newest.at(-1)?.id, "Ignore events whose fromCustomer is false.");
}

/** Whether the newest message that the customer of a thread sees is not the customer's own. */
const isReplied = ({ run }: Sandbox, { id }: Thread): boolean =>
  [...run.world.find("messagesByThread", id)].findLast(({ invisible }) => !invisible)?.fromCustomer === false;

/** The deliveries, whose types tell the payloads of each event apart. */
const deliveriesIn = ({ run }: Sandbox) =>
  [...run.logs.deliveryLog.from()] as readonly object[] as DeliveryRecord[];

function unansweredIn(
  sandbox: Sandbox,
  thread: Thread,
  controls: readonly ControlRecord[],
  rankOf: Surroundings["rankOf"],
): Unanswered | null {
  const { world, logs } = sandbox.run;
  const messages = [...world.find("messagesByThread", thread.id)];
  const open = messages.slice(messages.findLastIndex((one) => !one.fromCustomer && !one.invisible) + 1);
  const asked = new Set(open.filter(({ fromCustomer }) => fromCustomer).map(({ id }) => id));
  const newest = [...asked].at(-1);
  if (newest === undefined) return null;
  const deliveries = deliveriesIn(sandbox).filter((one) => one.threadId === thread.id);
  const written =
    controls.find(({ response }) => field(response, "id") === newest)?.id ??
    deliveries.find((one) => messageOfDelivery(one) === newest)?.causedBy;
  const cause = written ?? deliveries.at(-1)?.causedBy;
  if (cause === undefined) return null;
  const since = rankOf(cause) ?? 0;
  const events = deliveries.filter(({ causedBy }) => causedBy === cause);
  return {
    asked: written === undefined ? new Set(events.map((one) => messageOfDelivery(one) ?? "")) : asked,
    requests: [...logs.journal.from()].filter(
      (one) => numberOf(one.id) > since && threadOfRequest(one) === thread.id,
    ),
    deliveries,
  };
}

/**
 * A sentence on the newest call since the sandbox's last reset whose token no sandbox knows. Such a call belongs to the sandbox that its
 * token names, otherwise to `standard`.
 */
export function unknownToken({ id, run }: Sandbox, standard: Sandbox): string | undefined {
  const [first] = run.world.all("tokens");
  for (const {
    run: { logs },
  } of new Set([{ run }, standard])) {
    const call = [...logs.journal.from()].findLast(
      ({ by, ownToken, started }) => by === "client" && ownToken === null && started >= run.started,
    );
    if (call === undefined) continue;
    const { method, path, status, token } = call;
    const problem = tokenProblem(token, null, sandboxToken(id, first?.id ?? NO_TOKEN));
    return `${method} ${path} was refused: ${status ?? "no response"}. ${problem}`;
  }
  return undefined;
}

const NO_TOKEN = "YOUR-TOKEN";

function surroundingsOf(
  sandbox: Sandbox,
  thread: Thread,
  rankOf: Surroundings["rankOf"],
  others: Iterable<Sandbox>,
): Surroundings {
  const { world, logs, behaviour, faults } = sandbox.run;
  const organizationOf = (businessId = "") => world.get("businesses", businessId)?.organizationId;
  const organization = organizationOf(thread.businessId);
  const businessesOf = (userId = "") => world.get("users", userId)?.businessIds ?? [];
  const tokens = [...world.all("tokens")];
  const own = tokens.find(({ userId }) => businessesOf(userId).includes(thread.businessId));
  const apiKey = sandboxToken(sandbox.id, (own ?? tokens[0])?.id ?? NO_TOKEN);
  const { beforeCause } = logs;
  return {
    webhooks: [...world.all("webhooks")].filter((one) => one.organizationId === organization),
    organization: world.get("organizations", organization ?? "")?.name ?? "The organization",
    faults: faults.list(),
    requests: [...logs.journal.from()],
    deliveries: deliveriesIn(sandbox),
    rankOf,
    customerOf: (id) => {
      const found = world.get("threads", id);
      return (
        found && (world.get("customers", found.customerId)?.displayName || `customer ${found.customerId}`)
      );
    },
    tokenProblem: (key) => {
      const known = tokens.find(({ id }) => id === key || sandboxToken(sandbox.id, id) === key);
      const theirs = organizationOf(businessesOf(known?.userId)[0]);
      const owner = theirs === organization ? undefined : world.get("organizations", theirs ?? "")?.name;
      return tokenProblem(key, known === undefined ? null : owner, apiKey);
    },
    apiKey,
    openFor: ({ causedBy }) => (causedBy === beforeCause.cause ? monotonicNow() - beforeCause.at : undefined),
    timeoutMs: behaviour.values["delivery.timeoutMs"],
    inOrder: behaviour.values["delivery.order"] === "perWebhook",
    strayAfter: () => strayCall(sandbox, thread.id, others),
  };
}

/**
 * The newest call that a program made after a delivery of this sandbox, and that arrived in another one because of its token: in one
 * that knows no such token, or whose own customer the call does not answer.
 */
function strayCall(
  { run, id: own }: Sandbox,
  threadId: string,
  others: Iterable<Sandbox>,
): StrayCall | undefined {
  const { at: since } = run.logs.beforeCause;
  for (const other of others) {
    if (other.id === own) continue;
    const isStray = (call: JournalEntry) => {
      if (call.by !== "client" || call.started < since) return false;
      const thread = threadOfRequest(call);
      if (call.ownToken === null) return thread === null || thread === threadId;
      return thread === threadId && !isAsked(other, threadId, call);
    };
    const call = [...other.run.logs.journal.from()].findLast(isStray);
    if (call !== undefined) return { sandbox: other.id, call };
  }
  return undefined;
}

/** Whether a call came when the program had been told of a message of the thread's customer in its own sandbox, and had not answered it. */
function isAsked(sandbox: Sandbox, threadId: string, call: JournalEntry): boolean {
  const deliveries = deliveriesIn(sandbox);
  const sent = deliveries.find(({ causedBy }) => causedBy === call.id);
  const messages = [...sandbox.run.world.find("messagesByThread", threadId)].filter((one) => !one.invisible);
  const written = sent === undefined ? -1 : messages.findIndex(({ id }) => id === messageOfDelivery(sent));
  const before = messages.at(written === -1 ? -1 : written - 1);
  return deliveries.some((one) => asksBot(one) && messageOfDelivery(one) === before?.id);
}
