import { getOrInsert, numberOf } from "../../../src/kernel/objects.js";
import { eventTime, messageOfDelivery, threadOfRequest } from "../model/entries";
import type { DeliveryRecord, Message, RequestRecord } from "../model/types";
import type { ChangeNote } from "./change-note";
import { type ControlNote, requestRank } from "./control-note";

/** A call of the simulated API, a delivery, or something else that happened. */
export type StoryEvent =
  | { readonly kind: "request"; readonly entry: RequestRecord }
  | { readonly kind: "delivery"; readonly entry: DeliveryRecord }
  | {
      readonly kind: "note";
      readonly entry: { readonly id: string };
      readonly text: string;
      /** What made it happen: `by hand`, `by call r5`, `time passed`. */
      readonly cause: string;
    };

/** What a conversation is told from. */
export interface StorySources {
  readonly threadId: string;
  readonly messages: readonly Message[];
  readonly requests: readonly RequestRecord[];
  readonly deliveries: readonly DeliveryRecord[];
  readonly controls: readonly ControlNote[];
  readonly changes: readonly ChangeNote[];
  /** The call that wrote a message; undefined where nothing says so. */
  readonly writerOf: (messageId: string) => string | undefined;
}

interface Placed {
  readonly rank: number;
  /** What stands first where ranks are equal: a call, what it changed, what it sent. */
  readonly order: number;
  readonly event: StoryEvent;
}

/**
 * What happened in a thread, by the position of the message after which it stands, -1 for the start. The ids of calls count
 * up, and each control call names the call of the simulated API before it: this puts all in one order, on a frozen clock
 * too. A call that wrote a message stands before it, what else the call led to after it.
 */
export function eventsAfter(sources: StorySources): ReadonlyMap<number, readonly StoryEvent[]> {
  const { threadId, messages, requests, deliveries, controls, changes, writerOf } = sources;
  const controlOf = new Map(controls.map((control) => [control.id, control]));
  const rankOf = (cause: string | null): number | undefined =>
    cause === null ? undefined : cause.startsWith("r") ? requestRank(cause) : controlOf.get(cause)?.rank;

  const written = new Map<string, number>();
  const positions = new Map<string, number>();
  // A message comes after all that those before it come after, whenever the call that wrote it began.
  const ranks = new Float64Array(messages.length);
  let highest = 0;
  for (const [at, { id }] of messages.entries()) {
    const writer = writerOf(id);
    positions.set(id, at);
    if (writer !== undefined) written.set(writer, at);
    highest = Math.max(highest, rankOf(writer ?? null) ?? 0);
    ranks[at] = highest;
  }

  const slots = new Map<number, Placed[]>();
  const place = (position: number, placed: Placed) => getOrInsert(slots, position, () => []).push(placed);

  for (const entry of requests) {
    const thread = threadOfRequest(entry);
    // A call that was refused before it named a thread may be the one that this conversation waits for.
    const mayBeOwn = thread === null && entry.by === "client" && (entry.status ?? 0) >= 400;
    if (thread !== threadId && !mayBeOwn) continue;
    const rank = requestRank(entry.id);
    const own = written.get(entry.id);
    const position = own === undefined ? lastUpTo(ranks, rank) : own - 1;
    place(position, { rank, order: 0, event: { kind: "request", entry } });
  }

  const told = new Set<string>();
  for (const change of changes) {
    const { id, threadId: thread, causedBy, text } = change;
    if (thread !== threadId) continue;
    const rank = rankOf(causedBy) ?? rankInTime(change, controlOf);
    const control = controlOf.get(causedBy ?? "");
    if (control?.tellsChange) told.add(control.id);
    const event: StoryEvent = { kind: "note", entry: { id }, text, cause: causeText(causedBy, control) };
    place(written.get(causedBy ?? "") ?? lastUpTo(ranks, rank), { rank, order: 1, event });
  }

  for (const control of controls) {
    const { id, rank, text, threadId: thread = threadId } = control;
    if (text === undefined || thread !== threadId || told.has(id)) continue;
    const event: StoryEvent = { kind: "note", entry: { id }, text, cause: causeText(id, control) };
    place(lastUpTo(ranks, rank), { rank, order: 0, event });
  }

  for (const entry of deliveries) {
    if (entry.threadId !== threadId) continue;
    const rank = rankOf(entry.causedBy);
    const position =
      written.get(entry.causedBy ?? "") ??
      (rank === undefined
        ? (positions.get(messageOfDelivery(entry) ?? "") ?? lastAt(messages, eventTime(entry)))
        : lastUpTo(ranks, rank));
    place(position, {
      rank: rank ?? ranks[position] ?? 0,
      order: 2 + requestRank(entry.id) / Number.MAX_SAFE_INTEGER,
      event: { kind: "delivery", entry },
    });
  }

  const sorted = [...slots].map(([position, slot]): [number, StoryEvent[]] => {
    slot.sort((one, other) => one.rank - other.rank || one.order - other.order);
    return [position, slot.map(({ event }) => event)];
  });
  return new Map(sorted);
}

/** Where a change stands that no call caused: after the calls before it, among them one that moved the clock and ended later. */
function rankInTime(
  { at, afterRequest, afterControl }: ChangeNote,
  controlOf: ReadonlyMap<string, ControlNote>,
): number {
  const under = controlOf.get(`c${numberOf(afterControl ?? "c0") + 1}`);
  if (under !== undefined && under.at < at) return under.rank;
  return Math.max(requestRank(afterRequest ?? "r0"), controlOf.get(afterControl ?? "")?.rank ?? 0);
}

const MAKERS = { page: "by hand", scenario: "by a scenario" } as const;

function causeText(cause: string | null, control: ControlNote | undefined): string {
  if (cause === null) return "time passed";
  if (cause.startsWith("r")) return `by call ${cause}`;
  return control?.by === undefined ? "through the control API" : MAKERS[control.by];
}

/** The last position whose rank is at most `rank`; -1 where there is none. */
function lastUpTo(ranks: Float64Array, rank: number): number {
  let low = 0;
  let high = ranks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranks[middle] ?? 0) <= rank) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The position of the last message up to a time. */
const lastAt = (messages: readonly Message[], time: number): number =>
  messages.findLastIndex(({ timestamp }) => timestamp <= time);
