/** The records of a sandbox's logs and its fault rules, as they are shown: each described once. */
import { propertiesOf } from "../http/openapi.js";
import {
  array,
  boolean,
  integer,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
  unknown,
} from "../kernel/schema.js";
import { DELIVERY_STATUSES } from "./deliveries.js";
import { FAULT_PRESET_NAMES, faultEffectSchema, faultSchema } from "./fault-rules.js";

const instant = (description = "the world's time, ms") => integer({ description });
const headers = () => record(string());

export const warningSchema = object(
  {
    id: string({ examples: ["w1"] }),
    code: string({ examples: ["number-id"] }),
    message: string(),
    section: string({ description: "the section of the specification that the call went beyond" }),
    requestId: nullable(string({ description: "the journal entry" })),
  },
  { title: "contract warning" },
);

export const requestRecordSchema = object(
  {
    id: string({ examples: ["r1"] }),
    at: instant("the world's time of receipt, ms"),
    by: oneOf(["client", "scenario"]),
    method: string(),
    path: string({ description: "without the query" }),
    query: record(string()),
    headers: headers(),
    body: unknown({ description: "the parsed body; the text of one that is no JSON; null for none" }),
    operation: nullable(string({ description: "null for a path or method that is none" })),
    token: nullable(string({ description: "as it was sent" })),
    status: nullable(
      integer({ description: "null while there is no answer, and for good when there was none" }),
    ),
    response: unknown(),
    durationMs: nullable(number({ description: "real time; null while the call is on its way" })),
    warnings: array(warningSchema),
  },
  { title: "request" },
);

export const controlRecordSchema = object(
  {
    id: string({ examples: ["c1"] }),
    at: instant("the world's time of receipt, ms"),
    method: string(),
    path: string({ description: "below /__sim, without the sandbox and the query" }),
    query: record(string()),
    body: unknown({ description: "null for none, and for one that was too large to be kept" }),
    status: integer(),
    response: unknown({ description: "null where it only repeats what was sent or all that there is" }),
    after: nullable(string({ description: "the newest journal entry on receipt" })),
  },
  { title: "control call" },
);

const attemptSchema = object(
  {
    at: instant(),
    status: nullable(integer()),
    durationMs: number(),
    error: nullable(string()),
    responseBody: nullable(string()),
  },
  { title: "attempt" },
);

export const deliverySchema = object(
  {
    id: string({ examples: ["d1"] }),
    causedBy: nullable(string({ description: "the journal entry (r…) or control call (c…) it comes from" })),
    webhookId: string(),
    hookId: string(),
    threadId: string(),
    url: string(),
    eventType: oneOf(["message", "transfer"]),
    legacy: boolean(),
    body: record(unknown(), { description: "the payload" }),
    headers: headers(),
    omittedHeaders: array(string(), {
      description:
        "extraHeaders that the attempts go without: those that HTTP lets no sender choose, and Host to the simulator's own sinks",
    }),
    status: oneOf(DELIVERY_STATUSES),
    reason: nullable(string({ description: "why it is blocked or dropped" })),
    attempts: array(attemptSchema),
    nextAttemptAt: nullable(instant("the world's time of the next attempt, ms")),
  },
  { title: "delivery" },
);

const { on, then: _, ...conditions } = propertiesOf(faultSchema);

export const faultRuleSchema = object(
  {
    id: string({ examples: ["f1"] }),
    on: on ?? {},
    ...Object.fromEntries(Object.entries(conditions).map(([name, schema]) => [name, optional(schema)])),
    preset: optional(oneOf(FAULT_PRESET_NAMES)),
    then: faultEffectSchema,
    seen: integer({ description: "how many calls or deliveries it fitted" }),
    fired: integer(),
  },
  { title: "fault rule" },
);
