/** Thread status and transfers (specification: "States and transitions / Thread status", "Transfer event payload"). */
import type { Business, Thread, ThreadStatus } from "../world/records.js";
import type { Caller } from "./access.js";
import { organizationOf, threadFor, threadWithId } from "./access.js";
import { Refusal } from "./refusal.js";
import type { Rule, Turn } from "./turn.js";

/** Sets the status of a thread. Any status may follow any other, unless `threadStatus.transitions` lists the moves. */
export const updateThreadStatus: Rule<
  { caller: Caller; customerThreadId: string; status: ThreadStatus },
  Thread
> = (turn, { caller, customerThreadId, status }) => {
  const thread = threadFor(turn, caller, customerThreadId);
  const moves = turn.behaviour["threadStatus.transitions"];
  if (moves !== "any" && status !== thread.status && !(moves[thread.status] ?? []).includes(status)) {
    throw new Refusal("threadStatus.transitionError", { customerThreadId, from: thread.status, to: status });
  }
  return turn.put("threads", { ...thread, status });
};

/** Reassigns a conversation to another business of the organization and emits the transfer event. */
export const transferThread: Rule<
  { threadId: string; businessId: string; employeeUserId?: string | undefined },
  Thread
> = (turn, { threadId, businessId, employeeUserId }) => {
  const thread = threadWithId(turn, threadId);
  const business = turn.get("businesses", businessId);
  if (business === undefined) throw new Refusal("businesses.notFound", { businessId });
  if (business.organizationId !== organizationOf(turn, thread))
    throw new Refusal("transfers.otherOrganization", { businessId });
  if (business.id === thread.businessId)
    throw new Refusal("transfers.sameBusiness", { threadId, businessId });
  const employee =
    employeeUserId === undefined ? lowestUserOf(turn, business) : employeeOf(turn, business, employeeUserId);
  const moved = turn.put("threads", { ...thread, businessId });
  turn.emit({
    eventType: "transfer",
    at: turn.now,
    organizationId: business.organizationId,
    thread: moved,
    previousBusinessId: thread.businessId,
    newBusinessId: business.id,
    newBusinessName: business.name,
    employeeUserId: employee,
    participationId: turn.nextParticipation(),
  });
  return moved;
};

function employeeOf(turn: Turn, business: Business, userId: string): string {
  const user = turn.get("users", userId);
  if (user === undefined || user.organizationId !== business.organizationId)
    throw new Refusal("employees.notFound", { userId });
  return user.id;
}

/** The lowest user id of a business; a business that nobody works for cannot be handed a conversation. */
export function lowestUserOf(turn: Turn, business: Business): string {
  let lowest: string | undefined;
  for (const user of turn.world.find("usersByBusiness", business.id)) {
    if (lowest === undefined || Number(user.id) < Number(lowest)) lowest = user.id;
  }
  if (lowest === undefined) throw new Refusal("transfers.noEmployee", { businessId: business.id });
  return lowest;
}
