import type { HttpAnswer } from "../http/answer.js";
import { queryOf } from "../http/target.js";
import { BOUNDS } from "../kernel/bounds.js";
import { given } from "../kernel/given.js";
import { controlMakerOf, KeptControlRecord } from "../sandbox/journal.js";
import type { Run } from "../sandbox/run.js";
import type { ControlRoute } from "./route.js";

/** A body whose text is longer is not kept: making its text anew would hold up everybody. */
const MAX_KEPT_BYTES = BOUNDS.recordedBytes.limit;

/** What stands in front of a route's own path. */
const ABOVE_ROUTES = /^\/__sim(\/sandboxes\/[^/]+)?/;

/** A call that succeeded, with its request and its answer. */
interface HandledCall {
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
  /** The length of the body's text; 0 where it was left out. */
  readonly bytes: number;
  readonly answer: HttpAnswer;
}

const isRecorded = ({ scope, method, recorded }: ControlRoute): boolean =>
  scope !== "server" && method !== "GET" && recorded !== false;

/**
 * Begins the record of a call on its receipt. The function that it returns writes the record when the call has succeeded,
 * unless its route is left out or a reset has overtaken the call. `maker` is what the call's header says of who made it.
 */
export function beginRecord(run: Run, route: ControlRoute, maker: unknown): (call: HandledCall) => void {
  if (!isRecorded(route)) return () => {};
  const { clock, logs, signal } = run;
  const at = clock.now();
  const after = logs.journal.newestId;
  return ({ path, query, body, bytes, answer }) => {
    if (signal.aborted) return;
    const record = new KeptControlRecord({
      id: logs.controls.nextId(),
      at,
      ...given({ by: controlMakerOf(maker) }),
      method: route.method,
      path: path.replace(ABOVE_ROUTES, ""),
      query: queryOf(query),
      body: bytes === 0 || bytes > MAX_KEPT_BYTES ? null : (body ?? null),
      status: ("status" in answer ? answer.status : undefined) ?? route.success.status,
      response: "body" in answer && route.recorded !== "call" ? (answer.body ?? null) : null,
      after,
    });
    logs.controls.add(record, record.cost);
  };
}
