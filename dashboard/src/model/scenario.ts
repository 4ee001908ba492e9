import { requestTarget } from "../lib/curl";
import type { Recorded, RecordedStep } from "./recorded-steps";
import { recordedStep } from "./recorded-steps";
import type { Session } from "./session";
import type { Message, RequestRecord } from "./types";

const json = (value: unknown): string => JSON.stringify(value);

/** A step of a scenario. */
function stepText(step: RecordedStep): string {
  switch (step.kind) {
    case "customer":
      return `- customer: ${json(step.attachment === null ? step.text : { says: step.text || undefined, attachment: step.attachment })}`;
    case "employee": {
      const { user, text, internal, attachment, contentSid } = step;
      if (contentSid === null && attachment === null)
        return `- employee: ${json({ user, says: text, ...(internal ? { internal } : {}) })}`;
      // The step has no words for templates and files.
      const body = contentSid === null ? { text: text || undefined, attachment, internal } : { contentSid };
      const call = "- control: POST /threads/${thread}/employee-message";
      return `${call}\n  body: ${json({ userId: user, ...body })}`;
    }
    case "reply":
      return `- reply: ${json(step.template === undefined ? { text: step.text } : { template: step.template })}`;
    case "expect":
      return `- expect: ${json({ request: { path: step.path, body: step.body } })}`;
    case "request":
      return requestStep(step.request);
  }
}

/** The step for a message. */
export const messageStep = (session: Session, message: Message): string =>
  stepText(recordedStep(session, message));

/** The step that makes a call again and expects the same status. */
export function requestStep(request: RequestRecord): string {
  const lines = [`- request: ${request.method} ${requestTarget(request)}`];
  if (request.token !== null) lines.push(`  token: ${json(request.token)}`);
  if (request.body !== null) lines.push(`  body: ${json(request.body)}`);
  if (request.status !== null) lines.push(`  expect: ${request.status}`);
  return lines.join("\n");
}

/** What happened as a scenario. */
export function scenarioOf({ name, threadId, steps }: Recorded): string {
  const texts = steps.map((step) => stepText(step).replace(/^/gm, "  "));
  const head = [`name: ${json(name)}`, `thread: ${json(threadId)}`, "within: 5s", "steps:"];
  return [...head, ...texts, ""].join("\n");
}
