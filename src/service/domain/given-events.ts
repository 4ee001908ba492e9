/** Events emitted by hand: as given, missing fields filled in from a thread; no record changes. */

import type { EventType } from "../../protocol/names.js";
import type { Message, Thread } from "../world/records.js";
import { businessOf, organizationOf, threadWithId } from "./access.js";
import { Refusal } from "./refusal.js";
import { defaultEmployee } from "./threads.js";
import type { Rule, WorldView } from "./transaction.js";

interface GivenEvent {
  readonly eventType: EventType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Emits the event of the thread that `data.customerThreadId` names, else of the first thread. */
export const emitGiven: Rule<GivenEvent, void> = (tx, { eventType, data }) => {
  const named = data.customerThreadId;
  const thread = named === undefined ? firstThread(tx) : threadWithId(tx, String(named));
  const organizationId = organizationOf(tx, thread);
  const common = { at: tx.now, organizationId, thread, data };
  if (eventType === "message") {
    tx.emit({
      eventType,
      ...common,
      customer: tx.get("customers", thread.customerId),
      message: lastMessage(tx, thread),
    });
    return;
  }
  const business = businessOf(tx, thread);
  tx.emit({
    eventType,
    ...common,
    previousBusinessId: business.id,
    newBusinessId: business.id,
    newBusinessName: business.name,
    employeeUserId: defaultEmployee(tx, business),
    participationId: tx.counters.participations + 1,
  });
};

function firstThread(view: WorldView): Thread {
  for (const thread of view.all("threads")) return thread;
  throw new Refusal("events.noThread");
}

function lastMessage(view: WorldView, thread: Thread): Message {
  let last: Message | undefined;
  for (const message of view.find("messagesByThread", thread.id)) last = message;
  return (
    last ?? {
      id: String(view.counters.messages + 1),
      threadId: thread.id,
      fromCustomer: true,
      invisible: false,
      text: "",
      contentSid: null,
      employeeUserId: null,
      timestamp: view.now,
      attachment: null,
    }
  );
}
