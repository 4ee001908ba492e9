import { pathMatches } from "../../kernel/matching.js";
import { array, boolean, object, oneOf, optional, string } from "../../kernel/schema.js";
import { DELIVERY_STATUSES } from "../../sandbox/deliveries.js";
import type { Log } from "../../sandbox/log.js";
import { maskedDelivery, maskedRequest } from "../../sandbox/masking.js";
import type { Run } from "../../sandbox/run.js";
import type { Webhook } from "../../world/records.js";
import { notFound, unusable } from "../errors.js";
import type { ControlRoute } from "../route.js";
import { route } from "../route.js";
import {
  clearedSchema,
  controlRecordSchema,
  deliverySchema,
  requestRecordSchema,
  warningSchema,
} from "../traffic-schemas.js";

const PAGE = {
  since: optional(string({ description: "the id after which to start" })),
  limit: optional(
    string({
      pattern: "^[1-9]\\d{0,8}$",
      "x-form": "a positive number",
      description: "at most this many: the first ones after `since`, without it the newest",
    }),
  ),
};
const mask = optional(
  oneOf(["true", "false"], { description: "true: *** in place of tokens and of secrets in headers" }),
);

interface Page {
  readonly since?: string;
  readonly limit?: string;
}

/** The entries that a list route shows, oldest first. */
function listed<E extends { readonly id: string }>(
  log: Log<E>,
  { since, limit }: Page,
  fits: (entry: E) => boolean,
): E[] {
  const most = limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  const entries: E[] = [];
  for (const entry of log.from(startOf(log, since))) {
    if (!fits(entry)) continue;
    entries.push(entry);
    if (since !== undefined && entries.length === most) break;
  }
  return since === undefined && entries.length > most ? entries.slice(-most) : entries;
}

function startOf<E extends { readonly id: string }>(log: Log<E>, since: string | undefined): number {
  if (since === undefined) return 0;
  const position = log.positionOf(since);
  if (position < log.mark) return position + 1;
  throw unusable([{ path: "since", message: `must be the id of an entry, but is "${since}"` }]);
}

const cleared = <E extends { readonly id: string }>(log: Log<E>) => {
  const { size } = log;
  log.clear();
  return { body: { cleared: size } };
};

/** The webhook with this id, else the first of any organization with this hookId. */
function webhookNamed({ world }: Run, name: string): Webhook {
  const byId = world.get("webhooks", name);
  if (byId !== undefined) return byId;
  for (const webhook of world.all("webhooks")) if (webhook.hookId === name) return webhook;
  throw notFound("webhook", name);
}

const requests = route({
  id: "list-requests",
  method: "GET",
  path: "/requests",
  scope: "sandbox",
  summary: "The journal of calls to the simulated API, oldest first",
  query: object({
    method: optional(string()),
    path: optional(string({ description: "without the query; * and :name stand for one segment each" })),
    operation: optional(string()),
    status: optional(
      string({
        pattern: "^([1-5]\\d\\d|null)$",
        "x-form": "an HTTP status, or null for calls without an answer",
      }),
    ),
    token: optional(string({ description: "as it was sent, or as the sandbox's own state has it" })),
    by: optional(oneOf(["client", "scenario"])),
    mask,
    ...PAGE,
  }),
  success: { status: 200, schema: array(requestRecordSchema) },
  handle: ({ run, query }) => {
    const { method, path, operation, status, token, by } = query;
    const entries = listed(
      run.journal,
      query,
      (entry) =>
        (method === undefined || entry.method === method.toUpperCase()) &&
        (path === undefined || pathMatches(path, entry.path)) &&
        (operation === undefined || entry.operation === operation) &&
        (status === undefined || String(entry.status) === status) &&
        (token === undefined || entry.token === token || entry.ownToken === token) &&
        (by === undefined || entry.by === by),
    );
    return { body: query.mask === "true" ? entries.map((entry) => maskedRequest(entry.toJSON())) : entries };
  },
});

