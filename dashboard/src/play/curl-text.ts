import { omitUndefined } from "../../../src/kernel/objects.js";
import { controlCurl, requestCurl } from "../lib/curl";
import type { Recorded, RecordedStep } from "../model/recorded-steps";
import type { Session } from "../model/session";

/** How long the script waits for what the client is to do, ms. */
const WAIT_MS = 10_000;

/** What happened as a shell script, which ends at the first call that fails. */
export function curlOf(session: Session, { name, threadId, steps }: Recorded): string {
  const calls = steps.map((step) =>
    callOf(session, threadId, step).replace(/^(# .*\n)?curl /, "$1curl -fsS "),
  );
  return ["#!/bin/sh", `# ${name.replace(/\s+/g, " ")}`, "set -e", ...calls, ""].join("\n\n");
}

function callOf(session: Session, threadId: string, step: RecordedStep): string {
  const control = (path: string, body: object) => controlCurl(session, path, body);
  const wait = (what: string, match: object) =>
    `# Waits until your client ${what}; earlier calls count too.\n${control("/wait", { for: match, timeoutMs: WAIT_MS })}`;
  switch (step.kind) {
    case "customer": {
      const { text, attachment } = step;
      return control(
        `/threads/${threadId}/inbound`,
        omitUndefined({ text: text || undefined, attachment: attachment ?? undefined }),
      );
    }
    case "employee": {
      const { user, text, internal, attachment, contentSid } = step;
      const content = { text: text || undefined, attachment: attachment ?? undefined };
      const body = contentSid === null ? { ...content, internal: internal || undefined } : { contentSid };
      return control(`/threads/${threadId}/employee-message`, omitUndefined({ userId: user, ...body }));
    }
    case "reply": {
      const { text, template } = step;
      const like = template === undefined ? { text } : { template };
      return wait("replies", { reply: { thread: threadId, ...like } });
    }
    case "expect":
      return wait("calls", { requests: { path: step.path, body: step.body } });
    case "request":
      return requestCurl(step.request);
  }
}
