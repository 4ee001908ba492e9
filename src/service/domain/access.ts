import type { Business, Customer, Thread, Token, User } from "../world/records.js";
import { Refusal } from "./refusals.js";
import type { WorldView } from "./transaction.js";

/** The caller (specification: "Authentication"). */
export interface Caller {
  readonly token: Token;
  readonly user: User;
  readonly organizationId: string;
}

/** The business of a thread; every thread in the world has one. */
export const businessOf = (view: WorldView, thread: Thread): Business =>
  view.get("businesses", thread.businessId) as Business;

export const organizationOf = (view: WorldView, thread: Thread): string =>
  businessOf(view, thread).organizationId;

/** The thread that a caller wants to modify: the user must have access to it. */
export function threadFor(view: WorldView, caller: Caller, customerThreadId: string): Thread {
  const thread = knownThread(view, caller, customerThreadId);
  if (!hasAccess(view, caller, thread)) throw new Refusal("threads.notAccessible", { customerThreadId });
  return thread;
}

/** The thread that a caller wants to read: `threads.readAccess` says whether the user must have access to it. */
export function readableThreadFor(view: WorldView, caller: Caller, customerThreadId: string): Thread {
  const forAll = view.behaviour["threads.readAccess"] === "organization";
  return (forAll ? knownThread : threadFor)(view, caller, customerThreadId);
}

function knownThread(view: WorldView, caller: Caller, customerThreadId: string): Thread {
  const thread = threadWithId(view, customerThreadId);
  if (organizationOf(view, thread) === caller.organizationId) return thread;
  throw new Refusal("threads.notFound", { customerThreadId });
}

/** Users have access to the threads of their businesses, and to those that they started (`widget.threadAccess`). */
function hasAccess({ behaviour }: WorldView, { user }: Caller, thread: Thread): boolean {
  if (user.businessIds.includes(thread.businessId)) return true;
  return behaviour["widget.threadAccess"] === "token" && (thread.widgetUserIds ?? []).includes(user.id);
}

/** A user of the organization. */
export function employeeOf(view: WorldView, organizationId: string, userId: string): User {
  const user = view.get("users", userId);
  if (user?.organizationId !== organizationId)
    throw new Refusal("employees.notFound", { userId, organizationId });
  return user;
}

/** A customer of the caller's organization. */
export function customerFor(view: WorldView, caller: Caller, customerId: string): Customer {
  const customer = view.get("customers", customerId);
  if (customer?.organizationId !== caller.organizationId)
    throw new Refusal("profile.notFound", { customerId });
  return customer;
}

/** The thread with an id, without an access check. */
export function threadWithId(view: WorldView, customerThreadId: string): Thread {
  const thread = view.get("threads", customerThreadId);
  if (thread === undefined) throw new Refusal("threads.notFound", { customerThreadId });
  return thread;
}
