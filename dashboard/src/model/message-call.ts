import { given } from "../../../src/kernel/given.js";
import type { Message } from "./types";

/** A `POST` of the control API. */
interface ControlPost {
  readonly path: string;
  readonly body: unknown;
}

/** The call with which a person at the page writes the same message. */
export function messageCall(message: Message): ControlPost {
  const { threadId, fromCustomer, text, attachment, employeeUserId, invisible } = message;
  if (fromCustomer)
    return {
      path: `/threads/${threadId}/inbound`,
      body: given({ text: text || undefined, attachment: attachment ?? undefined }),
    };
  return {
    path: `/threads/${threadId}/employee-message`,
    body: given({ userId: employeeUserId, text, internal: invisible || undefined }),
  };
}
