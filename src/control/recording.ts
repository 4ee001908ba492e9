/** Which control calls are written down, and what of them. */
import type { Run } from "../sandbox/run.js";
import type { ControlReply, ControlRoute } from "./route.js";

/** Calls that change nothing of the world, begin it anew, or make others that are written down themselves. */
export const UNRECORDED: ReadonlySet<string> = new Set([
  "reset",
  "wait",
  "verify",
  "ping-webhook",
  "run-scenario",
  "sink",
]);
/** Routes whose answers repeat the body or show all that there is. */
export const UNKEPT_ANSWERS: ReadonlySet<string> = new Set(["putState", "patchBehaviour"]);
/** A body whose text is longer is not kept, bytes. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** What stands in front of a route's own path. */
const ABOVE_ROUTES = /^\/__sim(\/sandboxes\/[^/]+)?/;

/** What is known of a call before it is handled. */
export interface Receipt {
  readonly at: number;
  readonly after: string | null;
}

/** A call with what the address and the body said. */
export interface Recordable {
  readonly route: ControlRoute;
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
  readonly bytes: number;
}

export const isRecorded = ({ id, method, scope }: ControlRoute): boolean =>
  scope === "sandbox" && method !== "GET" && !UNRECORDED.has(id);

export const receiptOf = ({ clock, journal }: Run): Receipt => ({
  at: clock.now(),
  after: journal.mark === 0 ? null : `${journal.prefix}${journal.mark}`,
});

/** Writes down a call that succeeded. One that a reset overtook belongs to nobody. */
export function record(run: Run, { at, after }: Receipt, call: Recordable, reply: ControlReply | void): void {
  if (run.signal.aborted) return;
  const { route, path, query, body, bytes } = call;
  run.controls.add({
    id: run.controls.nextId(),
    at,
    method: route.method,
    path: path.replace(ABOVE_ROUTES, ""),
    query: Object.fromEntries(new URLSearchParams(query)),
    body: bytes > MAX_KEPT_BYTES ? null : (body ?? null),
    status: reply?.status ?? route.success.status,
    response: UNKEPT_ANSWERS.has(route.id) ? null : (reply?.body ?? null),
    after,
  });
}
