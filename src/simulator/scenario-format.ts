import { behaviourSchema } from "../behaviour/table.js";
import { ScenarioFormat } from "../scenarios/format.js";
import { faultSchema } from "../traffic/fault-rules.js";

/** The scenario format with the simulator's own schemas of fault rules and behaviour values in it. */
export const scenarioFormat = (): ScenarioFormat =>
  new ScenarioFormat({ fault: faultSchema, behaviour: behaviourSchema });
