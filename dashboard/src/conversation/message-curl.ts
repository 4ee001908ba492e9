import { controlCurl, requestCurl } from "../lib/curl";
import type { Session } from "../model/session";
import { writersOf } from "../model/timeline";
import type { Message } from "../model/types";

/** The command line that writes a message again, the way in which it came. */
export function curlOfMessage(session: Session, message: Message): string {
  const request = writersOf(session).get(message.id);
  if (request !== undefined) return requestCurl(request);
  const guarded = session.api.access.token !== null;
  const { threadId, text, employeeUserId, invisible } = message;
  if (message.fromCustomer)
    return controlCurl("POST", session.api.base, `/threads/${threadId}/inbound`, guarded, { text });
  const body = { userId: employeeUserId, text, ...(invisible ? { internal: true } : {}) };
  return controlCurl("POST", session.api.base, `/threads/${threadId}/employee-message`, guarded, body);
}
