/** Templates and messages (specification: "List WhatsApp templates", "Send message to a customer thread"). */

import { hasWindow } from "../../kernel/windows.js";
import type { Attachment, Message, Template, Thread } from "../world/records.js";
import { type Caller, employeeOf, organizationOf, threadFor, threadWithId } from "./access.js";
import { EMPTY, InvalidInput, Refusal } from "./refusals.js";
import type { Rule, Transaction, WorldView } from "./transaction.js";
import { isWindowOpen, opened } from "./windows.js";

/** Only threads on WhatsApp have templates. */
const hasTemplates = ({ channel }: Thread): boolean => channel === "WHATSAPP";

/** Whether the thread's business may use a template of its organization (`templates.scope`). */
const isInScope = (view: WorldView, { businessId }: Thread, { businessIds }: Template): boolean =>
  businessIds?.includes(businessId) !== false || view.behaviour["templates.scope"] === "organization";

/** The templates approved for a thread: those of its organization, or of its business (`templates.scope`). */
export function templatesFor(view: WorldView, thread: Thread): Template[] {
  if (!hasTemplates(thread)) return [];
  const templates = [...view.find("templatesByOrganization", organizationOf(view, thread))];
  return templates.filter((template) => isInScope(view, thread, template));
}

function templateOf(view: WorldView, thread: Thread, contentSid: string): Template {
  const template = hasTemplates(thread) ? view.get("templates", contentSid) : undefined;
  const isKnown = template?.organizationId === organizationOf(view, thread);
  if (template === undefined || !isKnown || !isInScope(view, thread, template))
    throw new Refusal("templates.unknown", { contentSid, customerThreadId: thread.id });
  return template;
}

type Content = Omit<Message, "id" | "threadId" | "timestamp">;

/** Appends a message to a thread and emits its event. `thread` is the thread after the change. */
function writeMessage(
  tx: Transaction,
  thread: Thread,
  { fromCustomer, invisible, text, contentSid, employeeUserId, attachment }: Content,
): Message {
  const id = tx.nextId("messages");
  // Naming every field takes less memory than spreading, and a world may have a million messages.
  const message = tx.put("messages", {
    id,
    threadId: thread.id,
    fromCustomer,
    invisible,
    text,
    contentSid,
    employeeUserId,
    timestamp: tx.now,
    attachment,
  });
  tx.emit({
    eventType: "message",
    at: tx.now,
    organizationId: organizationOf(tx, thread),
    thread,
    customer: tx.get("customers", thread.customerId),
    message,
  });
  return message;
}

/** Refuses an empty text if `messages.emptyText` says so, and one longer than `limits.textLength`. */
export function checkText(view: WorldView, text: string | undefined, property: string): void {
  if (text === undefined) return;
  const { "limits.textLength": limit, "messages.emptyText": empty } = view.behaviour;
  if (text === "" && empty === "reject") {
    throw new InvalidInput([{ property, message: EMPTY }], "messages.emptyText");
  }
  if (limit === null || text.length <= limit) return;
  const length = view.behaviour["limits.textUnit"] === "utf16" ? text.length : [...text].length;
  if (length > limit) throw new Refusal("limits.textLengthError", { property, limit, length });
}

interface SendMessage {
  readonly caller: Caller;
  readonly customerThreadId: string;
  readonly text?: string | undefined;
  readonly contentSid?: string | undefined;
  readonly internal?: boolean | undefined;
}

/** The client sends a message. `window.internalMessages` says whether internal text needs an open messaging window. */
export const sendMessage: Rule<SendMessage, Message> = (
  tx,
  { caller, customerThreadId, text, contentSid, internal = false },
) => {
  const thread = threadFor(tx, caller, customerThreadId);
  checkText(tx, text, "@.text");
  const template = contentSid === undefined ? undefined : templateOf(tx, thread, contentSid);
  return fromEmployee(tx, thread, { userId: caller.user.id, text, internal, template });
};

/** An employee writes in the service's own app, under the same rules as the client. */
export const employeeWrites: Rule<
  { threadId: string; userId: string; text: string; internal?: boolean | undefined },
  Message
> = (tx, { threadId, userId, text, internal }) => {
  const thread = threadWithId(tx, threadId);
  const user = employeeOf(tx, organizationOf(tx, thread), userId);
  if (!user.businessIds.includes(thread.businessId))
    throw new Refusal("employees.noAccess", { userId, threadId });
  return fromEmployee(tx, thread, { userId, text, internal });
};

interface EmployeeContent extends Pick<SendMessage, "text" | "internal"> {
  readonly userId: string;
  readonly template?: Template | undefined;
}

function fromEmployee(tx: Transaction, thread: Thread, content: EmployeeContent): Message {
  const { userId: employeeUserId, text = "", internal: invisible = false } = content;
  const { template } = content;
  const exempt = invisible && tx.behaviour["window.internalMessages"] === "exempt";
  if (template === undefined && !exempt && !isWindowOpen(tx, thread)) {
    throw new Refusal("window.closedError", { customerThreadId: thread.id });
  }
  const replies =
    !invisible && tx.behaviour["threadStatus.autoMoves"] === "realistic" && thread.status !== "replied";
  const after = replies ? tx.put("threads", { ...thread, status: "replied" }) : thread;
  return writeMessage(tx, after, {
    fromCustomer: false,
    invisible,
    text: template?.text ?? text,
    contentSid: template?.id ?? null,
    employeeUserId,
    attachment: null,
  });
}

/** The customer writes. If `window.duration` is set, this opens the messaging window of a channel that has one. */
export const customerWrites: Rule<
  { threadId: string; text?: string | undefined; attachment?: Attachment | undefined },
  Message
> = (tx, { threadId, text = "", attachment = null }) =>
  fromCustomer(tx, threadWithId(tx, threadId), text, attachment);

export function fromCustomer(
  tx: Transaction,
  thread: Thread,
  text: string,
  attachment: Attachment | null,
): Message {
  let after = thread;
  if (tx.behaviour["window.duration"] !== null && hasWindow(tx, after)) after = opened(tx, after);
  if (tx.behaviour["threadStatus.autoMoves"] === "realistic" && after.status !== "waiting")
    after = { ...after, status: "waiting" };
  if (after !== thread) tx.put("threads", after);
  const content = { fromCustomer: true, invisible: false, text, contentSid: null, employeeUserId: null };
  return writeMessage(tx, after, { ...content, attachment });
}
