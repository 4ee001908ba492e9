/** A typed client of the control API, for tests in any process and for scenarios. */
export type { SimClientOptions } from "./client.js";
export { SimClient } from "./client.js";
export type { Collection, Page } from "./collection.js";
export type { CustomerMessage, EventData } from "./conversations.js";
export type { ErrorDetail } from "./errors.js";
export { ExpectationError, SimError } from "./errors.js";
export type { CountRange, DeliveryAsked, Looked, WaitOptions } from "./expectations.js";
export type { Fault, FaultHandle } from "./faults.js";
export type { Reply, ReplyMatch } from "./replies.js";
export { Sandbox, SandboxClient } from "./sandbox.js";
export type { Sink } from "./sinks.js";
export type { SnapshotInfo } from "./state.js";
export type { StateChange, StreamData, StreamEvent } from "./stream.js";
export type { DeliveryQuery, RequestQuery, WarningQuery } from "./traffic.js";
export type * from "./types.js";
