/** The logs of a sandbox, in the order of a scenario. */
import type { Transport } from "../../client/transport.js";
import type { ControlRecord, DeliveryRecord, RequestRecord, Start } from "../../client/types.js";
import { isObject, valueAt } from "../../kernel/json.js";
import { numberOf } from "../../kernel/objects.js";
import { threadOfRequest } from "../../kernel/replies.js";
import { counted } from "../../kernel/words.js";

export interface SessionLog {
  readonly sandbox: string;
  readonly start: Start;
  readonly requests: readonly RequestRecord[];
  readonly controls: readonly ControlRecord[];
  readonly deliveries: readonly DeliveryRecord[];
  readonly notes: readonly string[];
}

/** Recordings leave secrets out by their own rules, in which a text of a customer stays. */
const SHOWN = { query: { secrets: "show" } };
/** The longest wait for pending deliveries, ms of real time. */
const IDLE_TIMEOUT_MS = 2_000;

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
  const evicted = (what: string, [first]: readonly { readonly id: string }[]) => {
    const missing = first === undefined ? 0 : numberOf(first.id) - 1;
    return missing === 0 ? [] : [`the first ${missing} ${what} are no longer kept: raise --journal-limit`];
  };
  const cleared = controls.some(({ method, path }) => method === "DELETE" && path === "/requests");
  const notes = [
    ...(status === 408 ? ["something was still pending and was omitted"] : []),
    ...(cleared ? ["the journal was cleared: earlier calls are missing"] : evicted("calls", requests)),
    ...evicted("control calls", controls),
    // If ids continue over resets, the first does not show how many were evicted.
    ...(start.ids === "apart" ? [] : evicted("deliveries", deliveries)),
  ];
  return { sandbox, start, requests, controls, deliveries, notes };
}

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

/** The calls of a session in order, and the deliveries that arrive after each, and at the end; all have arrived. */
export function timelineOf(session: SessionLog) {
  const entries = merged(session);
  const positions = new Map(entries.map(({ id }, index) => [id, index]));
  const settled: DeliveryRecord[][] = Array.from({ length: entries.length + 1 }, () => []);
  for (const delivery of session.deliveries) {
    const cause = positions.get(delivery.causedBy ?? "") ?? entries.length;
    // Copies come from a rule that the recording arms itself.
    const times = delivery.attempts.filter(({ copy }) => !copy).map(({ at }) => at);
    const last = times.at(-1);
    const place = last === undefined ? entries.length : positionAt(entries, cause, last, times.length > 1);
    settled[place]?.push(delivery);
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

/**
 * The entry after which a delivery arrived: the last one before the instant, from its cause on. A retry goes out within an advance of the
 * clock: the one that reaches it, or the next one, which begins at the same instant, where it was overdue because the clock was set.
 */
function positionAt(entries: readonly Entry[], cause: number, at: number, isRetry: boolean): number {
  const later = entries.findIndex((entry, index) => index > cause && entry.at >= at);
  const position = later === -1 ? Math.max(cause, entries.length - 1) : later - 1;
  const isAdvance = ({ path }: Entry) => path === "/clock/advance";
  if (!isRetry || entries.slice(position, position + 1).some(isAdvance)) return position;
  const letOut = entries.findIndex((entry, index) => index > position && entry.at === at && isAdvance(entry));
  return letOut === -1 ? position : letOut;
}
