import { requestTarget } from "../lib/curl";
import { sentCall } from "./message-call";
import type { Session } from "./session";
import type { Message, RequestRecord, Thread } from "./types";

const json = (value: unknown): string => JSON.stringify(value);

/** The step for a message: it writes what people wrote, and waits for what the client sent, also when the calls are cleared from the log. */
export function messageStep(session: Session, message: Message): string {
  const { text, attachment, contentSid, employeeUserId, invisible } = message;
  if (message.fromCustomer)
    return attachment === null
      ? `- customer: ${json(text)}`
      : `- customer: ${json({ says: text, attachment })}`;
  if (!session.wroteApi(message))
    return `- employee: ${json({ user: employeeUserId, says: text, ...(invisible ? { internal: true } : {}) })}`;
  const request = session.writer(message);
  if (request?.by === "scenario") return requestStep(request);
  const { path, body } = request ?? sentCall(message);
  if (invisible) return `- expect: ${json({ request: { path, body } })}`;
  const template = contentSid === null ? undefined : session.tables.templates.get(contentSid)?.title;
  return `- reply: ${json(template === undefined ? { text } : { template })}`;
}

/** The step that makes a call again and expects the same status. */
export function requestStep(request: RequestRecord): string {
  const lines = [`- request: ${request.method} ${requestTarget(request)}`];
  if (request.token !== null) lines.push(`  token: ${json(request.token)}`);
  if (request.body !== null) lines.push(`  body: ${json(request.body)}`);
  if (request.status !== null) lines.push(`  expect: ${request.status}`);
  return lines.join("\n");
}

/** A scenario of a conversation from a message on. */
export function scenarioFrom(session: Session, thread: Thread, messageId: string): string {
  const messages = session.conversation.peek()?.messages.peek() ?? [];
  const part = messages.slice(messages.findIndex(({ id }) => id === messageId));
  const name = `${session.tables.customerName(thread)}: ${part[0]?.text ?? ""}`.slice(0, 80);
  const steps = part.map((message) => messageStep(session, message).replace(/^/gm, "  "));
  return [`name: ${json(name)}`, `thread: ${json(thread.id)}`, "within: 5s", "steps:", ...steps, ""].join(
    "\n",
  );
}
