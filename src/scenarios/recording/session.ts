/** The logs of a sandbox, in the order of a scenario. */
import type { Transport } from "../../client/transport.js";
import type { ControlRecord, DeliveryRecord, RequestRecord, Start } from "../../client/types.js";
import { isObject, valueAt } from "../../kernel/json.js";
import { numberOf } from "../../kernel/objects.js";
import { counted } from "../../kernel/words.js";
import { threadOfRequest } from "../../protocol/replies.js";

export interface SessionLog {
  readonly sandbox: string;
  readonly start: Start;
  readonly requests: readonly RequestRecord[];
  readonly controls: readonly ControlRecord[];
  readonly deliveries: readonly DeliveryRecord[];
  readonly notes: readonly string[];
  readonly thread?: string;
  readonly awaitsReply?: boolean;
}

/** Recordings leave secrets out by their own rules, in which a text of a customer stays. */
const SHOWN = { query: { secrets: "show" } };
/** The longest wait for pending deliveries, ms of real time. */
const IDLE_TIMEOUT_MS = 2_000;

/** A part of a session: what concerns one thread, from one call on, until another. */
interface SessionPart {
  readonly thread: string;
  /** The id of the first call to record; settings made before it are kept. Default: the oldest. */
  readonly from?: string | undefined;
  /** The id of the first call to leave out. Default: none. */
  readonly until?: string | undefined;
  readonly awaitsReply?: boolean | undefined;
}

/** Reads the logs of a sandbox once it is idle. @throws SimError */
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
    ...(status === 408 ? ["something was still pending and was omitted"] : []),
    ...(cleared ? ["the journal was cleared: earlier calls are missing"] : evictionNotes("calls", requests)),
    ...evictionNotes("control calls", controls),
    // If ids continue over resets, the first does not show how many were evicted.
    ...(start.ids === "apart" ? [] : evictionNotes("deliveries", deliveries)),
  ];
  return { sandbox, start, requests, controls, deliveries, notes };
}

/**
 * What concerns one thread: calls and deliveries about it, and control calls about no other thread. Calls of the system under
 * test that were refused are left out: a better one does not make them.
 */
export function partOf(
  session: SessionLog,
  { thread, from, until, awaitsReply = false }: SessionPart,
): SessionLog {
  const entries = merged(session);
  const first = entries.findIndex(({ id }) => id === from);
  const end = entries.findIndex(({ id }) => id === until);
  const kept = entries.slice(0, end === -1 ? undefined : end).filter((entry, at) => {
    const about = threadOf(entry);
    const isConcerned = isCall(entry)
      ? about === thread && (entry.by !== "client" || isAccepted(entry))
      : (about ?? thread) === thread;
    return isConcerned && (at >= first || isSetting(entry));
  });
  // The system under test learns of its own messages, too: a test of what it says need not wait for that.
  const causes = new Set(kept.flatMap((entry) => (isCall(entry) && entry.by === "client" ? [] : entry.id)));
  return {
    ...session,
    requests: kept.filter(isCall),
    controls: kept.filter((entry): entry is ControlRecord => !isCall(entry)),
    deliveries: session.deliveries.filter(
      ({ threadId, causedBy }) => threadId === thread && causes.has(causedBy ?? ""),
    ),
    thread,
    awaitsReply,
  };
}

const isAccepted = ({ status, lostStatus }: RequestRecord): boolean => (status ?? lostStatus ?? 500) < 400;

/** Whether an entry changes a setting: a control call that neither writes a message nor concerns traffic. */
const isSetting = (entry: Entry): boolean =>
  !isCall(entry) &&
  !/\/(inbound|employee-message)$|^\/(data\/messages|events|faults|deliveries|snapshots)\b/.test(entry.path);

/** The thread that an entry is about, if it names one. */
export function threadOf(entry: Entry): string | undefined {
  if (isCall(entry)) return threadOfRequest(entry) ?? undefined;
  const { path, body, response } = entry;
  const [, inPath] = /^\/(?:data\/)?threads\/([^/]+)/.exec(path) ?? [];
  if (inPath !== undefined) return decodeURIComponent(inPath);
  const named =
    valueAt(body, ["threadId"]) ??
    valueAt(body, ["data", "customerThreadId"]) ??
    (path === "/data/threads" ? valueAt(response, ["id"]) : undefined);
  return named === undefined ? undefined : String(named);
}

/** A note if the oldest entries of a log were evicted. */
function evictionNotes(what: string, [first]: readonly { readonly id: string }[]): string[] {
  const missing = first === undefined ? 0 : numberOf(first.id) - 1;
  return missing === 0 ? [] : [`the first ${missing} ${what} are no longer kept: raise --journal-limit`];
}

const ABOUT_WEBHOOKS = /hook|\/graphql$/;
const OWN_WEBHOOKS = "because the run has its own webhooks (--hook)";

