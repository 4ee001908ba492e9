import type { InferReadonly } from "../kernel/schema.js";
import {
  anyOf,
  array,
  boolean,
  number,
  object,
  optional,
  record,
  string,
  unknown,
} from "../kernel/schema.js";

const others = { additionalProperties: true };
const callsSchema = array(object({ id: string(), summary: string() }, others));

/** Of a report, what its readers cannot do without. */
const reportSchema = object(
  {
    name: string(),
    ok: boolean(),
    durationMs: number(),
    steps: array(
      object(
        {
          name: string(),
          ok: boolean(),
          place: object({ path: string() }, others),
          nearMisses: optional(callsSchema),
        },
        others,
      ),
    ),
    unexpected: callsSchema,
    transcript: optional(string()),
  },
  { ...others, description: "the report" },
);

export const scenarioRunSchema = object({
  scenario: anyOf([string(), record(unknown())], { description: "the scenario, as it was given" }),
  report: reportSchema,
});
/** A scenario that ran in a sandbox, and how it went. */
export type ScenarioRun = InferReadonly<typeof scenarioRunSchema>;
/** What became of a step. */
export type RanStep = ScenarioRun["report"]["steps"][number];
