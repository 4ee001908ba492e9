/** What the control API answers with, as the server's own code declares it. */
import type { StateChange } from "../../../src/client/stream.js";
import type { ClockReading, CollectionName, Records } from "../../../src/client/types.js";

export type { StreamEvent } from "../../../src/client/stream.js";
export type {
  Attachment,
  Attempt,
  BehaviourKey,
  BehaviourRow,
  BehaviourValues,
  Business,
  ClockReading,
  CollectionName,
  Connection,
  ControlRecord,
  Customer,
  DeliveryRecord,
  FaultPreset,
  FaultRule,
  Health,
  Message,
  NoReply,
  OperationName,
  PingReport,
  Records,
  RequestRecord,
  SandboxInfo,
  Start,
  Template,
  Thread,
  ThreadChange,
  ThreadStatus,
  Token,
  User,
  Warning,
  Webhook,
} from "../../../src/client/types.js";
export type { WindowView } from "../../../src/kernel/windows.js";
export type { Report, StepReport } from "../../../src/scenarios/report.js";

/** A record that was added (`before` null), replaced, or taken out (`after` null), and by what. */
export type RecordChange<Name extends CollectionName = CollectionName> = {
  [C in Name]: Pick<StateChange, "id" | "causedBy"> & {
    readonly collection: C;
    readonly before: Records[C] | null;
    readonly after: Records[C] | null;
  };
}[Name];

/** An entry of `GET /snapshots`. */
export interface Snapshot extends ClockReading {
  readonly name: string;
}

/** An entry of `GET /scenarios`. */
export interface ScenarioInfo {
  readonly name: string;
  readonly file: string;
}
