/** Turns what a sandbox has written down into a scenario that replays it (contract section 1, `record`). */
import type { Start } from "../client/types.js";
import { isoOf } from "../kernel/realtime.js";
import { controlStep, unsigned } from "./control-steps.js";
import { DeliverySteps } from "./delivery-steps.js";
import type { Draft } from "./draft.js";
import { written } from "./draft.js";
import { receiversOf } from "./receivers.js";
import { References } from "./references.js";
import { requestStep, type Tokens } from "./request-steps.js";
import { withoutSecrets } from "./secrets.js";
import type { SessionLog } from "./session-log.js";
import type { Entry } from "./timeline.js";
import { timelineOf } from "./timeline.js";

/** A recording: a scenario as the object that its file would give. */
export interface Recording {
  readonly scenario: Readonly<Record<string, unknown>>;
  /** What could not be recorded: a line each. */
  readonly notes: readonly string[];
}

/** What every simulator starts with that is told nothing. */
const DEFAULT_SEED = 1;
/** How long expectations wait where faults hold things up. */
const PATIENT_WITHIN = "10s";

/**
 * @example
 * const { scenario, notes } = recordingOf(await materialOf(wire, "default"));
 */
export function recordingOf(material: SessionLog): Recording {
  const notes = [...material.notes];
  const { start, rest } = withFirstState(material);
  const timeline = timelineOf(rest);
  const thread = mainThread(timeline.entries, start);
  const tokens = tokensOf(rest);
  const references = new References(start.fixtures, thread);
  const deliveries = new DeliverySteps(rest.deliveries);
  const receivers = receiversOf(timeline, references);
  const drafts: Draft[] = [];
  const garbling = timeline.entries.findIndex((entry) => entry.kind === "control" && malforms(entry.control));
  for (const [position, entry] of timeline.entries.entries()) {
    drafts.push(...receivers(position));
    const garbled = garbling !== -1 && garbling < position;
    const draft = stepOf(entry, { tokens, references, notes, garbled });
    if (draft !== undefined) drafts.push(draft);
    for (const delivery of timeline.settled[position] ?? [])
      drafts.push(deliveries.step(delivery, references));
  }
  for (const delivery of timeline.settled[timeline.entries.length] ?? [])
    if (isSettled(delivery)) drafts.push(deliveries.step(delivery, references));
  return {
    scenario: {
      name: `Recorded from the sandbox ${rest.sandbox}`,
      ...beginningOf(start),
      ...(tokens.main === undefined ? {} : { token: tokens.main }),
      ...(thread === undefined ? {} : { thread }),
      ...(rest.controls.some(holdsUp) ? { within: PATIENT_WITHIN } : {}),
      steps: drafts.map(written),
    },
    notes: [...notes, ...blockedNotes(rest)],
  };
}

interface Context {
  readonly tokens: Tokens;
  readonly references: References;
  readonly notes: string[];
  readonly garbled: boolean;
}

function stepOf(entry: Entry, { tokens, references, notes, garbled }: Context): Draft | undefined {
  if (entry.kind === "control") {
    const { method, path, body } = entry.control;
    if (path === "/state" && body === null) notes.push("PUT /state was too large to be kept: it is left out");
    else if (
      /^\/snapshots\/.+\/restore$/.test(path) &&
      !references.isKept(decodeURIComponent(path.slice(11, -8)))
    )
      notes.push(`${method} ${path} went back to before the recording: it is left out`);
    else return controlStep(entry.control, references);
    return undefined;
  }
  const { id, method, path, durationMs } = entry.request;
  const step = durationMs === null ? undefined : requestStep(entry.request, tokens, references, garbled);
  if (step === undefined)
    notes.push(
      `${id} ${method} ${path} ${durationMs === null ? "has no answer yet" : "fits no step"}: it is left out`,
    );
  return step;
}

