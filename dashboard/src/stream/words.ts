/** What a page and the worker that has the streams of its browser say to each other. */
import type { StreamEvent } from "../model/types";

/** Which stream a page follows: the address of its sandbox's routes, and the control token. */
export interface Wanted {
  readonly base: string;
  readonly token: string | null;
}

/** The code of a stream that the server ended: the sandbox is gone, or the server ends. */
export const ENDED = "ended";
/** The code of one on which nothing comes any longer. */
export const SILENT = "silent";

/** Why a stream ended, as `SimError` has it. */
export interface StreamEnd {
  readonly message: string;
  readonly status: number | null;
  readonly code: string;
}

export type WorkerMessage = { readonly events: readonly StreamEvent[] } | { readonly end: StreamEnd };
