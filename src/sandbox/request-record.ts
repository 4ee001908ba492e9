/** A call to the simulated API as it is shown, with the warnings that it led to. */
import { keysOf } from "../kernel/keys.js";
import type { InferReadonly } from "../kernel/schema.js";
import {
  array,
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

const CALL_MAKERS = ["client", "scenario"] as const;
/** Who made a call: the system under test, or a scenario's own step. */
export type CallMaker = (typeof CALL_MAKERS)[number];
export const callMakerSchema = oneOf(CALL_MAKERS);

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
/** A contract warning: the call went beyond what the specification promises (contract section 7). */
export type Warning = InferReadonly<typeof warningSchema>;

const fields = {
  id: string({ examples: ["r1"] }),
  at: integer({ description: "the world's time of receipt, ms" }),
  by: callMakerSchema,
  method: string(),
  path: string({ description: "without the query" }),
  query: record(string()),
  headers: record(string()),
  body: unknown({ description: "the parsed body; the text of one that is no JSON; null for none" }),
  operation: nullable(string({ description: "null for a path or method that is none" })),
  token: nullable(string({ description: "as it was sent" })),
  status: nullable(
    integer({ description: "null while there is no answer, and for good when there was none" }),
  ),
  lostStatus: optional(
    integer({ description: "the status of the answer that a fault has lost after the state change" }),
  ),
  response: unknown(),
  durationMs: nullable(number({ description: "real time; null while the call is on its way" })),
  fault: optional(string({ description: "the rule that fired on it", examples: ["f1"] })),
  warnings: array(warningSchema),
};

/** The fields of a record, in the order in which they are shown. */
export const REQUEST_FIELDS = keysOf(fields);
export const requestRecordSchema = object(fields, { title: "request" });
/** A call as `GET /__sim/requests` shows it. */
export type RequestRecord = InferReadonly<typeof requestRecordSchema>;

/** Whether a call was carried out: a success, also one whose answer was lost. */
export const hasSucceeded = ({
  status,
  lostStatus,
}: Pick<RequestRecord, "status" | "lostStatus">): boolean => {
  const told = status ?? lostStatus ?? 0;
  return told >= 200 && told < 300;
};
