import { useApp } from "../lib/context";
import { lazy } from "../lib/lazy";
import type { Conversation } from "../model/conversation";
import type { Session } from "../model/session";
import type { Message, Thread } from "../model/types";
import { dueNow } from "./due";

const Share = lazy("what is shared", () => import("../play/share-dialog"));

interface Props {
  readonly thread: Thread;
  /** The id of the message whose turn it is; null for the whole conversation. */
  readonly from: string | null;
  readonly onClose: () => void;
}

/** The turn of a message, or the whole conversation, to be given to others. */
export function ShareDialog({ thread, from, onClose }: Props) {
  const { session } = useApp();
  const due = (conversation: Conversation) => {
    const { since = "", text = "", fix = "" } = dueNow(session, conversation) ?? {};
    return `${since} ${text} ${fix}`.trim();
  };
  const authorOf = (message: Message) => authorName(session, message, thread);
  return <Share thread={thread} from={from} due={due} authorOf={authorOf} onClose={onClose} />;
}

/** Who wrote a message, by name. */
export function authorName(session: Session, message: Message, thread: Thread): string {
  if (message.fromCustomer) return session.tables.customerName(thread);
  const { employeeUserId } = message;
  if (employeeUserId === null) return "Employee";
  return session.tables.users.get(employeeUserId)?.displayName ?? `User ${employeeUserId} (gone)`;
}