const deliveries = route({
  id: "list-deliveries",
  method: "GET",
  path: "/deliveries",
  scope: "sandbox",
  summary: "Events on their way to webhooks and what became of them, oldest first",
  query: object({
    webhookId: optional(string({ description: "the webhook's id or its hookId" })),
    eventType: optional(oneOf(["message", "transfer"])),
    status: optional(oneOf(DELIVERY_STATUSES)),
    threadId: optional(string()),
    mask,
    ...PAGE,
  }),
  success: { status: 200, schema: array(deliverySchema) },
  handle: ({ run, query }) => {
    const { webhookId, eventType, status, threadId } = query;
    const entries = listed(
      run.deliveries,
      query,
      (delivery) =>
        (webhookId === undefined || delivery.webhookId === webhookId || delivery.hookId === webhookId) &&
        (eventType === undefined || delivery.eventType === eventType) &&
        (status === undefined || delivery.status === status) &&
        (threadId === undefined || delivery.threadId === threadId),
    );
    return { body: query.mask === "true" ? entries.map(maskedDelivery) : entries };
  },
});

const pingSchema = object({
  ok: boolean(),
  message: string(),
  steps: array(object({ step: string(), ok: boolean(), message: string() })),
});

export const TRAFFIC_ROUTES: readonly ControlRoute[] = [
  requests,
  route({
    id: "clear-requests",
    method: "DELETE",
    path: "/requests",
    scope: "sandbox",
    summary: "Forget the journal; ids go on",
    success: { status: 200, schema: clearedSchema },
    handle: ({ run }) => cleared(run.journal),
  }),
  deliveries,
  route({
    id: "replay-delivery",
    method: "POST",
    path: "/deliveries/:id/replay",
    scope: "sandbox",
    summary: "Send the same body again, as a delivery of its own",
    success: { status: 202, schema: deliverySchema },
    refusals: { 404: "there is no such delivery" },
    handle: ({ run, params, services, cause }) => {
      const delivery = run.deliveries.get(params.id);
      if (delivery === undefined) throw notFound("delivery", params.id);
      return { body: services.delivery.replay(run, delivery, cause().id as string) };
    },
  }),
  route({
    id: "ping-webhook",
    method: "POST",
    path: "/webhooks/:hookId/ping",
    scope: "sandbox",
    summary: "Try a webhook's receiver once and say what stands in the way",
    success: { status: 200, schema: pingSchema },
    refusals: { 404: "there is no such webhook" },
    handle: async ({ run, params, services }) => ({
      body: await services.delivery.ping(run, webhookNamed(run, params.hookId)),
    }),
  }),
  route({
    id: "list-controls",
    method: "GET",
    path: "/controls",
    scope: "sandbox",
    summary: "Control calls that changed something since the start, oldest first",
    query: object(PAGE),
    success: { status: 200, schema: array(controlRecordSchema) },
    handle: ({ run, query }) => ({ body: listed(run.controls, query, () => true) }),
  }),
  route({
    id: "list-warnings",
    method: "GET",
    path: "/warnings",
    scope: "sandbox",
    summary: "Where calls went beyond what the specification promises, oldest first",
    query: object({ code: optional(string()), requestId: optional(string()), ...PAGE }),
    success: { status: 200, schema: array(warningSchema) },
    handle: ({ run, query }) => {
      const { code, requestId } = query;
      const fits = (warning: { code: string; requestId: string | null }) =>
        (code === undefined || warning.code === code) &&
        (requestId === undefined || warning.requestId === requestId);
      return { body: listed(run.warnings, query, fits) };
    },
  }),
  route({
    id: "clear-warnings",
    method: "DELETE",
    path: "/warnings",
    scope: "sandbox",
    summary: "Forget the warnings; ids go on",
    success: { status: 200, schema: clearedSchema },
    handle: ({ run }) => cleared(run.warnings),
  }),
];
