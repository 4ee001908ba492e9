/** What a recording is made of: everything that a sandbox has logged. */

import type { Transport } from "../client/transport.js";
import type { ControlRecord, DeliveryRecord, RequestRecord, Start } from "../client/types.js";
import { numberOf } from "../kernel/entry-ids.js";

export interface SessionLog {
  readonly sandbox: string;
  readonly start: Start;
  readonly requests: readonly RequestRecord[];
  readonly controls: readonly ControlRecord[];
  readonly deliveries: readonly DeliveryRecord[];
  /** What is missing from the logs: a line each. */
  readonly notes: readonly string[];
}

/** What is secret is left out of the recording by its own rules, in which a text of a customer stays. */
const SHOWN = { query: { secrets: "show" } };
/** How long deliveries under way are waited for, ms of real time. */
const IDLE_TIMEOUT_MS = 2_000;

/** Reads a sandbox of a server, once nothing is under way in it. @throws SimError */
export async function sessionLogOf(server: Transport, sandbox: string): Promise<SessionLog> {
  const transport = server.ofSandbox(sandbox);
  const idle = { for: "idle", timeoutMs: IDLE_TIMEOUT_MS };
  const { status } = await transport.answer("POST", "/wait", { body: idle, accept: [408] });
  const [start, requests, controls, deliveries] = await Promise.all([
    transport.call<Start>("GET", "/start", SHOWN),
    transport.call<RequestRecord[]>("GET", "/requests", SHOWN),
    transport.call<ControlRecord[]>("GET", "/controls", SHOWN),
    transport.call<DeliveryRecord[]>("GET", "/deliveries", SHOWN),
  ]);
  const cleared = controls.some(({ method, path }) => method === "DELETE" && path === "/requests");
  const notes = [
    ...(status === 408 ? ["something was still under way: it is left out"] : []),
    ...(cleared
      ? ["the journal was cleared: the calls of before are not in here"]
      : evictionNotes("calls", requests)),
    ...evictionNotes("control calls", controls),
    // Where ids run on over resets, the first does not tell how many were there before.
    ...(start.ids === "apart" ? [] : evictionNotes("deliveries", deliveries)),
  ];
  return { sandbox, start, requests, controls, deliveries, notes };
}

/** A note where the oldest entries of a log are no longer kept. */
function evictionNotes(what: string, [first]: readonly { readonly id: string }[]): string[] {
  const missing = first === undefined ? 0 : numberOf(first.id) - 1;
  return missing === 0 ? [] : [`the first ${missing} ${what} are no longer kept: raise --journal-limit`];
}
