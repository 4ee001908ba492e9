import { sentCall } from "./message-call";
import type { Session } from "./session";
import type { Attachment, Message, RequestRecord } from "./types";

/** One thing that happened in a conversation, as it is to happen again: the same for every form in which it is written. */
export type RecordedStep =
  | { readonly kind: "customer"; readonly text: string; readonly attachment: Attachment | null }
  | {
      readonly kind: "employee";
      readonly user: string | null;
      readonly text: string;
      readonly internal: boolean;
      readonly attachment: Attachment | null;
      readonly contentSid: string | null;
    }
  /** The client is to answer the customer, with any text where none is given. */
  | { readonly kind: "reply"; readonly text: string | undefined; readonly template: string | undefined }
  /** The client is to make a call. */
  | { readonly kind: "expect"; readonly path: string; readonly body: unknown }
  /** A call that a scenario made for the client. */
  | { readonly kind: "request"; readonly request: RequestRecord };

/** The step for a message: people write again what they wrote, and what the client sent is expected, also when its calls are cleared from the log. */
export function recordedStep(session: Session, message: Message): RecordedStep {
  const { text, attachment, contentSid, employeeUserId: user, invisible: internal } = message;
  if (message.fromCustomer) return { kind: "customer", text, attachment };
  if (!session.wroteApi(message)) return { kind: "employee", user, text, internal, attachment, contentSid };
  const request = session.writer(message);
  if (request?.by === "scenario") return { kind: "request", request };
  const { path, body } = request ?? sentCall(message);
  if (internal) return { kind: "expect", path, body };
  const template = contentSid === null ? undefined : session.tables.templates.get(contentSid)?.title;
  return { kind: "reply", text, template };
}

/** A part of a conversation, from a message on. */
export interface Recorded {
  readonly name: string;
  readonly threadId: string;
  readonly steps: readonly RecordedStep[];
}

/** The conversation that is open, from a message on, without what the fixture brought. */
export function recordedFrom(session: Session, threadId: string, messageId: string): Recorded {
  const messages = session.conversationOf(threadId)?.messages.peek() ?? [];
  const own = firstOwnMessage(session, threadId);
  const at = (wanted: string | undefined) => messages.findIndex(({ id }) => id === wanted);
  const part = own === undefined ? [] : messages.slice(Math.max(at(own), at(messageId)));
  const thread = session.tables.threads.get(threadId);
  const who = thread === undefined ? threadId : session.tables.customerName(thread);
  return {
    name: `${who}: ${part[0]?.text ?? ""}`.slice(0, 80),
    threadId,
    steps: part.map((message) => recordedStep(session, message)),
  };
}

/** The first message of a conversation that the logs tell of; undefined where all are those of the fixture. */
export function firstOwnMessage(session: Session, threadId: string): string | undefined {
  const { causes } = session;
  return session.conversationOf(threadId)?.messages.value.find(({ id }) => causes.writerOf(id) !== undefined)
    ?.id;
}
