/** What a sandbox has logged, in the order in which a scenario goes through it. */
import type { Transport } from "../client/transport.js";
import type { Attempt, ControlRecord, DeliveryRecord, RequestRecord, Start } from "../client/types.js";
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

/** How long deliveries under way are waited for, ms of real time. */
const IDLE_TIMEOUT_MS = 2_000;

/** Reads a sandbox of a server, once nothing is under way in it. @throws SimError */
export async function sessionLogOf(server: Transport, sandbox: string): Promise<SessionLog> {
  const transport = server.ofSandbox(sandbox);
  const idle = { for: "idle", timeoutMs: IDLE_TIMEOUT_MS };
  const { status } = await transport.answer("POST", "/wait", { body: idle, accept: [408] });
  const [start, requests, controls, deliveries] = await Promise.all([
    transport.call<Start>("GET", "/start"),
    transport.call<RequestRecord[]>("GET", "/requests"),
    transport.call<ControlRecord[]>("GET", "/controls"),
    transport.call<DeliveryRecord[]>("GET", "/deliveries"),
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

/** A call or control call, in its order. */
export type TimelineEntry = { readonly id: string; readonly at: number } & (
  | { readonly kind: "request"; readonly request: RequestRecord }
  | { readonly kind: "control"; readonly control: ControlRecord }
);

/** One attempt of a delivery. */
export interface DeliveryAttempt {
  readonly delivery: DeliveryRecord;
  readonly attempt: Attempt;
  /** The position of the entry that it follows. */
  readonly after: number;
}

export interface Timeline {
  readonly entries: readonly TimelineEntry[];
  /** The deliveries that have come to what they are after each entry; the last list is for the end. */
  readonly settled: readonly (readonly DeliveryRecord[])[];
  readonly attempts: readonly DeliveryAttempt[];
}

export function timelineOf({ requests, controls, deliveries }: SessionLog): Timeline {
  const entries = merged(requests, controls);
  const positions = new Map(entries.map(({ id }, index) => [id, index]));
  const settled: DeliveryRecord[][] = Array.from({ length: entries.length + 1 }, () => []);
  const attempts: DeliveryAttempt[] = [];
  for (const delivery of deliveries.map(withoutCopies)) {
    const cause = positions.get(delivery.causedBy ?? "") ?? entries.length;
    const reached = delivery.attempts.map(({ at }, index) =>
      index === 0 ? positionAt(entries, cause, at) : retryPosition(entries, cause, at),
    );
    for (const [index, attempt] of delivery.attempts.entries())
      attempts.push({ delivery, attempt, after: reached[index] ?? cause });
    // Nobody tells when a retry was dropped: it was some time after the attempt before it.
    const isLate = delivery.status === "pending" || isRetryDropped(delivery);
    const end = isLate ? entries.length : (reached.at(-1) ?? cause);
    settled[end]?.push(delivery);
  }
  attempts.sort((a, b) => a.after - b.after || a.attempt.at - b.attempt.at);
  return { entries, settled, attempts };
}

/** A rule that sends copies is played back as it was armed. */
const withoutCopies = (delivery: DeliveryRecord): DeliveryRecord => ({
  ...delivery,
  attempts: delivery.attempts.filter(({ copy }) => !copy),
});

/** Whether attempts had failed before the delivery was dropped; else the answer to the last one was ignored. */
export const isRetryDropped = ({ status, attempts, reason }: DeliveryRecord): boolean =>
  status === "dropped" && attempts.length > 0 && !/ignored/.test(reason ?? "");

/** A control call comes after all calls that had come in before it, and before those of later. */
function merged(requests: readonly RequestRecord[], controls: readonly ControlRecord[]): TimelineEntry[] {
  const ranked: { readonly call: number; readonly control: number; readonly entry: TimelineEntry }[] = [
    ...requests.map((request) => ({
      call: numberOf(request.id),
      control: 0,
      entry: { kind: "request" as const, id: request.id, at: request.at, request },
    })),
    ...controls.map((control) => ({
      call: numberOf(control.after),
      control: numberOf(control.id),
      entry: { kind: "control" as const, id: control.id, at: control.at, control },
    })),
  ];
  ranked.sort((a, b) => a.call - b.call || a.control - b.control);
  return ranked.map(({ entry }) => entry);
}

/** The last entry, from the cause on, that had come in before an instant of the sandbox. */
function positionAt(entries: readonly TimelineEntry[], cause: number, at: number): number {
  let position = cause;
  while ((entries[position + 1]?.at ?? Number.POSITIVE_INFINITY) < at) position += 1;
  return position;
}

/**
 * A retry that is overdue because the clock was set beyond it goes out with the next advance, which begins at the same
 * instant. One that an advance reached goes out within that advance.
 */
function retryPosition(entries: readonly TimelineEntry[], cause: number, at: number): number {
  const position = positionAt(entries, cause, at);
  if (isAdvance(entries[position])) return position;
  for (let next = position + 1; entries[next]?.at === at; next += 1)
    if (isAdvance(entries[next])) return next;
  return position;
}

/** Whether it is an advance of the clock, which ends once all deliveries that are due have been tried. */
export const isAdvance = (entry: TimelineEntry | undefined): boolean =>
  entry?.kind === "control" && entry.control.path === "/clock/advance";

/**
 * What is to be said of an entry that came before an earlier call had its answer: a scenario makes one call after the
 * other. Only where the clock of the sandbox went with real time can that be told.
 */
export function overlapsIn(
  { start, controls }: SessionLog,
  entries: readonly TimelineEntry[],
): (position: number) => string | undefined {
  const isReal = start.clock === null && controls.every(({ path }) => !/^\/(clock|snapshots)\b/.test(path));
  const overlapped = new Map<number, string>();
  let last: { readonly id: string; readonly until: number } = { id: "", until: 0 };
  for (const [position, entry] of entries.entries()) {
    if (isReal && entry.at < last.until) overlapped.set(position, last.id);
    const until = entry.kind === "request" ? entry.at + Math.floor(entry.request.durationMs ?? 0) : 0;
    if (until > last.until) last = { id: entry.id, until };
  }
  return (position) => {
    const id = overlapped.get(position);
    return id === undefined
      ? undefined
      : `this came before ${id} had its answer, and may have come before it`;
  };
}
