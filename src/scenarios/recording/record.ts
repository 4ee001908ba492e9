/** Turns the logs of a sandbox into a scenario that tests the system under test. */
import type { Node } from "yaml";
import { Document, isCollection, isPair, visit } from "yaml";
import type { ControlRecord, RequestRecord, Start } from "../../client/types.js";
import { BOUNDS } from "../../kernel/bounds.js";
import { sizeProblem, valueAt } from "../../kernel/json.js";
import { countsOf, omitUndefined } from "../../kernel/objects.js";
import { isPrintable, printable, printableLines } from "../../kernel/printable.js";
import { isoOf } from "../../kernel/realtime.js";
import { sizeFault } from "../../kernel/yaml-text.js";
import { withoutSecrets } from "../trace.js";
import { controlStep, maskedSignature } from "./control-steps.js";
import { deliverySteps } from "./deliveries.js";
import type { Draft } from "./references.js";
import { References, writtenStep } from "./references.js";
import type { Tokens } from "./request-steps.js";
import { expectationOf, PATIENT_FROM_MS, requestStep, threadKey, withoutReceivers } from "./request-steps.js";
import type { Entry, SessionLog } from "./session.js";
import { isCall, overlapsIn, threadOf, timelineOf } from "./session.js";

interface Recording {
  /** There is no step: nothing has happened. */
  readonly isEmpty: boolean;
  readonly scenario: Readonly<Record<string, unknown>>;
  readonly guesses: ReadonlyMap<number, string>;
  readonly notes: readonly string[];
}

const DEFAULT_SEED = 1;
/** For expectations, if faults delay answers. */
const LONG_WITHIN = "10s";

/**
 * Actions of customers, employees and clock become steps, those of the system under test expectations.
 *
 * @example
 * const { scenario, notes } = recordingOf(await sessionLogOf(controlApi(url), "default"));
 */
export function recordingOf(session: SessionLog): Recording {
  const log = withStartFaults(withFirstState(withoutReceivers(session)));
  const { start } = log;
  const notes = [...log.notes];
  const { entries, settled } = timelineOf(log);
  const thread = mainThread(entries, start);
  const tokens = tokensIn(log);
  const references = new References(start.fixtures, thread);
  const stepOf = deliverySteps(log.deliveries, references);
  const drafts: Draft[] = [];
  let isMalformed = false;
  const overlapped = overlapsIn(log, entries);
  const isExpected = (entry: Entry): entry is RequestRecord => isCall(entry) && entry.by === "client";
  const draftsOf = (entry: Entry): Draft[] => {
    if (isExpected(entry)) return [expectationOf(entry, references, start.fixtures.templates ?? [])];
    const drafted = isCall(entry)
      ? [requestStep(entry, tokens, references, isMalformed)]
      : [controlStep(entry, references) ?? []].flat();
    const before = overlapped.get(entry.id);
    const guess = `this came before the response to ${before}, and may have come before the call`;
    // Not copied: `references` has the draft, and gives it an id when a later step reads its outcome.
    if (before !== undefined)
      for (const draft of drafted) draft.guess = [guess, draft.guess ?? []].flat().join("; ");
    return drafted;
  };
  for (const [position, entry] of entries.entries()) {
    const omission = whyLeftOut(entry, references, isExpected(entry));
    if (omission === undefined) drafts.push(...draftsOf(entry));
    else notes.push(`${omission}: left out`);
    isMalformed ||= malforms(entry);
    drafts.push(...(settled[position] ?? []).map(stepOf));
  }
  drafts.push(...(settled[entries.length] ?? []).map(stepOf));
  if (log.awaitsReply) {
    const reply = { ...threadKey(log.thread ?? "", references), within: LONG_WITHIN };
    drafts.push({ noun: "reply", step: { reply } });
  }
  return {
    isEmpty: drafts.length === 0,
    scenario: {
      name: `Recorded from ${log.thread === undefined ? "" : `thread ${log.thread} of `}the sandbox ${log.sandbox}`,
      ...startKeys(start),
      ...omitUndefined({
        token: tokens.main,
        thread,
        within: log.controls.some(delays) || isSlow(log, entries) ? LONG_WITHIN : undefined,
      }),
      steps: drafts.map(writtenStep),
    },
    guesses: new Map(drafts.flatMap(({ guess }, index) => (guess === undefined ? [] : [[index, guess]]))),
    notes,
  };
}

