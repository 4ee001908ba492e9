import { behaviourSchema } from "../behaviour/table.js";
import { faultSchema } from "../sandbox/fault-rules.js";
import { ScenarioFormat } from "../scenarios/format.js";

/** The scenario format with the simulator's own schemas of fault rules and behaviour values in it. */
export const scenarioFormat = (): ScenarioFormat =>
  new ScenarioFormat({ fault: faultSchema, behaviour: behaviourSchema });
