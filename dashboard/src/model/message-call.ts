import { omitUndefined } from "../../../src/kernel/objects.js";
import type { Message } from "./types";

/** A `POST`. */
interface Post {
  readonly path: string;
  readonly body: unknown;
}

/** The call with which a person at the page writes the same message. */
export function messageCall(message: Message): Post {
  const { threadId, fromCustomer, text, attachment, employeeUserId, invisible } = message;
  if (fromCustomer)
    return {
      path: `/threads/${threadId}/inbound`,
      body: omitUndefined({ text: text || undefined, attachment: attachment ?? undefined }),
    };
  return {
    path: `/threads/${threadId}/employee-message`,
    body: omitUndefined({ userId: employeeUserId, text, internal: invisible || undefined }),
  };
}

/** The call of the simulated API that wrote a message, as the message tells it: for one that is in no log any more. */
export function sentCall({ threadId, text, contentSid, invisible }: Message): Post {
  return {
    path: "/api/send-message-to-customer-thread",
    body: omitUndefined({
      customerThreadId: threadId,
      text: contentSid === null ? text : undefined,
      contentSid: contentSid ?? undefined,
      internal: invisible || undefined,
    }),
  };
}