/** Why an entry can be no step. A scenario can expect calls to paths that it cannot call itself. */
function whyLeftOut(entry: Entry, references: References, isExpected: boolean): string | undefined {
  const { method, path, body } = entry;
  const call = `${method} ${path}`;
  if (isCall(entry)) {
    if (entry.durationMs === null) return `${entry.id} ${call} has no response yet`;
    return isExpected || /^\/\S*$/.test(path) ? undefined : `${entry.id} ${call} does not fit any step`;
  }
  if (path === "/state" && body === null) return "PUT /state was too large for the log";
  const [, snapshot] = /^\/snapshots\/(.+)\/restore$/.exec(path) ?? [];
  return snapshot === undefined || references.snapshots.has(decodeURIComponent(snapshot))
    ? undefined
    : `${call} restored a state from before the recording`;
}

/** Whether the system under test took long to make a call, in a sandbox with a running clock. */
const isSlow = ({ start }: SessionLog, entries: readonly Entry[]): boolean =>
  start.clock === null &&
  entries.some((entry, index) => {
    const { at = entry.at } = entries[index - 1] ?? {};
    return isCall(entry) && entry.by === "client" && entry.at - at > PATIENT_FROM_MS;
  });

/** A state that was set before anything else is the scenario's start. */
function withFirstState(log: SessionLog): SessionLog {
  const [first, ...controls] = log.controls;
  const isFirst =
    first?.method === "PUT" && first.path === "/state" && first.after === null && first.body !== null;
  if (!isFirst) return log;
  const fixtures = first.body as Start["fixtures"];
  return { ...log, start: { ...log.start, fixtures, standard: false, shipped: false }, controls };
}

/** The initial faults as first steps, after those of the scenario's target are removed. */
function withStartFaults(log: SessionLog): SessionLog {
  const { faults } = log.start;
  if (faults.length === 0) return log;
  const at = log.controls[0]?.at ?? log.requests[0]?.at ?? 0;
  const call = { id: "c0", at, after: null, path: "/faults", query: {}, status: 201 };
  const armed = faults.map((rule, index) => ({
    ...call,
    method: "POST",
    body: rule,
    response: { id: `f${index + 1}` },
  }));
  const cleared = { ...call, method: "DELETE", body: null, response: null };
  return { ...log, controls: [cleared, ...armed, ...log.controls] };
}

/** The parts of the start that differ from a simulator's defaults. */
function startKeys({ fixtures, shipped, behaviour, seed, clock }: Start): object {
  const signature = behaviour["delivery.signature"];
  const values = {
    ...behaviour,
    ...(signature != null && { "delivery.signature": maskedSignature(signature) }),
  };
  return omitUndefined({
    fixtures: shipped ? undefined : withoutSecrets(withoutEmpty(fixtures)),
    behaviour: Object.keys(values).length === 0 ? undefined : values,
    clock: clock === null ? undefined : isoOf(clock),
    seed: seed === DEFAULT_SEED ? undefined : seed,
  });
}

const withoutEmpty = (fixtures: Start["fixtures"]): object =>
  Object.fromEntries(Object.entries(fixtures).filter(([, records]) => records.length > 0));

/** The initial thread that most calls are about. */
function mainThread(entries: readonly Entry[], { fixtures }: Start): string | undefined {
  const known = new Set((fixtures.threads ?? []).map(({ id }) => id));
  return mostFrequent(
    entries.flatMap((entry) => {
      const thread = threadOf(entry);
      return thread !== undefined && known.has(thread) ? [thread] : [];
    }),
  );
}

