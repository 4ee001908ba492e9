import { EVENT_TYPES } from "../../domain/events.js";
import { emitGiven } from "../../domain/given-events.js";
import { customerWrites, employeeWrites } from "../../domain/messages.js";
import { transferThread } from "../../domain/threads.js";
import { moveWindow } from "../../domain/windows.js";
import { sendText } from "../../http/exchange.js";
import type { Schema } from "../../kernel/schema.js";
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
import { attachmentSchema, RECORD_SCHEMAS } from "../../world/records.js";
import { notFound, unusable } from "../errors.js";
import type { ControlRoute } from "../route.js";
import { route } from "../route.js";
import { deliverySchema } from "../traffic-schemas.js";
import { MESSAGE_KINDS, transcriptOf, transcriptText } from "../transcript.js";

const { messages: messageSchema, threads: threadSchema } = RECORD_SCHEMAS;
const id = () => string({ minLength: 1 });

const transcriptSchema = array(
  object({
    ...(messageSchema.properties as Record<string, Schema>),
    author: string({ description: "the name of whoever wrote it" }),
    at: string({ format: "date-time" }),
    kind: oneOf(MESSAGE_KINDS),
    deliveries: array(deliverySchema, { description: "where the message's event went" }),
  }),
);

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
          description: "the thread that missing fields are taken from; left out: the first thread",
        }),
      ),
    },
    { additionalProperties: true, description: "fields of the payload's data, sent as they are given" },
  ),
  legacy: optional(boolean({ description: "to legacy webhooks only, or to all others; left out: to both" })),
});

export const THREADS_ROUTES: readonly ControlRoute[] = [
  route({
    id: "customerWrites",
    method: "POST",
    path: "/threads/:id/inbound",
    scope: "sandbox",
    summary: "The customer writes: text, an attachment, or both",
    body: inboundSchema,
    success: { status: 201, schema: messageSchema },
    handle: ({ run, params, body, cause }) => ({
      body: run.transact(cause(), customerWrites, { threadId: params.id, ...body }),
    }),
  }),
  route({
    id: "employeeWrites",
    method: "POST",
    path: "/threads/:id/employee-message",
    scope: "sandbox",
    summary: "An employee writes in the service's own app",
    body: object({ userId: id(), text: string({ minLength: 1 }), internal: optional(boolean()) }),
    success: { status: 201, schema: messageSchema },
    refusals: { 409: "The employee may not access the thread, or its messaging window is closed" },
    handle: ({ run, params, body, cause }) => ({
      body: run.transact(cause(), employeeWrites, { threadId: params.id, ...body }),
    }),
  }),
  route({
    id: "moveWindow",
    method: "POST",
    path: "/threads/:id/window",
    scope: "sandbox",
    summary: "Open or close the messaging window",
    body: object({ open: boolean() }),
    success: { status: 200, schema: threadSchema },
    refusals: { 409: "The thread's channel has no messaging window" },
    handle: ({ run, params, body, cause }) => ({
      body: run
        .shown()
        .show("threads", run.transact(cause(), moveWindow, { threadId: params.id, open: body.open })),
    }),
  }),
  route({
    id: "transferThread",
    method: "POST",
    path: "/threads/:id/transfer",
    scope: "sandbox",
    summary: "Reassign the conversation to another business of the organization",
    body: object({ businessId: id(), employeeUserId: optional(id()) }),
    success: { status: 200, schema: threadSchema },
    refusals: { 409: "The thread cannot go to this business" },
    handle: ({ run, params, body, cause }) => ({
      body: run
        .shown()
        .show("threads", run.transact(cause(), transferThread, { threadId: params.id, ...body })),
    }),
  }),
  route({
    id: "transcript",
    method: "GET",
    path: "/threads/:id/transcript",
    scope: "sandbox",
    summary: "The conversation as people would read it: as JSON, or with format=md as Markdown",
    query: object({ format: withDefault(oneOf(["json", "md"]), "json") }),
    success: { status: 200, schema: transcriptSchema },
    handle: ({ run, params, query, response }) => {
      const thread = run.shown().get("threads", params.id);
      if (thread === undefined) throw notFound("thread", params.id);
      if (query.format === "json") return { body: transcriptOf(run, thread) };
      return sendText(response, 200, "text/markdown; charset=utf-8", transcriptText(run, thread));
    },
  }),
  route({
    id: "emitEvent",
    method: "POST",
    path: "/events",
    scope: "sandbox",
    summary: "Emit an event as given, missing fields filled in from a thread, without touching state",
    body: givenEventSchema,
    success: { status: 202, schema: object({ deliveries: array(string(), { description: "their ids" }) }) },
    refusals: { 409: "There is no thread to take the missing fields from" },
    handle: ({ run, body: { eventType, data, legacy }, cause }) => {
      if (legacy === true && eventType !== "message")
        throw unusable([{ path: "legacy", message: "fits no transfer: legacy webhooks get messages only" }]);
      const { deliveries } = run;
      const mark = deliveries.mark;
      const origin = legacy === undefined ? cause() : { ...cause(), legacy };
      run.transact(origin, emitGiven, { eventType, data });
      return { body: { deliveries: [...deliveries.from(mark)].map((delivery) => delivery.id) } };
    },
  }),
];
