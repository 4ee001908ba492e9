import { hasWindow, isShownOpen } from "../../../src/kernel/windows.js";
import { isoTime } from "../lib/format";
import type { Session } from "./session";
import type { ClockReading, Thread } from "./types";
import { withUndo } from "./undo";

/** Something that happens by itself when the sandbox's clock comes to its instant. */
interface FallingDue {
  readonly key: string;
  /** ms of the sandbox's time. */
  readonly at: number;
  /** `The messaging window of Alan Johnson closes` */
  readonly what: string;
}

/** Due events, the next first: messaging windows that close, and deliveries that are tried again. */
export function fallingDue(session: Session): FallingDue[] {
  const { tables, deliveries } = session;
  const view = session.windowView();
  const due: FallingDue[] = [];
  const closes = (thread: Thread): boolean =>
    thread.windowClosesAt != null && hasWindow(view, thread) && isShownOpen(view, thread);
  for (const thread of tables.threads.records.values())
    if (closes(thread))
      due.push({
        key: `window ${thread.id}`,
        at: thread.windowClosesAt ?? 0,
        what: `The messaging window of ${tables.customerName(thread)} (${thread.id}) closes`,
      });
  for (const { id, status, hookId, nextAttemptAt } of deliveries.entries)
    if (status === "pending" && nextAttemptAt !== null)
      due.push({ key: id, at: nextAttemptAt, what: `Delivery ${id} to ${hookId} is retried` });
  return due.sort((one, other) => one.at - other.at);
}

/** Moves the sandbox's clock on; `how` says by how much, or to what. */
export function advanceBy(session: Session, by: string | number, how = `by ${by}`): Promise<void> {
  const what = typeof by === "string" ? `advance by ${by}` : "advance to what is due";
  return withUndo(session, what, async () => {
    const reading = await session.transport.call<ClockReading>("POST", "/clock/advance", { body: { by } });
    session.clock.set(reading);
    return `Clock advanced ${how}`;
  });
}

/** Sets the sandbox's clock to an instant, forwards or back. */
export function setClock(session: Session, now: string): Promise<void> {
  return withUndo(session, "clock", async () => {
    const reading = await session.transport.call<ClockReading>("PUT", "/clock", { body: { now } });
    session.clock.set(reading);
    return `Clock set to ${isoTime(reading.now)}`;
  });
}
