import type { Session } from "../model/session";
import type { Message, Thread } from "../model/types";

/** Who wrote a message, by name. */
export function authorName(session: Session, message: Message, thread: Thread): string {
  if (message.fromCustomer) return session.tables.customerName(thread);
  const { employeeUserId } = message;
  if (employeeUserId === null) return "Employee";
  return session.tables.users.get(employeeUserId)?.displayName ?? `User ${employeeUserId} (gone)`;
}
