/** Thread status and transfers (specification: "States and transitions / Thread status", "Transfer event payload"). */

import type { EventType } from "../../kernel/names.js";
import { complete } from "../world/defaults.js";
import type { Business, Message, Thread, ThreadStatus } from "../world/records.js";
import { businessOf, type Caller, employeeOf, organizationOf, threadFor, threadWithId } from "./access.js";
import { Refusal } from "./refusals.js";
import type { Rule, WorldView } from "./transaction.js";

/** Sets the status of a thread. Any status may follow any other, unless `threadStatus.transitions` lists the allowed ones. */
export const updateThreadStatus: Rule<
  { caller: Caller; customerThreadId: string; status: ThreadStatus },
  Thread
> = (tx, { caller, customerThreadId, status }) => {
  const thread = threadFor(tx, caller, customerThreadId);
  const moves = tx.behaviour["threadStatus.transitions"];
  const isAllowed = moves === "any" || status === thread.status || moves[thread.status]?.includes(status);
  if (!isAllowed)
    throw new Refusal("threadStatus.transitionError", { customerThreadId, from: thread.status, to: status });
  return tx.put("threads", { ...thread, status });
};

/** Reassigns a conversation to another business of the organization and emits the transfer event. */
export const transferThread: Rule<
  { threadId: string; businessId: string; employeeUserId?: string | undefined },
  Thread
> = (tx, { threadId, businessId, employeeUserId }) => {
  const thread = threadWithId(tx, threadId);
  const business = tx.get("businesses", businessId);
  if (business === undefined) throw new Refusal("businesses.notFound", { businessId });
  if (business.organizationId !== organizationOf(tx, thread))
    throw new Refusal("transfers.otherOrganization", { businessId });
  if (business.id === thread.businessId)
    throw new Refusal("transfers.sameBusiness", { threadId, businessId });
  const employee =
    employeeUserId === undefined
      ? defaultEmployee(tx, business)
      : employeeOf(tx, business.organizationId, employeeUserId).id;
  const moved = tx.put("threads", { ...thread, businessId });
  tx.emit({
    eventType: "transfer",
    at: tx.now,
    organizationId: business.organizationId,
    thread: moved,
    previousBusinessId: thread.businessId,
    newBusinessName: business.name,
    employeeUserId: employee,
    participationId: tx.nextParticipation(),
  });
  return moved;
};

/** Who takes a conversation for a business if no employee is named: the lowest user id. */
function defaultEmployee(view: WorldView, business: Business): string {
  const ids = [...view.find("usersByBusiness", business.id)].map(({ id }) => id);
  const lowest = ids.sort((a, b) => Number(a) - Number(b))[0];
  if (lowest === undefined) throw new Refusal("transfers.noEmployee", { businessId: business.id });
  return lowest;
}

/**
 * Emits an event for the thread that `data.customerThreadId` names, or for the first thread. A message is the customer's, unless `data`
 * says otherwise.
 */
export const emitGiven: Rule<
  { readonly eventType: EventType; readonly data: Readonly<Record<string, unknown>> },
  void
> = (tx, { eventType, data }) => {
  const named = data.customerThreadId;
  const thread = named === undefined ? firstThread(tx) : threadWithId(tx, String(named));
  const organizationId = organizationOf(tx, thread);
  const common = { at: tx.now, organizationId, thread, data };
  if (eventType === "message") {
    const customer = tx.get("customers", thread.customerId);
    const last = lastMessage(tx, thread);
    const message =
      data.fromCustomer === false
        ? last
        : { ...last, fromCustomer: true, invisible: false, employeeUserId: null };
    return tx.emit({ eventType, ...common, customer, message });
  }
  const business = businessOf(tx, thread);
  tx.emit({
    eventType,
    ...common,
    previousBusinessId: business.id,
    newBusinessName: business.name,
    employeeUserId: defaultEmployee(tx, business),
    participationId: tx.counters.participations + 1,
  });
};

function firstThread(view: WorldView): Thread {
  const [thread] = view.all("threads");
  if (thread === undefined) throw new Refusal("events.noThread");
  return thread;
}

const lastMessage = (view: WorldView, thread: Thread): Message =>
  [...view.find("messagesByThread", thread.id)].at(-1) ??
  complete("messages", {
    id: String(view.counters.messages + 1),
    threadId: thread.id,
    fromCustomer: true,
    text: "",
    timestamp: view.now,
  });
