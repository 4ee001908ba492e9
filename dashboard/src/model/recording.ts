import type { Session } from "./session";

/** A conversation as a test, in the form that `messaging-sim record` writes. */
export interface Recording {
  readonly scenario: Readonly<Record<string, unknown>>;
  /** The scenario as YAML. */
  readonly text: string;
  /** What could not be recorded. */
  readonly notes: readonly string[];
}

interface Part {
  /** The id of the message to begin with; null for the first. */
  readonly from: string | null;
  /** Whether a reply is due at the end: the test waits for one. */
  readonly isDue: boolean;
}

/** What happened in a conversation, from a message on. */
export function recordingOf(session: Session, threadId: string, part: Part): Promise<Recording> {
  const { from, isDue } = part;
  const writer = session.causes.writerOf(from ?? "");
  const query = { from: writer, reply: isDue ? "expected" : undefined };
  return session.transport.call("GET", `/threads/${threadId}/recording`, { query });
}

/** The first message of a conversation that the logs tell of; undefined where all are those of the fixture. */
export function firstOwnMessage(session: Session, threadId: string): string | undefined {
  const { causes } = session;
  return session.conversationOf(threadId)?.messages.value.find(({ id }) => causes.writerOf(id) !== undefined)
    ?.id;
}
