/** Threads: what is written in them, what happens to them, and how they read. */
import { BOUNDS } from "../../kernel/bounds.js";
import { propertiesOf } from "../../kernel/http/openapi.js";
import { valueAt } from "../../kernel/json.js";
import { masked } from "../../kernel/masking.js";
import { EVENT_TYPES } from "../../kernel/names.js";
import { getOrInsert, omitUndefined } from "../../kernel/objects.js";
import { printable } from "../../kernel/printable.js";
import { isoOf } from "../../kernel/realtime.js";
import type { InferReadonly, Schema } from "../../kernel/schema.js";
import {
  anyOf,
  array,
  boolean,
  integer,
  object,
  oneOf,
  optional,
  string,
  withDefault,
} from "../../kernel/schema.js";
import { counted } from "../../kernel/words.js";
import type { Delivery } from "../../sandbox/deliveries.js";
import { deliverySchema } from "../../sandbox/deliveries.js";
import type { Run } from "../../sandbox/run.js";
import { customerWrites, employeeWrites } from "../../service/domain/messages.js";
import { emitGiven, transferThread } from "../../service/domain/threads.js";
import { moveWindow } from "../../service/domain/windows.js";
import type { Message, Thread } from "../../service/world/records.js";
import { attachmentSchema, RECORD_SCHEMAS } from "../../service/world/records.js";
import { existing, unusable } from "../errors.js";
import { noReplySchema } from "../replies.js";
import { changedRecord, route } from "../route.js";

const additions = {
  author: string({ description: "the author's name" }),
  at: string({ format: "date-time" }),
  kind: oneOf(["customer", "employee", "internal", "template"]),
  deliveries: array(deliverySchema, { description: "the deliveries of the message's event" }),
};
const additionsSchema = object(additions);
/** A message with its author and the deliveries of its event. */
export type TranscriptEntry = Message & InferReadonly<typeof additionsSchema>;
const transcriptEntrySchema = object({
  ...propertiesOf(RECORD_SCHEMAS.messages),
  ...additions,
}) as Schema as Schema<TranscriptEntry>;

function transcriptOf(run: Run, thread: Thread, messages: readonly Message[]): TranscriptEntry[] {
  const { world } = run;
  const deliveries = deliveriesByMessage(run, thread);
  const customer = customerName(run, thread);
  const employee = (userId: string | null) =>
    userId === null
      ? "an employee"
      : (world.get("users", userId)?.displayName ?? `user ${userId}, who is gone`);
  return messages.map((message) => ({
    ...message,
    author: message.fromCustomer ? customer : employee(message.employeeUserId),
    at: isoOf(message.timestamp),
    kind: kindOf(message),
    deliveries: deliveries.get(Number(message.id)) ?? [],
  }));
}

function transcriptText(run: Run, thread: Thread, messages: readonly Message[]): string {
  const { limit } = BOUNDS.transcriptMessages;
  const { id, channel, status, businessId, isMessagingWindowOpen } = thread;
  const business = run.world.get("businesses", businessId)?.name ?? businessId;
  const window = isMessagingWindowOpen ? "open" : "closed";
  const texts = [
    `# ${printable(`${customerName(run, thread)} and ${business}`)}`,
    `Thread ${id} on ${channel}, ${status}, messaging window ${window}.`,
  ];
  const left = messages.length - limit;
  if (messages.length === 0) texts.push("No messages.");
  if (left > 0) texts.push(`${counted(left, "earlier message")} left out.`);
  const entries = transcriptOf(run, thread, messages.slice(-limit));
  texts.push(...entries.map((entry) => entryText(masked(entry) as TranscriptEntry)));
  return `${texts.join("\n\n")}\n`;
}

function entryText({ author, at, kind, text, contentSid, attachment, deliveries }: TranscriptEntry): string {
  const marks = {
    customer: "",
    employee: "",
    internal: " (internal)",
    template: ` (template ${contentSid})`,
  };
  const lines = [`**${printable(author)}**${marks[kind]}, ${at}`, ""];
  if (text !== "") lines.push(...text.split(/\r?\n/).map((line) => `> ${printable(line)}`));
  if (attachment !== null) {
    const { name, contentType, contentLength } = attachment;
    lines.push(`> ${printable(`[${name}: ${contentType}, ${contentLength} bytes]`)}`);
  }
  if (deliveries.length > 0)
    lines.push("", ...deliveries.map((delivery) => `- ${printable(outcomeText(delivery))}`));
  return lines.join("\n");
}

