/** Puts calls, control calls and deliveries in the order in which a scenario goes through them. */
import type { Attempt, ControlRecord, DeliveryRecord, RequestRecord } from "../client/types.js";
import type { SessionLog } from "./session-log.js";
import { numberOf } from "./session-log.js";

export type Entry =
  | { readonly kind: "request"; readonly id: string; readonly at: number; readonly request: RequestRecord }
  | { readonly kind: "control"; readonly id: string; readonly at: number; readonly control: ControlRecord };

/** One attempt of a delivery. */
export interface Decision {
  readonly delivery: DeliveryRecord;
  readonly attempt: Attempt;
  /** The position of the entry that it follows. */
  readonly after: number;
}

export interface Timeline {
  readonly entries: readonly Entry[];
  /** The deliveries that have come to what they are after each entry; the last list is for the end. */
  readonly settled: readonly (readonly DeliveryRecord[])[];
  readonly decisions: readonly Decision[];
}

export function timelineOf({ requests, controls, deliveries }: SessionLog): Timeline {
  const entries = merged(requests, controls);
  const positions = new Map(entries.map(({ id }, index) => [id, index]));
  const settled: DeliveryRecord[][] = Array.from({ length: entries.length + 1 }, () => []);
  const decisions: Decision[] = [];
  for (const delivery of deliveries) {
    const cause = positions.get(delivery.causedBy ?? "") ?? entries.length;
    const reached = (at: number) => positionAt(entries, cause, at);
    for (const attempt of delivery.attempts)
      decisions.push({ delivery, attempt, after: reached(attempt.at) });
    const last = delivery.attempts.at(-1);
    const waits = delivery.status === "pending";
    const end = waits ? entries.length : last === undefined ? cause : reached(last.at);
    settled[end]?.push(delivery);
  }
  decisions.sort((a, b) => a.after - b.after || a.attempt.at - b.attempt.at);
  return { entries, settled, decisions };
}

/** A control call comes after all calls that had come in before it, and before those of later. */
function merged(requests: readonly RequestRecord[], controls: readonly ControlRecord[]): Entry[] {
  const ranked = [
    ...requests.map((request) => ({
      rank: [numberOf(request.id), 0],
      entry: { kind: "request" as const, id: request.id, at: request.at, request },
    })),
    ...controls.map((control) => ({
      rank: [control.after === null ? 0 : numberOf(control.after), numberOf(control.id)],
      entry: { kind: "control" as const, id: control.id, at: control.at, control },
    })),
  ];
  ranked.sort((a, b) => rankOf(a.rank, 0) - rankOf(b.rank, 0) || rankOf(a.rank, 1) - rankOf(b.rank, 1));
  return ranked.map(({ entry }) => entry);
}

const rankOf = (rank: readonly number[], level: number): number => rank[level] ?? 0;

/** The last entry, from the cause on, that had come in before an instant of the world. */
function positionAt(entries: readonly Entry[], cause: number, at: number): number {
  let position = cause;
  while (position + 1 < entries.length && (entries[position + 1] as Entry).at < at) position += 1;
  return Math.min(position, entries.length);
}
