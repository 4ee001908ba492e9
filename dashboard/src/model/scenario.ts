import type { Session } from "./session";
import { writersOf } from "./timeline";
import type { Message, RequestRecord, Thread } from "./types";

const json = (value: unknown): string => JSON.stringify(value);

/** The step that stands for a message: what a person wrote is written, what the client sent is waited for. */
export function stepOf(session: Session, message: Message, request: RequestRecord | undefined): string {
  if (message.fromCustomer) {
    return message.attachment === null
      ? `- customer: ${json(message.text)}`
      : `- customer: ${json({ says: message.text, attachment: message.attachment })}`;
  }
  if (request !== undefined && !message.invisible) {
    if (message.contentSid === null) return `- reply: ${json({ text: message.text })}`;
    const title = session.tables.templates.get(message.contentSid)?.title;
    return `- reply: ${json(title === undefined ? { text: message.text } : { template: title })}`;
  }
  if (request !== undefined)
    return `- expect: ${json({ request: { path: request.path, body: request.body } })}`;
  const internal = message.invisible ? { internal: true } : {};
  return `- employee: ${json({ user: message.employeeUserId, says: message.text, ...internal })}`;
}

/** A call as a step that makes it and expects the same status. */
export function stepOfRequest(request: RequestRecord, target: string): string {
  const lines = [`- request: ${request.method} ${target}`];
  if (request.token !== null) lines.push(`  token: ${json(request.token)}`);
  if (request.body !== null) lines.push(`  body: ${json(request.body)}`);
  if (request.status !== null) lines.push(`  expect: ${request.status}`);
  return lines.join("\n");
}

/** A scenario that plays a conversation from a message on. */
export function scenarioFrom(session: Session, thread: Thread, messageId: string): string {
  const messages = session.conversation?.messages ?? [];
  const part = messages.slice(messages.findIndex(({ id }) => id === messageId));
  const name = `${session.tables.customerNameOf(thread)}: ${part[0]?.text ?? ""}`.slice(0, 80);
  const writers = writersOf(session);
  const steps = part.map((message) => `  ${stepOf(session, message, writers.get(message.id))}`);
  return [`name: ${json(name)}`, `thread: ${json(thread.id)}`, "within: 5s", "steps:", ...steps, ""].join(
    "\n",
  );
}
