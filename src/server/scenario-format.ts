import type { FaultInput } from "../sandbox/faults.js";
import { faultSchema, problemsOf } from "../sandbox/faults.js";
import { DELIVERY_VALUES, RECORD_VALUES, REQUEST_VALUES } from "../sandbox/match.js";
import { ScenarioFormat } from "../scenarios/format.js";
import { behaviourSchema } from "../service/behaviour/table.js";
import { knownNames } from "./known-names.js";

/** The scenario format with the simulator's own schemas, names and checks in it. */
export const scenarioFormat = (): ScenarioFormat =>
  new ScenarioFormat({
    schemas: { fault: faultSchema, behaviour: behaviourSchema },
    known: {
      // Only a rule that fits the schema of faults is checked further.
      faultProblems: (rule, isLater) => problemsOf(rule as unknown as FaultInput, isLater),
      request: REQUEST_VALUES,
      delivery: DELIVERY_VALUES,
      records: RECORD_VALUES,
      names: knownNames(),
    },
  });
