/** The library: a simulator in the process of your tests. */
export type { BehaviourKey, BehaviourValues, ProfileName } from "./behaviour/table.js";
export { UnusableDocument } from "./kernel/problems.js";
export type { FaultInput } from "./sandbox/faults.js";
export type { LoadOptions, Simulator, SimulatorOptions } from "./simulator.js";
export { createSimulator } from "./simulator.js";
export type { FixtureDocument, FixtureInput } from "./world/fixture.js";