/** Tokens by their names in the fixture; recordings hold no others. */
function tokensIn({ start, sandbox, requests, controls }: SessionLog): Tokens {
  const names = new Set((start.fixtures.tokens ?? []).map(({ id }) => id));
  for (const { path, body } of controls) {
    const records = path === "/data/tokens" ? [body] : path === "/state" ? valueAt(body, ["tokens"]) : [];
    for (const record of Array.isArray(records) ? records : []) names.add(String(valueAt(record, ["id"])));
  }
  const prefix = `${sandbox}.`;
  const nameOf = (sent: string) => {
    const name = sent.startsWith(prefix) ? sent.slice(prefix.length) : sent;
    return names.has(name) ? name : undefined;
  };
  const used = requests.flatMap(({ token }) => (token === null ? [] : (nameOf(token) ?? [])));
  return { main: mostFrequent(used), nameOf };
}

const mostFrequent = (values: readonly string[]): string | undefined =>
  [...countsOf(values)].sort(([, a], [, b]) => b - a)[0]?.[0];

/** Whether an entry makes answers differ from the journal. */
const malforms = ({ method, path, body }: Entry): boolean =>
  method === "POST" && path === "/faults" && /"malformed":true/.test(JSON.stringify(body));

/** Whether a control call delays later ones in real time. */
const delays = ({ method, path, body }: ControlRecord): boolean =>
  method !== "DELETE" && /^\/(faults|sinks)/.test(path) && /"delayMs":[^0]|"slow"/.test(JSON.stringify(body));

const WIDTH = 100;
const HEAD = [" yaml-language-server: $schema=node_modules/messaging-sim/schemas/scenario.json"];

/** The recording as YAML, or as JSON if it is too large to be read again as YAML. */
export function recordingText(recording: Recording): string {
  const { scenario } = recording;
  // Writing a large YAML document takes long, so a scenario that is certainly too large is never written as one.
  const isTooLarge =
    sizeProblem(scenario, { values: BOUNDS.yamlNodes.limit, depth: Number.POSITIVE_INFINITY }) !== undefined;
  const text = isTooLarge ? undefined : yamlOf(recording);
  return text !== undefined && sizeFault(text) === undefined
    ? text
    : `${printableLines(JSON.stringify(scenario, null, 1))}\n`;
}

function yamlOf({ scenario, notes, guesses }: Recording): string {
  const document = new Document(scenario, { aliasDuplicateObjects: false });
  document.commentBefore = [...HEAD, ...notes.map((note) => ` Note: ${printable(note)}`)].join("\n");
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && !isPrintable(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  const steps = document.get("steps");
  layOutParts(document.contents, steps);
  if (isCollection(steps))
    for (const [index, step] of (steps.items as Node[]).entries()) {
      layOutParts(step);
      const guess = guesses.get(index);
      if (guess !== undefined) step.commentBefore = ` Guessed: ${printable(guess)}`;
    }
  // In quotes, where the text of an escape is the character.
  return printableLines(document.toString({ lineWidth: 0 }));
}

/** Puts each part but one on one line if it fits. */
function layOutParts(node: unknown, except?: unknown): void {
  if (!isCollection(node)) return;
  for (const item of node.items) {
    const part = isPair(item) ? item.value : item;
    if (part !== except) layOut(part as Node);
  }
}

function layOut(node: Node): void {
  if (!isCollection(node)) return;
  node.flow = true;
  if (node.items.length === 0 || widthOf(node) <= WIDTH) return;
  node.flow = false;
  layOutParts(node);
}

const widthOf = (node: Node): number => {
  const text = new Document(node).toString({ lineWidth: 0 }).trimEnd();
  return text.includes("\n") ? Number.POSITIVE_INFINITY : text.length;
};
