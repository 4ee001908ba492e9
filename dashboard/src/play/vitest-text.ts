import { maskedAddress } from "../../../src/kernel/masking.js";
import { requestTarget } from "../lib/curl";
import { isOutside } from "../model/firsts";
import type { Recorded, RecordedStep } from "../model/recorded-steps";
import type { Session } from "../model/session";

const json = (value: unknown): string => JSON.stringify(value);

/** What happened as a test in vitest. */
export function vitestOf(session: Session, { name, threadId, steps }: Recorded): string {
  const thread = session.tables.threads.get(threadId);
  const token = session.tables.tokenFor(thread) ?? "acme-token";
  const webhook = [...session.tables.webhooks.records.values()].find(isOutside);
  const lines = steps.flatMap((step) => linesOf(step, json(threadId)));
  return `import { test } from "messaging-sim/vitest";

test(${json(name)}, async ({ sandbox }) => {
  // Your client calls sandbox.url. Each webhook call carries an API token in the header "token".
  await sandbox.connect(process.env.BOT_URL ?? ${json(maskedAddress(webhook?.url ?? "http://127.0.0.1:3000/hook"))}, { header: "token" });
${steps.some(({ kind }) => kind === "request") ? `  const token = sandbox.token(${json(token)});\n` : ""}${lines.map((line) => `  ${line}\n`).join("")}});
`;
}

const contentOf = ({ text, attachment }: Pick<RecordedStep & { kind: "customer" }, "text" | "attachment">) =>
  json(attachment === null ? text : { text: text || undefined, attachment });

function linesOf(step: RecordedStep, thread: string): string[] {
  switch (step.kind) {
    case "customer": {
      return [`await sandbox.customerSays(${thread}, ${contentOf(step)});`];
    }
    case "employee": {
      const { user, internal, contentSid } = step;
      if (contentSid !== null)
        return [`await sandbox.employeeSendsTemplate(${thread}, ${json(user)}, ${json(contentSid)});`];
      const more = internal ? ", { internal: true }" : "";
      return [`await sandbox.employeeSays(${thread}, ${json(user)}, ${contentOf(step)}${more});`];
    }
    case "reply": {
      const { text, template } = step;
      return [
        `await sandbox.waitForReply(${thread}, ${json(template === undefined ? { text } : { template })});`,
      ];
    }
    case "expect":
      return [`await sandbox.waitForRequest(${json({ path: step.path, body: step.body })});`];
    case "request": {
      const { method, body } = step.request;
      return [
        `await fetch(sandbox.url + ${json(requestTarget(step.request))}, {`,
        `  method: ${json(method)},`,
        `  headers: { token, "Content-Type": "application/json" },`,
        ...(body === null ? [] : [`  body: ${json(json(body))},`]),
        "});",
      ];
    }
  }
}
