import type { Reply } from "../http/reply.js";
import type { Run } from "../sandbox/run.js";
import type { ControlRoute } from "./route.js";

/** A body whose text is longer is not kept. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** What stands in front of a route's own path. */
const ABOVE_ROUTES = /^\/__sim(\/sandboxes\/[^/]+)?/;

/** What is known of a call before it is handled. */
export interface Receipt {
  readonly at: number;
  readonly after: string | null;
}

/** A call with what the address and the body said. */
export interface RecordedCall {
  readonly route: ControlRoute;
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
  readonly bytes: number;
}

export const receiptOf = ({ clock, journal }: Run): Receipt => ({
  at: clock.now(),
  after: journal.mark === 0 ? null : `${journal.prefix}${journal.mark}`,
});

const isRecorded = ({ scope, method, recorded }: ControlRoute): boolean =>
  scope !== "server" && method !== "GET" && recorded !== false;

/** Records a call that succeeded, unless its route is left out. A call that a reset overtook belongs to nobody. */
export function record(run: Run, { at, after }: Receipt, call: RecordedCall, reply: Reply): void {
  const { route, path, query, body, bytes } = call;
  if (!isRecorded(route) || run.signal.aborted) return;
  run.controls.add({
    id: run.controls.nextId(),
    at,
    method: route.method,
    path: path.replace(ABOVE_ROUTES, ""),
    query: Object.fromEntries(new URLSearchParams(query)),
    body: bytes > MAX_KEPT_BYTES ? null : (body ?? null),
    status: ("status" in reply ? reply.status : undefined) ?? route.success.status,
    response: "body" in reply && route.recorded !== "call" ? (reply.body ?? null) : null,
    after,
  });
}
