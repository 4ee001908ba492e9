import { OPERATIONS } from "../api/operations/index.js";
import { isObject } from "../kernel/json.js";
import { type FaultInput, faultSchema, problemsOf } from "../sandbox/faults.js";
import { DELIVERIES, RECORD_VALUES, REQUESTS } from "../sandbox/match.js";
import { ScenarioFormat } from "../scenarios/format.js";
import { behaviourSchema } from "../service/behaviour/table.js";
import { legacyPayloadSchema, messageEventSchema, transferEventSchema } from "../service/domain/events.js";

/** The scenario format, completed with the simulator's own schemas, names and checks. */
export const scenarioFormat = (): ScenarioFormat =>
  new ScenarioFormat({
    schemas: { fault: faultSchema, behaviour: behaviourSchema },
    known: {
      // Only a rule that matches the fault schema is checked further.
      faultProblems: (rule, isLater) => problemsOf(rule as unknown as FaultInput, isLater),
      request: REQUESTS.values,
      delivery: DELIVERIES.values,
      records: RECORD_VALUES,
      // The paths of the simulated API, and the fields of its requests and events.
      names: {
        paths: OPERATIONS.map(({ path }) => path),
        requestFields: fieldsOf(OPERATIONS),
        deliveryFields: fieldsOf([messageEventSchema, transferEventSchema, legacyPayloadSchema]),
      },
    },
  });

/** The names of all properties in schemas, at any depth. */
function fieldsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = isObject(value) && isObject(value.properties) ? Object.keys(value.properties) : [];
  return [...new Set([...own, ...Object.values(value).flatMap(fieldsOf)])];
}
