import { batch } from "@preact/signals";
import { controlNote } from "../story/control-note";
import { MAX_ENTRIES } from "./live-log";
import type { Session } from "./session";
import type {
  BehaviourRow,
  ClockReading,
  ControlRecord,
  DeliveryRecord,
  FaultRule,
  Message,
  RequestRecord,
  SandboxInfo,
  ThreadChange,
  Warning,
} from "./types";

const LOG_PAGE = { limit: String(MAX_ENTRIES) };

/** Loads everything anew. */
export async function loadAll(session: Session, signal: AbortSignal): Promise<void> {
  const { transport, tables } = session;
  const read = <T>(path: string, query = {}) => transport.call<T>("GET", path, { query, signal });
  const [
    requests,
    deliveries,
    warnings,
    controls,
    changes,
    clock,
    faults,
    setTables,
    behaviour,
    sandboxes,
    messages,
  ] = await Promise.all([
    read<RequestRecord[]>("/requests", LOG_PAGE),
    read<DeliveryRecord[]>("/deliveries", LOG_PAGE),
    read<Warning[]>("/warnings", LOG_PAGE),
    read<ControlRecord[]>("/controls", LOG_PAGE),
    read<ThreadChange[]>("/changes", LOG_PAGE),
    read<ClockReading>("/clock"),
    read<FaultRule[]>("/faults"),
    Promise.all(tables.all.map((table) => table.read(transport, signal))),
    read<BehaviourRow[]>("/behaviour"),
    session.server.call<SandboxInfo[]>("GET", "/sandboxes", { signal }),
    read<Message[]>("/messages/newest"),
    session.conversation.peek()?.load(),
  ]);
  batch(() => {
    for (const setTable of setTables) setTable();
    session.requests.load(requests);
    session.deliveries.load(deliveries);
    session.causes.addDeliveries(deliveries);
    session.controls.load(controls.map(controlNote));
    session.causes.addControls(session.controls.entries);
    session.activity.load(messages, (id) => session.causes.writerOf(id) !== undefined);
    session.changes.load(changes.map((change) => session.noteOf(change)));
    session.warnings.load(warnings);
    session.firsts.note(requests, deliveries);
    session.clock.set(clock);
    session.faults.value = faults;
    session.behaviour.value = behaviour;
    session.sandboxes.value = sandboxes.map(({ id }) => id);
    session.loaded.value = true;
    session.connection.value = { state: "live" };
  });
  const opened = session.conversation.peek();
  if (opened?.state.peek() === "loading") void opened.load();
}
