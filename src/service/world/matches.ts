/** The fields of a MATCH over calls or deliveries, used by server, client and scenarios. */
import { object, optional, unknown } from "../../kernel/schema.js";

const pattern = (description: string) => optional(unknown({ description }));

export const REQUEST_MATCH = {
  method: pattern("such as POST"),
  path: pattern(
    "without the query; * and :name match one segment each, a final ** matches the rest of the path",
  ),
  operation: pattern("the operation's id; null for a path that is none"),
  token: pattern("the token as it was sent, or as the fixture has it"),
  status: pattern("the status of the answer; null while there is none"),
  succeeded: pattern("whether it was carried out: a success, also one whose answer a fault has lost"),
  body: pattern("the parsed body"),
  by: pattern("client or scenario: who made the call"),
};

export const DELIVERY_MATCH = {
  eventType: pattern("message or transfer"),
  webhookId: pattern("the webhook's id or its hookId"),
  hookId: pattern("the webhook's hookId"),
  threadId: pattern("the thread that the event is about"),
  status: pattern("pending, delivered, failed, dropped or blocked"),
  causedBy: pattern("the call of the simulated API (r…) or of the control API (c…) that it comes from"),
  body: pattern("the payload"),
};

/** MATCH over calls to the simulated API: every field a value or an operator. */
export const requestMatchSchema = object(REQUEST_MATCH, { title: "request match" });
export const deliveryMatchSchema = object(DELIVERY_MATCH, { title: "delivery match" });
