/** The library: a simulator in the process of your tests. */

export type { ProfileName } from "./kernel/names.js";
export { UnusableDocument } from "./kernel/problems.js";
export type { FaultInput } from "./sandbox/faults.js";
export type { LoadOptions, Simulator, SimulatorOptions } from "./server/simulator.js";
export { createSimulator } from "./server/simulator.js";
export type { BehaviourKey, BehaviourValues } from "./service/behaviour/table.js";
export type { FixtureDocument, FixtureInput } from "./service/world/records.js";
