import { messageCall } from "../model/message-call";
import type { Session } from "../model/session";
import type { Message } from "../model/types";

/** How long the deliveries of one message may take before the next is written, ms. */
const IDLE_TIMEOUT_MS = 10_000;

/**
 * Writes again what the customer and the employees wrote by hand from a message on, and resolves with how many
 * messages these were. Each waits until the deliveries of the one before have ended. What the client sent through the
 * API is left to the client.
 */
export async function replayFrom(session: Session, from: Message): Promise<number> {
  const { transport } = session;
  const messages = session.conversationOf(from.threadId)?.messages.peek() ?? [];
  const start = messages.findIndex((message) => message.id === from.id);
  const byHand = messages.slice(start).filter((message) => !session.wroteApi(message));
  for (const message of byHand) {
    const { path, body } = messageCall(message);
    await transport.call("POST", path, { body });
    await transport.call("POST", "/wait", { body: { for: "idle", timeoutMs: IDLE_TIMEOUT_MS } });
  }
  return byHand.length;
}
