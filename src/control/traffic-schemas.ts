/** What the routes about traffic answer, beside the records themselves. */
import { array, integer, object, optional, string, unknown } from "../kernel/schema.js";

export {
  controlRecordSchema,
  deliverySchema,
  faultRuleSchema,
  requestRecordSchema,
  warningSchema,
} from "../sandbox/traffic-schemas.js";

const differenceSchema = object({
  path: string(),
  expected: unknown(),
  seen: optional(unknown({ description: "left out where there is nothing" })),
});

/** Entries that are almost what was asked for, the nearest first. */
export const nearMissesSchema = array(
  object({ id: string(), entry: unknown(), differences: array(differenceSchema) }, { title: "near miss" }),
);

/** An answer to a `DELETE` of a whole list. */
export const clearedSchema = object({ cleared: integer({ description: "how many there were" }) });

export const evictedSchema = optional(
  integer({
    minimum: 1,
    description: "how many entries are gone that would have had to be seen: the log keeps a limited number",
  }),
);
