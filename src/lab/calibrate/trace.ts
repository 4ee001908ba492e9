/** The input of a calibration: exchanges from recorded files or from probes. */

import type { OperationId } from "../../service/behaviour/entry.js";

/** A body: its size in bytes, and its value if it is JSON, otherwise its text. */
interface Content {
  readonly bytes: number;
  /** Undefined without a body, and for one that is not JSON. */
  readonly value: unknown;
  readonly text?: string;
  /** Why it is not JSON. */
  readonly problem?: string;
}

/** A request and its response. Header names are in lower case. */
export interface Message {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: Content;
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly response: Content;
  readonly durationMs: number;
}

/** A call to the service with its answer, or a delivery from the service with the receiver's answer. */
export interface Exchange {
  readonly file: string;
  /** Its index among the entries of its file. */
  readonly index: number;
  /** When it started, ms. */
  readonly at: number;
  readonly kind: "call" | "message" | "transfer" | "legacy";
  readonly message: Message;
  /** The operation, for a documented path and method. */
  readonly operation: OperationId | undefined;
  /** The path without the prefix in the recorded address. */
  readonly path: string;
  readonly query: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Exchanges in order of their start. */
export type Trace = readonly Exchange[];
