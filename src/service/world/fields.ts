/** Fields of records that calls have in the same form. */

import type { Keywords } from "../../kernel/schema.js";
import { integer, object, string } from "../../kernel/schema.js";

export const CHANNELS = ["WHATSAPP", "SMS", "EMAIL"] as const;

/** A channel: a usual one, or another in the same form. */
export const channel = () =>
  string({
    pattern: "^[A-Z][A-Z0-9_]*$",
    "x-form": "a channel in upper case (such as WHATSAPP)",
    examples: CHANNELS,
  });

/** A name and a value: customer data and extra headers. */
export const nameValueSchema = object({ name: string({ minLength: 1 }), value: string() });

export const headerName = (keywords: Keywords = {}) =>
  string({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", "x-form": "a header name", ...keywords });

/** A header that can be sent as it is: a token, and text without line breaks. */
export const headerSchema = object({
  name: headerName(),
  value: string({ pattern: "^[\\t\\x20-\\x7e\\x80-\\xff]*$", "x-form": "Latin-1 text without line breaks" }),
});

export const attachmentSchema = object({
  uuid: string({ minLength: 1 }),
  contentType: string({ minLength: 1 }),
  name: string({ minLength: 1 }),
  contentLength: integer({ minimum: 0 }),
});

export const webhookUrl = () =>
  string({
    format: "webhook-url",
    description: "an http(s) URL, or sink:NAME for the simulator's own sink",
  });
