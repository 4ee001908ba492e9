import { type ControlNote, controlNote } from "../story/control-note";
import type { Session } from "./session";
import type {
  DeliveryRecord,
  RecordChange,
  RequestRecord,
  StreamEvent,
  ThreadChange,
  Warning,
} from "./types";

/** Is told of what the events alone do not hold. */
interface ChangeListener {
  /** There are other sandboxes. */
  sandboxes(): void;
  /** All records may be others. */
  everything(): void;
}

/** Puts into a session what the stream tells, in its order. */
export function applyEvents(session: Session, all: readonly StreamEvent[], listener: ChangeListener): void {
  const reset = all.findLastIndex(({ event }) => event === "reset");
  if (reset !== -1) session.reset();
  for (const { event, data } of all) if (event === "hello" || event === "reset") session.run.value = data.run;
  const requests: RequestRecord[] = [];
  const deliveries: DeliveryRecord[] = [];
  const warnings: Warning[] = [];
  const controls: ControlNote[] = [];
  const threadChanges: ThreadChange[] = [];
  const changes: RecordChange[] = [];
  let allChanged = false;
  for (const { event, data } of all.slice(reset + 1)) {
    if (event === "request") requests.push(data);
    else if (event === "delivery") deliveries.push(data);
    else if (event === "warning") warnings.push(data);
    else if (event === "control") controls.push(controlNote(data));
    else if (event === "change") threadChanges.push(data);
    else if (event === "clock") session.clock.set(data);
    else if (event === "faults") session.faults.value = data.rules;
    else if (event === "ran") session.ran.value = data;
    else if (event === "sandboxes") listener.sandboxes();
    else if (event === "cleared") {
      // What came before it in the same batch is gone, too.
      (data.log === "requests" ? requests : warnings).length = 0;
      session[data.log].clear();
    } else if (event === "state" && "changes" in data) changes.push(...(data.changes as RecordChange[]));
    else if (event === "state") allChanged = true;
  }
  const { causes } = session;
  session.requests.put(requests);
  session.controls.put(controls);
  causes.addControls(controls);
  session.deliveries.put(deliveries);
  causes.addDeliveries(deliveries);
  session.warnings.put(warnings);
  session.firsts.note(requests, deliveries);
  applyChanges(session, changes);
  session.changes.put(threadChanges.map((change) => session.noteOf(change)));
  if (allChanged) listener.everything();
}

/** Records that were added, replaced or taken out. */
function applyChanges(session: Session, changes: readonly RecordChange[]): void {
  const messages = changes.filter((change) => change.collection === "messages");
  const added = messages.flatMap(({ before, after }) => (before === null && after !== null ? [after] : []));
  const open = session.conversation.peek();
  for (const { id } of added) session.heard.set(id, performance.now());
  session.causes.addMessages(messages);
  session.tables.apply(changes);
  session.activity.add(added, open?.threadId);
  open?.apply(messages);
}
