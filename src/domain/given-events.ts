/** Events emitted by hand: as given, missing fields filled in from a thread; no record changes. */
import type { Message, Thread } from "../world/records.js";
import { organizationOf, threadWithId } from "./access.js";
import type { EventType } from "./events.js";
import { Refusal } from "./refusal.js";
import { lowestUserOf } from "./threads.js";
import type { Rule, Turn } from "./turn.js";

export interface GivenEvent {
  readonly eventType: EventType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Emits the event of the thread that `data.customerThreadId` names, else of the first thread. */
export const emitGiven: Rule<GivenEvent, void> = (turn, { eventType, data }) => {
  const named = data.customerThreadId;
  const thread = named === undefined ? firstThread(turn) : threadWithId(turn, String(named));
  const organizationId = organizationOf(turn, thread);
  const common = { at: turn.now, organizationId, thread, data };
  if (eventType === "message") {
    turn.emit({
      eventType,
      ...common,
      customer: turn.get("customers", thread.customerId),
      message: lastMessage(turn, thread),
    });
    return;
  }
  const business = turn.get("businesses", thread.businessId);
  if (business === undefined) throw new Refusal("businesses.notFound", { businessId: thread.businessId });
  turn.emit({
    eventType,
    ...common,
    previousBusinessId: business.id,
    newBusinessId: business.id,
    newBusinessName: business.name,
    employeeUserId: lowestUserOf(turn, business),
    participationId: turn.world.counters.participations + 1,
  });
};

function firstThread(turn: Turn): Thread {
  for (const thread of turn.world.all("threads")) return thread;
  throw new Refusal("events.noThread");
}

function lastMessage(turn: Turn, thread: Thread): Message {
  let last: Message | undefined;
  for (const message of turn.world.find("messagesByThread", thread.id)) last = message;
  return (
    last ?? {
      id: String(turn.world.counters.messages + 1),
      threadId: thread.id,
      fromCustomer: true,
      invisible: false,
      text: "",
      contentSid: null,
      employeeUserId: null,
      timestamp: turn.now,
      attachment: null,
    }
  );
}