function outcomeText({ id, hookId, url, status, reason, attempts }: Delivery): string {
  const answers = attempts.map((attempt) => attempt.status ?? attempt.error ?? "no response");
  const details = [...answers, ...(reason === null ? [] : [reason])];
  return `${id} to ${hookId} (${url}): ${status}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
}

function deliveriesByMessage({ logs: { deliveryLog } }: Run, thread: Thread): Map<unknown, Delivery[]> {
  const byMessage = new Map<unknown, Delivery[]>();
  for (const delivery of deliveryLog.from()) {
    if (delivery.threadId !== thread.id || delivery.eventType !== "message") continue;
    const messageId = valueAt(delivery.body, delivery.legacy ? ["messageId"] : ["data", "messageId"]);
    getOrInsert(byMessage, messageId, () => []).push(delivery);
  }
  return byMessage;
}

function kindOf({ fromCustomer, invisible, contentSid }: Message): TranscriptEntry["kind"] {
  if (fromCustomer) return "customer";
  if (invisible) return "internal";
  return contentSid === null ? "employee" : "template";
}

function customerName({ world }: Run, { customerId: id }: Thread): string {
  const { displayName, firstName, lastName, emailAddress, phoneNumber } = world.get("customers", id) ?? {};
  const full = [firstName, lastName].filter(Boolean).join(" ");
  return displayName || full || emailAddress || phoneNumber || id;
}

const { messages: messageSchema, threads: threadSchema } = RECORD_SCHEMAS;
const id = () => string({ minLength: 1 });

const inboundSchema = object(
  { text: optional(string({ minLength: 1 })), attachment: optional(attachmentSchema) },
  { anyOf: [{ required: ["text"] }, { required: ["attachment"] }] },
);

const givenEventSchema = object({
  eventType: oneOf(EVENT_TYPES),
  data: object(
    {
      customerThreadId: optional(
        anyOf([string(), integer()], {
          description: "the thread that provides missing fields; default: the first thread",
        }),
      ),
    },
    { additionalProperties: true, description: "fields of the payload's data, sent unchanged" },
  ),
  legacy: optional(
    boolean({ description: "true: to legacy webhooks only; false: to all others; default: both" }),
  ),
});

/** The newest message of each thread, after the newest visible one if that is another. */
function newestMessages(messages: Iterable<Message>): Message[] {
  const [newest, visible] = [new Map<string, Message>(), new Map<string, Message>()];
  for (const message of messages) {
    const { threadId, timestamp, invisible } = message;
    for (const known of invisible ? [newest] : [newest, visible])
      if (timestamp >= (known.get(threadId)?.timestamp ?? timestamp)) known.set(threadId, message);
  }
  return [...new Set([...visible.values(), ...newest.values()])];
}

export const THREADS_ROUTES = [
  route("customerWrites", "POST /threads/:id/inbound", {
    summary: "Send a message as the customer: text, an attachment, or both",
    body: inboundSchema,
    success: { status: 201, schema: messageSchema },
    handle: ({ run, params, body, cause }) => ({
      body: run.transact(cause(), customerWrites, { threadId: params.id, ...body }),
    }),
  }),
  route("employeeWrites", "POST /threads/:id/employee-message", {
    summary: "Send a message as an employee in the service's own app",
    body: object({ userId: id(), text: string({ minLength: 1 }), internal: optional(boolean()) }),
    success: { status: 201, schema: messageSchema },
    handle: ({ run, params, body, cause }) => ({
      body: run.transact(cause(), employeeWrites, { threadId: params.id, ...body }),
    }),
  }),
  route("moveWindow", "POST /threads/:id/window", {
    summary: "Open or close the messaging window",
    body: object({ open: boolean() }),
    success: { status: 200, schema: threadSchema },
    handle: (call) =>
      changedRecord(call, "threads", moveWindow, { threadId: call.params.id, open: call.body.open }),
  }),
  route("transferThread", "POST /threads/:id/transfer", {
    summary: "Reassign the conversation to another business of the organization",
    body: object({ businessId: id(), employeeUserId: optional(id()) }),
    success: { status: 200, schema: threadSchema },
    handle: (call) =>
      changedRecord(call, "threads", transferThread, { threadId: call.params.id, ...call.body }),
  }),
  route("newestMessages", "GET /messages/newest", {
    summary:
      "List the newest message of each thread, preceded by the newest one visible to the customer if that is another",
    success: { status: 200, schema: array(messageSchema) },
    handle: ({ run }) => ({ body: newestMessages(run.world.all("messages")) }),
  }),
  route("transcript", "GET /threads/:id/transcript", {
    summary: "Show the conversation in readable form: as JSON, or with format=md as Markdown",
    query: object({ format: withDefault(oneOf(["json", "md"]), "json") }),
    success: { status: 200, schema: array(transcriptEntrySchema) },
    others: [{ status: 200, description: "With format=md", schema: string(), contentType: "text/markdown" }],
    handle: ({ run, params: { id }, query }) => {
      const thread = existing(run.shown().get("threads", id), "threads.notFound", { customerThreadId: id });
      const messages = [...run.world.find("messagesByThread", id)];
      if (query.format === "json") return { body: transcriptOf(run, thread, messages) };
      return {
        text: transcriptText(run, thread, messages),
        contentType: "text/markdown; charset=utf-8",
      };
    },
  }),
  route("whyNoReply", "GET /threads/:id/why", {
    summary:
      "Explain why the customer of a thread has no reply: what happened to the event, and which calls followed",
    success: { status: 200, schema: noReplySchema },
    handle: async ({ sandbox, run, services, params: { id } }) => {
      const thread = existing(run.shown().get("threads", id), "threads.notFound", { customerThreadId: id });
      return { body: await services.why(sandbox, thread) };
    },
  }),
  route("emitEvent", "POST /events", {
    summary:
      "Emit an event with the given fields, filling in missing ones from a thread, without changing the state; a message is from the customer unless `fromCustomer` is false",
    body: givenEventSchema,
    success: { status: 202, schema: object({ deliveries: array(string(), { description: "their ids" }) }) },
    handle: ({ run, body: { eventType, data, legacy }, cause }) => {
      if (legacy === true && eventType !== "message")
        throw unusable([
          { path: "legacy", message: "does not apply to transfers: legacy webhooks receive messages only" },
        ]);
      const { deliveryLog } = run.logs;
      const mark = deliveryLog.mark;
      run.transact({ ...cause(), ...omitUndefined({ legacy }) }, emitGiven, { eventType, data });
      return { body: { deliveries: [...deliveryLog.from(mark)].map((delivery) => delivery.id) } };
    },
  }),
];
