/** The logs, as lists and as a stream. */
import { BOUNDS } from "../../kernel/bounds.js";
import { PING_HEADER } from "../../kernel/http/target.js";
import { closedProblems, pathMatches } from "../../kernel/matching.js";
import { DELIVERY_STATUSES, EVENT_TYPES } from "../../kernel/names.js";
import { LimitReached } from "../../kernel/problems.js";
import { threadOfRequest } from "../../kernel/replies.js";
import type { InferReadonly, Schema } from "../../kernel/schema.js";
import { array, boolean, object, oneOf, optional, partial, string } from "../../kernel/schema.js";
import type { Delivery } from "../../sandbox/deliveries.js";
import { deliverySchema } from "../../sandbox/deliveries.js";
import {
  callMakerSchema,
  controlRecordSchema,
  requestRecordSchema,
  warningSchema,
} from "../../sandbox/journal.js";
import { REQUESTS } from "../../sandbox/match.js";
import type { Run } from "../../sandbox/run.js";
import { threadChangeSchema } from "../../sandbox/threads.js";
import type { OperationId } from "../../service/behaviour/entry.js";
import type { Webhook } from "../../service/world/records.js";
import { ControlError, existing, unusable } from "../errors.js";
import { EventStream } from "../event-feed.js";
import { clearedSchema, PAGE, pageOf } from "../inputs.js";
import { route } from "../route.js";

function webhookNamed({ world }: Run, name: string): Webhook {
  const found =
    world.get("webhooks", name) ?? [...world.all("webhooks")].find(({ hookId }) => hookId === name);
  return existing(found, "webhooks.notFound", { id: name });
}

const pingReportSchema = object({ ok: boolean(), message: string() });
/** What came of a ping to a webhook's receiver, in words. */
export type PingReport = InferReadonly<typeof pingReportSchema>;

export const TRAFFIC_ROUTES = [
  route("listRequests", "GET /requests", {
    summary: "List the calls to the simulated API, oldest first",
    query: object({
      ...partial({
        method: string() as Schema<string, "GET" | "POST">,
        path: string({
          maxLength: 1_024,
          description: "without the query; * and :name match one segment each",
        }),
        operation: string({ description: "the operation's id" }) as Schema<string, OperationId>,
        status: string({
          pattern: "^([1-5]\\d\\d|null)$",
          "x-form": "an HTTP status, or null for calls without a response",
        }),
        token: string({ description: "as sent, or its name in the fixture" }),
        by: callMakerSchema,
        threadId: string({ description: "the thread that it names or created" }),
      }),
      ...PAGE,
    }),
    success: { status: 200, schema: array(requestRecordSchema) },
    handle: ({ run, query }) => {
      const asked = { ...query, ...(query.method && { method: query.method.toUpperCase() }) };
      const { method, operation } = asked;
      const problems = closedProblems(REQUESTS.values, { method, operation }, []);
      if (problems.length > 0) throw unusable(problems);
      const body = pageOf(run.logs.journal, asked, {
        path: (entry, path) => pathMatches(path, entry.path),
        status: (entry, status) => String(entry.status) === status,
        token: (entry, token) => entry.token === token || entry.ownToken === token,
        threadId: (entry, thread) => threadOfRequest(entry) === thread,
      });
      return { body };
    },
  }),
  route("clearRequests", "DELETE /requests", {
    summary: "Clear the journal; ids continue",
    success: { status: 200, schema: clearedSchema },
    handle: ({ run }) => ({ body: { cleared: run.logs.clear("requests") } }),
  }),
  route("listDeliveries", "GET /deliveries", {
    summary: "List the deliveries of events to webhooks, with their outcome, oldest first",
    query: object({
      webhookId: optional(string({ description: "the webhook's id or its hookId" })),
      eventType: optional(oneOf(EVENT_TYPES)),
      status: optional(oneOf(DELIVERY_STATUSES)),
      threadId: optional(string()),
      ...PAGE,
    }),
    success: { status: 200, schema: array(deliverySchema) },
    handle: ({ run, query }) => {
      const isOfWebhook = ({ webhookId, hookId }: Delivery, id: string) => webhookId === id || hookId === id;
      return { body: pageOf(run.logs.deliveryLog, query, { webhookId: isOfWebhook }) };
    },
  }),
  route("replayDelivery", "POST /deliveries/:id/replay", {
    summary: "Send a new delivery with the same body",
    success: { status: 202, schema: deliverySchema },
    handle: ({ run, params: { id }, services, cause }) => {
      const delivery = existing(run.logs.deliveryLog.get(id), "deliveries.notFound", { id });
      return {
        body: services.delivery.replay(run, webhookNamed(run, delivery.webhookId), delivery, cause()),
      };
    },
  }),
  route("pingWebhook", "POST /webhooks/:hookId/ping", {
    summary: "Call a webhook's receiver once and diagnose problems",
    success: { status: 200, schema: pingReportSchema },
    recorded: false,
    handle: async ({ run, params, services, request }) => {
      const webhook = webhookNamed(run, params.hookId);
      if (PING_HEADER in request.headers) throw new ControlError("webhooks.circle");
      return { body: await services.delivery.ping(run, webhook) };
    },
  }),
  route("listControls", "GET /controls", {
    summary: "List the control calls that changed something since the start, oldest first",
    query: object(PAGE),
    success: { status: 200, schema: array(controlRecordSchema) },
    handle: ({ run, query }) => ({ body: pageOf(run.logs.controls, query) }),
  }),
  route("listChanges", "GET /changes", {
    summary:
      "List changes of threads' status, business and messaging window, with their causes, oldest first",
    query: object(PAGE),
    success: { status: 200, schema: array(threadChangeSchema) },
    handle: ({ run, query }) => ({ body: pageOf(run.logs.changes, query) }),
  }),
  route("listWarnings", "GET /warnings", {
    summary: "List the warnings: calls that rely on undocumented behaviour, oldest first",
    query: object(PAGE),
    success: { status: 200, schema: array(warningSchema) },
    handle: ({ run, query }) => ({ body: pageOf(run.logs.warnings, query) }),
  }),
  route("clearWarnings", "DELETE /warnings", {
    summary: "Clear the warnings; ids continue",
    success: { status: 200, schema: clearedSchema },
    handle: ({ run }) => ({ body: { cleared: run.logs.clear("warnings") } }),
  }),
  route("stream", "GET /stream", {
    summary: "Stream everything that happens as server-sent events",
    success: {
      status: 200,
      contentType: "text/event-stream",
      schema: string({
        description:
          "events, each with JSON data: hello { sandbox, run } first; request, delivery, warning, control and change " +
          "with the record as in the lists, sent again whenever it changes; state { changes: [{ collection, id, before, after, causedBy }] }, " +
          "or { all: true } if there are too many changes, in which case events may be omitted; faults { rules } with all of them; " +
          "clock { now, frozen }; cleared { log: requests or warnings }; step with the report of each finished step of a posted scenario; " +
          "ran with its report when the scenario has finished; sandboxes {} when a sandbox is created or deleted; moved {} at the end, " +
          "when another process takes the sandbox; reset { run }: run changes with each reset, and ids start again",
      }),
    },
    handle: ({ sandbox, services: { feedOf } }) => {
      const { limit } = BOUNDS.streams;
      if (sandbox.streams.count >= limit) throw new LimitReached("streams", limit);
      return { write: (response) => void new EventStream(feedOf(sandbox), response) };
    },
  }),
];
