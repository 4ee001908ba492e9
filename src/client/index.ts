/** A typed client of the control API, for tests in any process and for scenarios. */
export type { SimClientOptions } from "./client.js";
export { SimClient } from "./client.js";
export type { ErrorDetail } from "./errors.js";
export { ExpectationError, SimError } from "./errors.js";
export type { CountRange, DeliveryAsked, Looked, Reply, ReplyMatch, WaitOptions } from "./expectations.js";
export type { Collection, Fault, FaultHandle, Sink } from "./handles.js";
export type {
  CustomerMessage,
  EventData,
} from "./sandbox.js";
export { Sandbox, SandboxClient } from "./sandbox.js";
export type { StateChange, StreamData, StreamEvent } from "./stream.js";
export type * from "./types.js";
