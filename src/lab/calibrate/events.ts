/** What deliveries show: the form of payloads, and what the service sends to whom. */

import { isObject } from "../../kernel/json.js";
import type { Schema } from "../../kernel/schema.js";
import { legacyPayloadSchema, messageEventSchema, transferEventSchema } from "../../service/domain/events.js";
import { formProblem, type Mismatch, mismatch } from "./judge.js";
import { MEMORY_MS, type Parties } from "./parties.js";
import type { Choices } from "./possible.js";
import type { Exchange, Trace } from "./trace.js";
import {
  endOf,
  eventIdOf,
  eventOf,
  isAccepted,
  SECONDS_BELOW,
  sentIn,
  shownIn,
  textOf,
  threadsIn,
} from "./trace.js";
import type { Webhooks } from "./webhooks.js";

const FORMS = {
  message: ["Events / Message event payload", messageEventSchema],
  transfer: ["Events / Transfer event payload", transferEventSchema],
  legacy: ["Events / Legacy delivery payload", legacyPayloadSchema],
} as const;

const SECOND_MS = 1_000;

export class Events {
  /** The first delivery of the message that a call wrote. */
  readonly #deliveries = new Map<Exchange, Exchange>();
  /** Customers who were made by the widget route. */
  readonly #newCustomers = new Set<string>();
  readonly #attempts = new Map<string, Exchange>();

  constructor(
    readonly trace: Trace,
    readonly parties: Parties,
    readonly webhooks: Webhooks,
  ) {
    for (const [delivery, cause] of parties.causes)
      if (!this.#deliveries.has(cause)) this.#deliveries.set(cause, delivery);
    this.#findNewCustomers();
  }

  /** The id of the message that a call wrote, if it was delivered. */
  messageIdOf(call: Exchange): string | undefined {
    const delivery = this.#deliveries.get(call);
    return delivery && textOf(eventOf(delivery).messageId);
  }

  #findNewCustomers(): void {
    const first = new Map<string, Exchange | undefined>();
    for (const exchange of this.trace) {
      const isCall = exchange.kind === "call";
      const id = isCall ? exchange.params.customerId : textOf(eventOf(exchange).customerId);
      if (id === undefined || (isCall && !isAccepted(exchange))) continue;
      if (!first.has(id)) first.set(id, this.parties.causes.get(exchange));
      const { displayName, firstName, lastName, company } = shownIn(exchange);
      const isUnnamed = [displayName, firstName, lastName, company].every(
        (name) => name === undefined || name === null || name === "",
      );
      const isRead = exchange.operation === "getCustomerProfile";
      if (isRead && isUnnamed && first.get(id)?.operation === "sendMessageToBusiness")
        this.#newCustomers.add(id);
    }
  }

  /** What of a delivery contradicts the specification, whatever the table says. */
  problem(delivery: Exchange): Mismatch | undefined {
    const kind = delivery.kind as keyof typeof FORMS;
    const [section, schema] = FORMS[kind];
    const found = formProblem(schema as Schema, tolerated(delivery), "body");
    return found === undefined ? this.#sendingProblem(delivery, section) : { ...found, section, reason: "" };
  }

