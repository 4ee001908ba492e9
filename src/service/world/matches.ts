/** The fields of a MATCH over calls, deliveries or replies, used by server, client and scenarios. */
import type { Keywords } from "../../kernel/schema.js";
import { anyOf, array, object, optional, string, unknown } from "../../kernel/schema.js";

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

// A reply is compared with every message, so its texts are limited.
const text = (description?: string) => string({ maxLength: 65_536, ...(description && { description }) });
const texts = (keywords: Keywords = {}) => array(text(), { minItems: 1, maxItems: 1000, ...keywords });

/** What a reply must be like: all given fields must hold. */
export const REPLY_MATCH = {
  text: optional(text("the whole text")),
  contains: optional(text("a part of the text")),
  matches: optional(text("a case-insensitive regular expression in RE2's syntax that the text matches")),
  oneOf: optional(texts({ description: "the whole text is one of these" })),
  not: optional(anyOf([text(), texts()], { description: "text that must not occur" })),
  template: optional(
    string({
      minLength: 1,
      maxLength: 1024,
      description: "the title or contentSid of the template that must be sent",
    }),
  ),
};

/** MATCH over calls to the simulated API: every field a value or an operator. */
export const requestMatchSchema = object(REQUEST_MATCH, { title: "request match" });
export const deliveryMatchSchema = object(DELIVERY_MATCH, { title: "delivery match" });
