/** Events as streams write them: their names, their texts, and how much one turn may say. */
import { BOUNDS } from "../kernel/bounds.js";
import { masked } from "../kernel/masking.js";

/** What happens in one turn is told in no more bytes than these; beyond them it is told that anything may have changed. */
const MAX_TURN_BYTES = BOUNDS.streamTurnBytes.limit;
/** What may have changed, where it is too much to tell one by one. */
export const EVERYTHING = { all: true };

/** What can happen, as streams name it. */
export const EVENT_NAMES = [
  "request",
  "delivery",
  "warning",
  "control",
  "change",
  "state",
  "faults",
  "clock",
  "reset",
  "cleared",
  "step",
  "ran",
  "sandboxes",
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** One event as it is sent, without its id, which is each listener's own. */
export type EventText = Buffer;

/** An event of a turn that is not put into words yet. */
export interface PendingEvent {
  readonly event: EventName;
  /** What it says; with so many bytes left it may say less. */
  readonly data: (bytes: number) => unknown;
}

/** An event of a turn, with its text. */
interface NamedText {
  readonly event: EventName;
  readonly text: EventText;
  /** The same with its secrets. */
  readonly readable: () => EventText;
}

export const eventText = (event: string, data: unknown): EventText =>
  Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

/** The events of a turn, as many as there is room for, and where some are left out one that says so. */
export function textsOf(pending: Iterable<PendingEvent>): NamedText[] {
  const texts: NamedText[] = [];
  let left = MAX_TURN_BYTES;
  let isWhole = true;
  for (const { event, data } of pending) {
    const value = data(left);
    const text = left > 0 ? textWithin(left, event, masked(value)) : undefined;
    if (text === undefined) isWhole = false;
    else texts.push({ event, text, readable: () => eventText(event, value) });
    left -= text?.length ?? 0;
  }
  const everything = eventText("state", EVERYTHING);
  return isWhole ? texts : [...texts, { event: "state", text: everything, readable: () => everything }];
}

/** The event, unless it is longer than so many bytes, or than any text can be. */
function textWithin(bytes: number, event: string, data: unknown): EventText | undefined {
  try {
    const text = eventText(event, data);
    return text.length <= bytes ? text : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
