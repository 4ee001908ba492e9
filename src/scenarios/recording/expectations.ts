/** What the system under test did, and what it was told, as expectations. */
import { payloadOf } from "../../client/log-entries.js";
import type { DeliveryRecord, RequestRecord, Template } from "../../client/types.js";
import { isObject, valueAt } from "../../kernel/json.js";
import type { Draft, References } from "./references.js";
import { stable, UNSTABLE } from "./references.js";

/** The expectation of a call by the system under test: a `reply` for visible messages. */
export function callStep(
  request: RequestRecord,
  references: References,
  templates: readonly Template[],
): Draft {
  const { operation, method, path, body, response } = request;
  const status = request.status ?? request.lostStatus ?? null;
  const isVisible =
    operation === "sendMessageToCustomerThread" &&
    status !== null &&
    status < 300 &&
    valueAt(body, ["internal"]) !== true;
  const sent = isObject(body) && Object.keys(body).length > 0 ? stable(body, references) : UNSTABLE;
  const match = {
    ...(operation === null ? { method, path: references.path(path) } : { operation }),
    ...(sent !== UNSTABLE && { body: sent }),
    status: request.status,
  };
  const draft: Draft = isVisible
    ? { noun: "reply", step: { reply: replyOf(body, references, templates) } }
    : { noun: "call", step: { expect: { request: match } } };
  references.add(draft, response, ["response"]);
  return draft;
}

/** The thread of a step, unless it is the scenario's. */
const threadKey = (thread: string | number, references: References): { readonly thread?: string } =>
  String(thread) === references.thread
    ? {}
    : { thread: references.placeholder(thread) ?? references.id(String(thread)) };

function replyOf(body: unknown, references: References, templates: readonly Template[]): unknown {
  const where = threadKey(valueAt(body, ["customerThreadId"]) as string | number, references);
  const sid = valueAt(body, ["contentSid"]);
  if (typeof sid === "string") {
    const title = templates.find(({ id }) => id === sid)?.title;
    return { ...where, template: references.text(title ?? sid) };
  }
  const text = references.text(String(valueAt(body, ["text"]) ?? ""));
  return where.thread === undefined && text !== "" ? text : { ...where, text };
}

/** The field that tells payloads of an event type apart. */
const SUBJECTS = { message: "messageBody", transfer: "newBusinessId" } as const;

/** The step that waits for a delivery. Those with the same subject come in order. */
export function deliveryStep(delivery: DeliveryRecord, references: References): Draft {
  const { eventType, legacy } = delivery;
  const subject = SUBJECTS[eventType];
  const data = stable({ [subject]: payloadOf(delivery)[subject] }, references);
  const isPlain = !isObject(data) || Object.keys(data).length === 0;
  const match = { eventType, body: legacy ? data : { data } };
  const draft: Draft = { noun: eventType, step: { delivered: isPlain ? eventType : match } };
  for (const field of ["body", "webhookId", "hookId", "id"] as const)
    references.add(draft, delivery[field], [field]);
  return draft;
}
