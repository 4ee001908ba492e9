/** The fields of a MATCH over calls or deliveries, used by server, client and scenarios. */
import { object, optional, unknown } from "../../kernel/schema.js";

const pattern = (description: string) => optional(unknown({ description }));

export const REQUEST_MATCH = {
  method: pattern("such as POST"),
  path: pattern(
    "without the query; * and :name match one segment each, a final ** matches the rest of the path",
  ),
  operation: pattern("the operation's id; null for an unknown path"),
  token: pattern("the token as sent, or its name in the fixture"),
  status: pattern("the status of the response; null while there is none"),
  succeeded: pattern("true if it took effect, even if a fault lost the response"),
  body: pattern("the parsed body"),
  by: pattern("the caller: client or scenario"),
};

export const DELIVERY_MATCH = {
  eventType: pattern("message or transfer"),
  webhookId: pattern("the webhook's id or its hookId"),
  hookId: pattern("the webhook's hookId"),
  threadId: pattern("the event's thread"),
  status: pattern("pending, delivered, failed, dropped or blocked"),
  causedBy: pattern("the call that caused it, to the simulated API (r…) or the control API (c…)"),
  body: pattern("the payload"),
};

/** MATCH over calls to the simulated API: every field a value or an operator. */
export const requestMatchSchema = object(REQUEST_MATCH, { title: "request match" });
export const deliveryMatchSchema = object(DELIVERY_MATCH, { title: "delivery match" });
