import type { ThreadStatus } from "./types";

/** The statuses of a thread. A type checks that none is missing: the server's own list would bring its schemas along. */
export const THREAD_STATUSES = Object.keys({
  waiting: true,
  replied: true,
  resolved: true,
} satisfies Record<ThreadStatus, true>);
