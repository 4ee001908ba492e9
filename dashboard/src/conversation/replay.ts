import type { Session } from "../model/session";
import { writersOf } from "../model/timeline";
import type { Message, Thread } from "../model/types";

/** How long the deliveries of one message may take before the next is written, ms. */
const PATIENCE_MS = 10_000;

/**
 * Writes again what the customer and the employees wrote by hand from a message on, each after the deliveries of the
 * one before have come to rest. What the client sent through the API is left to the client.
 */
export async function replayFrom(session: Session, thread: Thread, from: Message): Promise<number> {
  const messages = session.conversation?.messages ?? [];
  const start = messages.findIndex((message) => message.id === from.id);
  const writers = writersOf(session);
  const own = messages.slice(start).filter((message) => !writers.has(message.id));
  let sent = 0;
  for (const { fromCustomer, text, employeeUserId, invisible, attachment } of own) {
    if (fromCustomer) {
      const body = { ...(text === "" ? {} : { text }), ...(attachment === null ? {} : { attachment }) };
      await session.api.post(`/threads/${thread.id}/inbound`, body);
    } else {
      const body = { userId: employeeUserId, text, ...(invisible ? { internal: true } : {}) };
      await session.api.post(`/threads/${thread.id}/employee-message`, body);
    }
    sent += 1;
    await session.api.post("/wait", { for: "idle", timeoutMs: PATIENCE_MS });
  }
  return sent;
}
