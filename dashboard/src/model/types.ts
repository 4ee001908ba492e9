/** What the control API answers with, as the server's own code declares it. */
export type { BehaviourRow } from "../../../src/behaviour/behaviour.js";
export type { Attempt, Delivery, DeliveryStatus } from "../../../src/sandbox/deliveries.js";
export type { FaultRule } from "../../../src/sandbox/faults.js";
export type { RequestRecord, Warning } from "../../../src/sandbox/journal.js";
export type { Report, StepReport } from "../../../src/scenarios/report.js";
export type {
  Business,
  CollectionName,
  Customer,
  Message,
  Records,
  Template,
  Thread,
  ThreadStatus,
  Token,
  User,
  Webhook,
} from "../../../src/world/records.js";
export type { Change } from "../../../src/world/world.js";

/** `GET /clock`. */
export interface ClockState {
  /** ms */
  readonly now: number;
  readonly frozen: boolean;
}

/** An entry of `GET /sandboxes`, as far as the page reads it. */
export interface SandboxInfo {
  readonly id: string;
}

/** An entry of `GET /scenarios`. */
export interface ScenarioInfo {
  readonly name: string;
  readonly file: string;
}