  /** Whether it should not have come, or have come otherwise. */
  #sendingProblem(delivery: Exchange, section: string): Mismatch | undefined {
    const { kind, url, at, message } = delivery;
    const name = `${eventIdOf(delivery)} ${url}`;
    const before = this.#attempts.get(name);
    this.#attempts.set(name, delivery);
    if (
      kind === "legacy" &&
      before !== undefined &&
      before.message.status >= 300 &&
      at - before.at >= SECOND_MS
    )
      return mismatch("delivery", "one attempt", "another attempt", section);
    const begunAt = this.parties.happened(delivery).least;
    const hooks = this.webhooks.at(delivery);
    const known = hooks.filter((hook) => at - hook.at <= MEMORY_MS && hook.at < begunAt);
    if (hooks.length === 0 || known.length < hooks.length) return undefined;
    if (hooks.every(({ fields }) => fields.enabled === false))
      return mismatch(
        "delivery",
        "none: the webhook is disabled",
        message.request.value,
        "States and transitions / Webhook enabled flag",
      );
    if (kind === "transfer" && hooks.every(({ isLegacy }) => isLegacy))
      return mismatch("delivery", "none: legacy webhooks receive messages only", "transfer", FORMS.legacy[0]);
    const lists = hooks.map(({ fields }) =>
      Array.isArray(fields.extraHeaders) ? fields.extraHeaders.filter(isObject) : [],
    );
    const missing = lists.map((list) =>
      list.find((header) => !(String(header.name).toLowerCase() in message.headers)),
    );
    return missing.every((header) => header !== undefined)
      ? mismatch(
          `headers.${missing[0]?.name}`,
          missing[0]?.value,
          undefined,
          "Resources and their fields / Webhook",
        )
      : undefined;
  }

  /** How a delivery differs in one world. */
  mismatch(choices: Choices, delivery: Exchange): Mismatch | undefined {
    const { kind } = delivery;
    const event = eventOf(delivery);
    const wrong = (path: string, expected: unknown): Mismatch => {
      const reason = `the payload differs in ${path}, and no entry of the table explains it`;
      return mismatch(`body.${path}`, expected, event[path], undefined, reason);
    };
    if (kind === "transfer") {
      // A transfer that names somebody shows who it is.
      if (event.employeeUserId === 0) choices.pick("transfers.employee", ["zero"]);
      const isBusiness = event.businessParticipationId === event.newBusinessId;
      choices.pick("transfers.participation", [isBusiness ? "business" : "counter"]);
      return undefined;
    }
    const unit = choices.entry("timestamps.unit");
    for (const time of [event.messageTimestamp, sentIn(delivery).timestamp ?? event.messageTimestamp])
      if (Number(time) < SECONDS_BELOW !== (unit === "s")) return wrong("messageTimestamp", unit);
    if (event.invisible === true) choices.pick("events.internalMessages", ["deliver"]);
    const { messageAttachmentContentLength: length } = event;
    if (length !== null && length !== undefined)
      choices.pick("events.attachmentLength", [typeof length === "string" ? "string" : "integer"]);
    if (kind === "message" && this.#newCustomers.has(String(event.customerId)))
      choices.pick("customers.unknownType", [event.customerType]);
    if (kind !== "legacy") return undefined;
    const { employeeUserId, messageExternalId } = event;
    if (event.fromCustomer === true) {
      if (employeeUserId !== undefined && employeeUserId !== null && employeeUserId !== 0)
        return wrong("employeeUserId", 0);
      choices.pick("legacy.customerEmployeeUserId", [employeeUserId === undefined ? "omit" : employeeUserId]);
    }
    if (messageExternalId !== null && messageExternalId !== String(event.messageId))
      return wrong("messageExternalId", null);
    choices.pick("legacy.messageExternalId", [messageExternalId === null ? null : "messageId"]);
    return undefined;
  }

  /** Whether the internal message of a call had no delivery while all messages were delivered. */
  isHidden(call: Exchange): boolean {
    const [thread] = threadsIn(call);
    const isSent =
      call.operation === "sendMessageToCustomerThread" && isAccepted(call) && sentIn(call).internal === true;
    if (!isSent || thread === undefined || this.#deliveries.has(call)) return false;
    return this.parties.areDelivered(thread, call.at, endOf(call) + SECOND_MS);
  }
}

/** A payload with the table's other values of a field in place of the documented type. */
function tolerated(delivery: Exchange): unknown {
  const { kind, message } = delivery;
  const event = { ...eventOf(delivery) };
  if (typeof event.messageAttachmentContentLength === "string") event.messageAttachmentContentLength = 0;
  if (kind === "legacy" && event.fromCustomer === true) event.employeeUserId ??= 0;
  if (kind === "legacy") return event;
  return { ...(message.request.value as object), data: event };
}
