/** What the fields of matches can be at all: a match that asks for something else would never come true. */
import { METHODS } from "node:http";
import { OPERATION_IDS } from "../behaviour/operation-ids.js";
import type { ClosedFields } from "../kernel/closed-values.js";
import type { Schema } from "../kernel/schema.js";
import { RECORD_SCHEMAS } from "../world/records.js";
import { DELIVERY_STATUSES } from "./deliveries.js";

const isHttpStatus = (value: unknown): boolean =>
  value === null || (typeof value === "number" && Number.isInteger(value) && value >= 100 && value <= 599);

/** The types of events. */
export const EVENT_TYPES = ["message", "transfer"] as const;

/** Of a call to the simulated API. */
export const REQUEST_VALUES = {
  method: { what: "method", values: METHODS },
  operation: { what: "operation", values: [...OPERATION_IDS, null] },
  status: { what: "status", form: "an HTTP status (100 to 599) or null", accepts: isHttpStatus },
  succeeded: { what: "outcome", form: "true or false", accepts: (value) => typeof value === "boolean" },
  by: { what: "maker of a call", values: ["client", "scenario"] },
} as const satisfies ClosedFields;

/** Of a delivery. */
export const DELIVERY_VALUES = {
  eventType: { what: "event type", values: EVENT_TYPES },
  status: { what: "status", values: DELIVERY_STATUSES },
} as const satisfies ClosedFields;

const isText = (value: unknown): value is string => typeof value === "string";

/** What is known of the records of a collection. */
interface RecordValues {
  readonly fields: readonly string[];
  /** Those of what stands in its fields too, of any depth. */
  readonly names: readonly string[];
  /** Those whose values come from a closed set. */
  readonly closed: ClosedFields;
}

/** By collection. */
export const RECORD_VALUES: Readonly<Record<string, RecordValues>> = Object.fromEntries(
  Object.entries(RECORD_SCHEMAS).map(([collection, schema]) => [collection, valuesOf(schema)]),
);

function valuesOf({ properties = {} }: Schema): RecordValues {
  const closed = Object.entries(properties).flatMap(([field, { enum: values }]) =>
    values === undefined ? [] : [[field, { what: field, values: values.filter(isText) }] as const],
  );
  const names = Object.values(properties).flatMap(namesIn);
  const fields = Object.keys(properties);
  return { fields, names: [...fields, ...names], closed: Object.fromEntries(closed) };
}

/** The names of all fields in a schema, of any depth. */
function namesIn({ properties = {}, items, anyOf = [] }: Schema): string[] {
  const inner = [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])];
  return [...Object.keys(properties), ...inner.flatMap(namesIn)];
}
