/** What calibration works on, wherever it comes from: recorded files, or the calls of probes. */

import type { OperationId } from "../../service/behaviour/entry.js";

/** A body: its size in bytes, its value where it is JSON, else its text. */
interface Content {
  readonly bytes: number;
  /** Undefined for no body, and for one that is no JSON. */
  readonly value: unknown;
  readonly text?: string;
  /** Why it is no JSON. */
  readonly problem?: string;
}

/** A request and its answer. Names of headers are in lower case. */
export interface Message {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: Content;
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly response: Content;
  readonly durationMs: number;
}

/** A call of the service with its answer, or a delivery of the service with the receiver's answer. */
export interface Exchange {
  readonly file: string;
  /** Of the entry in its file. */
  readonly index: number;
  /** When it began, ms. */
  readonly at: number;
  readonly kind: "call" | "message" | "transfer" | "legacy";
  readonly message: Message;
  /** Of a call of a documented path and method. */
  readonly operation: OperationId | undefined;
  /** Without what the recorded address has in front of the documented one. */
  readonly path: string;
  readonly query: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Exchanges in the order of their beginning. */
export type Trace = readonly Exchange[];
