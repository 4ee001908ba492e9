/** What several routes about traffic answer. */
import { array, integer, object, optional, string, unknown } from "../kernel/schema.js";

const differenceSchema = object({
  path: string({ description: "where in the entry, such as body.text" }),
  expected: unknown({ description: "the value or the condition that was asked for" }),
  seen: optional(unknown({ description: "left out where there is nothing" })),
});

/** Entries that are almost what was asked for, the nearest first. */
export const nearMissesSchema = array(
  object(
    {
      id: string(),
      entry: unknown({ description: "the call, the delivery or the record" }),
      differences: array(differenceSchema, { description: "every place where it is not what was asked for" }),
    },
    { title: "near miss" },
  ),
  { description: "what comes nearest to what was asked for, the nearest first" },
);

/** An answer to a `DELETE` of a whole list. */
export const clearedSchema = object({ cleared: integer({ description: "how many there were" }) });

export const evictedSchema = optional(
  integer({
    minimum: 1,
    description: "how many entries are gone that would have had to be seen: the log keeps a limited number",
  }),
);