/** The session without what a recording leaves to whoever runs it, or cannot hold; notes say what. */
export function recordable(session: SessionLog): SessionLog {
  const notes = [...session.notes];
  const keep = (call: string, why: string | undefined) => {
    if (why !== undefined) notes.push(`${call}: left out, ${why}`);
    return why === undefined;
  };
  const taken = new Set<string>();
  const restored = new Set(session.controls.map(({ path }) => path));
  const controls = session.controls.flatMap((control): ControlRecord[] => {
    const { method, path, body } = control;
    const call = `${method} ${path}`;
    if (/^DELETE \/(requests|warnings|snapshots\/.*)$|^POST \/connect$|^\w+ \/sinks\//.test(call)) return [];
    if (call === "POST /snapshots") {
      const restoring = `/snapshots/${encodeURIComponent(String(valueAt(body, ["name"])))}/restore`;
      taken.add(restoring);
      // The dashboard takes one before each of its actions.
      return restored.has(restoring) ? [control] : [];
    }
    if (path === "/state" && body === null)
      return keep(call, "because it was too large for the log") ? [control] : [];
    if (/^\/snapshots\/.+\/restore$/.test(path) && !taken.has(path))
      return keep(call, "because it restored a state from before the recording") ? [control] : [];
    if (!path.startsWith("/data/webhooks") || !isObject(body) || !("url" in body)) return [control];
    keep(`the address in ${call}`, OWN_WEBHOOKS);
    const { url: _, ...rest } = body;
    return method === "PATCH" && Object.keys(rest).length > 0 ? [{ ...control, body: rest }] : [];
  });
  const played = new Set(session.requests.flatMap(({ id, by }) => (by === "scenario" ? [id] : [])));
  if (played.size > 0) notes.push(`${counted(played.size, "call")} by scenarios: left out`);
  const requests = session.requests.filter(({ id, method, path, durationMs }) => {
    if (played.has(id)) return false;
    const why = durationMs === null ? "because it has no response yet" : undefined;
    return keep(`${id} ${method} ${path}`, ABOUT_WEBHOOKS.test(path) ? OWN_WEBHOOKS : why);
  });
  const deliveries = session.deliveries.filter(
    ({ url, status, causedBy }) =>
      status === "delivered" && !url.startsWith("sink:") && !played.has(causedBy ?? ""),
  );
  return { ...session, notes, controls, requests, deliveries };
}

export type Entry = RequestRecord | ControlRecord;

export const isCall = (entry: Entry): entry is RequestRecord => "operation" in entry;

interface Timeline {
  readonly entries: readonly Entry[];
  /** The deliveries that arrive after each entry, and at the end. */
  readonly settled: readonly (readonly DeliveryRecord[])[];
}

/** The calls of a session in order, with its deliveries, all of which have arrived. */
export function timelineOf(session: SessionLog): Timeline {
  const entries = merged(session);
  const positions = new Map(entries.map(({ id }, index) => [id, index]));
  const settled: DeliveryRecord[][] = Array.from({ length: entries.length + 1 }, () => []);
  for (const delivery of session.deliveries) {
    const cause = positions.get(delivery.causedBy ?? "") ?? entries.length;
    // Copies come from a rule that the recording arms itself.
    const times = delivery.attempts.filter(({ copy }) => !copy).map(({ at }) => at);
    const last = times.at(-1);
    const place = times.length > 1 ? retryPosition : positionAt;
    settled[last === undefined ? entries.length : place(entries, cause, last)]?.push(delivery);
  }
  return { entries, settled };
}

/** Orders control calls after the calls received before them. */
function merged({ requests, controls }: SessionLog): Entry[] {
  const entries = [...requests, ...controls].map((entry) => ({
    entry,
    call: numberOf(isCall(entry) ? entry.id : entry.after),
    control: isCall(entry) ? 0 : numberOf(entry.id),
  }));
  entries.sort((a, b) => a.call - b.call || a.control - b.control);
  return entries.map(({ entry }) => entry);
}

/** The last entry, from the cause on, before an instant of the sandbox. */
function positionAt(entries: readonly Entry[], cause: number, at: number): number {
  let position = cause;
  while ((entries[position + 1]?.at ?? Number.POSITIVE_INFINITY) < at) position += 1;
  return position;
}

/**
 * A retry that is overdue because the clock was set goes out with the next advance, which begins at the same instant. One
 * that an advance reaches goes out within it.
 */
function retryPosition(entries: readonly Entry[], cause: number, at: number): number {
  const position = positionAt(entries, cause, at);
  if (isAdvance(entries[position])) return position;
  for (let next = position + 1; entries[next]?.at === at; next += 1)
    if (isAdvance(entries[next])) return next;
  return position;
}

/** Whether an entry advances the clock, which ends once all due deliveries were attempted. */
const isAdvance = (entry: Entry | undefined): boolean => entry?.path === "/clock/advance";