/** A state that was put in place before anything else happened is what the scenario starts from. */
function withFirstState(material: SessionLog): { readonly start: Start; readonly rest: SessionLog } {
  const { start, controls } = material;
  const [first, ...others] = controls;
  const isFirst =
    first?.method === "PUT" && first.path === "/state" && first.after === null && first.body !== null;
  if (!isFirst) return { start, rest: material };
  const fixtures = first.body as Start["fixtures"];
  return { start: { ...start, fixtures, standard: false }, rest: { ...material, controls: others } };
}

/** What the scenario says about its beginning: only what is not as with any other simulator. */
function beginningOf({ fixtures, standard, behaviour, seed, clock }: Start): object {
  const signature = behaviour["delivery.signature"];
  const values = {
    ...behaviour,
    ...(signature == null ? {} : { "delivery.signature": unsigned(signature) }),
  };
  return {
    ...(standard ? {} : { fixtures: withoutSecrets(withoutEmpty(fixtures)) }),
    ...(Object.keys(values).length === 0 ? {} : { behaviour: values }),
    ...(clock === null ? {} : { clock: isoOf(clock) }),
    ...(seed === DEFAULT_SEED ? {} : { seed }),
  };
}

const withoutEmpty = (fixtures: object): object =>
  Object.fromEntries(Object.entries(fixtures).filter(([, records]) => (records as unknown[]).length > 0));

/** The thread of the beginning that most is said in. */
function mainThread(entries: readonly Entry[], { fixtures }: Start): string | undefined {
  const known = new Set((fixtures.threads ?? []).map(({ id }) => id));
  return mostFrequent(
    entries.flatMap((entry) => {
      const named =
        entry.kind === "control"
          ? /^\/(?:data\/)?threads\/([^/]+)/.exec(entry.control.path)?.[1]
          : ((entry.request.body as { customerThreadId?: unknown } | null)?.customerThreadId ??
            entry.request.query.customerThreadId);
      const thread = named === undefined ? undefined : decodeURIComponent(String(named));
      return thread !== undefined && known.has(thread) ? [thread] : [];
    }),
  );
}

/** Tokens by the names that a fixture gives them; any other is nobody's business. */
function tokensOf({ start, sandbox, requests, controls }: SessionLog): Tokens {
  const names = new Set((start.fixtures.tokens ?? []).map(({ id }) => id));
  for (const { path, body } of controls) {
    const records =
      path === "/data/tokens" ? [body] : path === "/state" ? (body as { tokens?: [] } | null)?.tokens : [];
    for (const record of records ?? []) names.add(String((record as { id?: unknown }).id));
  }
  const prefix = `${sandbox}.`;
  const nameOf = (sent: string) => {
    const name = sent.startsWith(prefix) ? sent.slice(prefix.length) : sent;
    return names.has(name) ? name : undefined;
  };
  const used = requests.flatMap(({ token }) => (token === null ? [] : (nameOf(token) ?? [])));
  return { main: mostFrequent(used), nameOf };
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** Whether a delivery stays as it is until somebody does something. */
const isSettled = ({ status, nextAttemptAt, attempts }: SessionLog["deliveries"][number]): boolean =>
  status !== "pending" || nextAttemptAt !== null || attempts.length > 0;

/** Whether a control call makes answers come as something else than the journal says. */
const malforms = ({ method, path, body }: SessionLog["controls"][number]): boolean =>
  method === "POST" && path === "/faults" && /"malformed":true/.test(JSON.stringify(body));

/** Whether a control call makes later ones wait in real time. */
const holdsUp = ({ method, path, body }: SessionLog["controls"][number]): boolean =>
  method !== "DELETE" && /^\/(faults|sinks)/.test(path) && /"delayMs":[^0]|"slow"/.test(JSON.stringify(body));

function blockedNotes({ deliveries }: SessionLog): string[] {
  const outside = deliveries.filter(
    ({ url, status }) => status !== "blocked" && /^https?:\/\/[^/]*\.[a-z]/i.test(url),
  );
  const hosts = new Set(outside.map(({ url }) => new URL(url).host));
  return [...hosts].map((host) => `deliveries went to ${host}: a replay needs --allow-outbound for it`);
}
