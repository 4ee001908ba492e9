/** A conversation in readable form: who wrote what and when, and what happened to each message's event. */
import { BOUNDS } from "../kernel/bounds.js";
import type { Chunked } from "../kernel/chunked.js";
import { propertiesOf } from "../kernel/http/openapi.js";
import { valueAt } from "../kernel/json.js";
import { masked } from "../kernel/masking.js";
import { mapped } from "../kernel/objects.js";
import { printable } from "../kernel/printable.js";
import { isoOf } from "../kernel/realtime.js";
import type { InferReadonly, Schema } from "../kernel/schema.js";
import { array, object, oneOf, string } from "../kernel/schema.js";
import { counted } from "../kernel/words.js";
import type { Delivery } from "../sandbox/deliveries.js";
import { deliverySchema } from "../sandbox/deliveries.js";
import type { Run } from "../sandbox/run.js";
import type { Customer, Message, Thread } from "../service/world/records.js";
import { RECORD_SCHEMAS } from "../service/world/records.js";

const additions = {
  author: string({ description: "the author's name" }),
  at: string({ format: "date-time" }),
  kind: oneOf(["customer", "employee", "internal", "template"]),
  deliveries: array(deliverySchema, { description: "the deliveries of the message's event" }),
};
const additionsSchema = object(additions);
/** A message with its author and the deliveries of its event, without secrets: transcripts are made to be shared. */
export type TranscriptEntry = Message & InferReadonly<typeof additionsSchema>;
export const transcriptEntrySchema = object({
  ...propertiesOf(RECORD_SCHEMAS.messages),
  ...additions,
}) as Schema as Schema<TranscriptEntry>;

export function transcriptOf(
  run: Run,
  thread: Thread,
  messages: readonly Message[] = messagesOf(run, thread),
): Iterable<TranscriptEntry> {
  const { world } = run;
  const deliveries = deliveriesByMessage(run, thread);
  const customer = nameOf(world.get("customers", thread.customerId), thread.customerId);
  return mapped(messages, (message) => ({
    ...message,
    author: message.fromCustomer ? customer : employeeName(run, message.employeeUserId),
    at: isoOf(message.timestamp),
    kind: kindOf(message),
    deliveries: masked(deliveries.get(Number(message.id)) ?? []) as Delivery[],
  }));
}

const messagesOf = ({ world }: Run, { id }: Thread): Message[] => [...world.find("messagesByThread", id)];

const MAX_MESSAGES = BOUNDS.transcriptMessages.limit;

/** The same as Markdown. */
export function* transcriptText(run: Run, thread: Thread): Chunked<string> {
  const { world } = run;
  const customer = nameOf(world.get("customers", thread.customerId), thread.customerId);
  const business = world.get("businesses", thread.businessId)?.name ?? thread.businessId;
  const window = thread.isMessagingWindowOpen ? "open" : "closed";
  const texts = [
    `# ${printable(`${customer} and ${business}`)}`,
    `Thread ${thread.id} on ${thread.channel}, ${thread.status}, messaging window ${window}.`,
  ];
  const messages = messagesOf(run, thread);
  const left = messages.length - MAX_MESSAGES;
  if (messages.length === 0) texts.push("No messages.");
  if (left > 0) texts.push(`${counted(left, "earlier message")} left out.`);
  for (const entry of transcriptOf(run, thread, messages.slice(-MAX_MESSAGES))) {
    texts.push(entryText(entry));
    yield;
  }
  return `${texts.join("\n\n")}\n`;
}

function entryText({ author, at, kind, text, contentSid, attachment, deliveries }: TranscriptEntry): string {
  const mark = { customer: "", employee: "", internal: " (internal)", template: ` (template ${contentSid})` }[
    kind
  ];
  const lines = [
    `**${printable(author)}**${mark}, ${at}`,
    "",
    ...(text === "" ? [] : text.split(/\r?\n/).map((line) => `> ${printable(line)}`)),
    ...(attachment === null
      ? []
      : [
          `> ${printable(`[${attachment.name}: ${attachment.contentType}, ${attachment.contentLength} bytes]`)}`,
        ]),
  ];
  if (deliveries.length > 0)
    lines.push("", ...deliveries.map((delivery) => `- ${printable(outcomeText(delivery))}`));
  return lines.join("\n");
}

function outcomeText({ id, hookId, url, status, reason, attempts }: Delivery): string {
  const answers = attempts.map((attempt) => attempt.status ?? attempt.error ?? "no answer");
  const details = [...answers, ...(reason === null ? [] : [reason])];
  return `${id} to ${hookId} (${url}): ${status}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
}

function deliveriesByMessage({ logs: { deliveries } }: Run, thread: Thread): Map<unknown, Delivery[]> {
  const byMessage = new Map<unknown, Delivery[]>();
  for (const delivery of deliveries.from()) {
    if (delivery.threadId !== thread.id || delivery.eventType !== "message") continue;
    const messageId = valueAt(delivery.body, delivery.legacy ? ["messageId"] : ["data", "messageId"]);
    const known = byMessage.get(messageId);
    if (known === undefined) byMessage.set(messageId, [delivery]);
    else known.push(delivery);
  }
  return byMessage;
}

function kindOf({ fromCustomer, invisible, contentSid }: Message): TranscriptEntry["kind"] {
  if (fromCustomer) return "customer";
  if (invisible) return "internal";
  return contentSid === null ? "employee" : "template";
}

function nameOf(customer: Customer | undefined, id: string): string {
  const { displayName, firstName, lastName, emailAddress, phoneNumber } = customer ?? {};
  const full = [firstName, lastName].filter(Boolean).join(" ");
  return displayName || full || emailAddress || phoneNumber || id;
}

function employeeName({ world }: Run, userId: string | null): string {
  if (userId === null) return "an employee";
  return world.get("users", userId)?.displayName ?? `user ${userId}, who is gone`;
}
