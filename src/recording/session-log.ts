/** What a recording is made of: everything that a sandbox has written down. */

import type { Transport } from "../client/transport.js";
import type { ControlRecord, DeliveryRecord, RequestRecord, Start } from "../client/types.js";

export interface SessionLog {
  readonly sandbox: string;
  readonly start: Start;
  readonly requests: readonly RequestRecord[];
  readonly controls: readonly ControlRecord[];
  readonly deliveries: readonly DeliveryRecord[];
  /** What the sandbox could not tell any more, or not yet: a line each. */
  readonly notes: readonly string[];
}

/** How long deliveries under way are waited for, ms of real time. */
const PATIENCE_MS = 2_000;

/** Reads a sandbox, once nothing is under way in it. @throws SimError */
export async function sessionLogOf(wire: Transport, sandbox: string): Promise<SessionLog> {
  const idle = { for: "idle", timeoutMs: PATIENCE_MS };
  const { status } = await wire.answer("POST", "/wait", { body: idle, accept: [408] });
  const [start, requests, controls, deliveries] = await Promise.all([
    wire.call<Start>("GET", "/start"),
    wire.call<RequestRecord[]>("GET", "/requests"),
    wire.call<ControlRecord[]>("GET", "/controls"),
    wire.call<DeliveryRecord[]>("GET", "/deliveries"),
  ]);
  const cleared = controls.some(({ method, path }) => method === "DELETE" && path === "/requests");
  const notes = [
    ...(status === 408 ? ["something was still under way: it is left out"] : []),
    ...(cleared ? ["the journal was cleared: the calls of before are not in here"] : gone("calls", requests)),
    ...gone("control calls", controls),
    ...gone("deliveries", deliveries),
  ];
  return { sandbox, start, requests, controls, deliveries, notes };
}

export const numberOf = (id: string): number => Number(id.slice(1));

/** Says so where a log no longer begins at its beginning. */
function gone(what: string, [first]: readonly { readonly id: string }[]): string[] {
  const missing = first === undefined ? 0 : numberOf(first.id) - 1;
  return missing === 0 ? [] : [`the first ${missing} ${what} are no longer kept: raise --journal-limit`];
}
