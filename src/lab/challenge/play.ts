/** Plays a scenario against a system under test, with a change applied. */

import { createHash } from "node:crypto";
import type { Transport } from "../../client/transport.js";
import type {
  DeliveryRecord,
  FaultInput,
  FaultRule,
  FixtureDocument,
  RequestRecord,
} from "../../client/types.js";
import { mapLeaves, valueAt } from "../../kernel/json.js";
import { countsOf, omitUndefined } from "../../kernel/objects.js";
import { monotonicNow, sleep } from "../../kernel/realtime.js";
import type { Duration } from "../../kernel/units.js";
import { transcriptsOf } from "../../scenarios/evidence.js";
import type { Target } from "../../scenarios/http.js";
import { transportTo } from "../../scenarios/http.js";
import { resetSandbox } from "../../scenarios/prepare.js";
import type { Scenario } from "../../scenarios/read.js";
import type { Report } from "../../scenarios/report.js";
import { StepFailure } from "../../scenarios/report.js";
import { runScenario } from "../../scenarios/run.js";
import type { Fields, ParsedStep, StepEngine } from "../../scenarios/step.js";
import { isPassive, mapSteps, waitMs } from "../../scenarios/step.js";
import type { Change, TemplateUse } from "./kinds.js";
import type { Facts, Wire } from "./wire.js";
import { isRefused, outcomeOf, refusalOf, sendsTemplate, templateCalls } from "./wire.js";

/** A sandbox whose webhooks lead to the system under test. */
export interface Stage {
  readonly target: Target & { readonly sandbox: string };
  /** Points its webhooks at the system under test, after each reset to the scenario's start. */
  readonly connect: (scenario: Scenario) => Promise<void>;
  readonly maxSteps?: number | undefined;
}

export interface Played {
  readonly report: Report;
  readonly outcome: Facts;
  readonly wire: Wire;
  /** The longest silence after the last step that a call ended, ms. */
  readonly lateMs: number;
  /** The current conversations, in Markdown. */
  readonly transcript: () => Promise<string>;
}

/** When a run is over, as an unchanged run has shown. */
export interface Pace {
  /** How long the system under test must be silent, ms, once it has made these calls. */
  readonly quietMs: number;
  /** How many calls of each operation succeed. */
  readonly calls: ReadonlyMap<string, number>;
  /** Whether the system under test has exited: no more calls can come. */
  readonly hasEnded?: () => boolean;
}

/** The longest wait for a system under test that keeps calling, ms. */
const MAX_SETTLE_MS = 5_000;
/** The shortest silence that ends a run, and the longest for one that has made all calls, ms. */
const MIN_QUIET_MS = 150;
const MAX_QUIET_MS = 2_000;
/** The shortest silence that ends a run in which calls are missing: the system under test may yet repeat them, ms. */
export const PATIENT_QUIET_MS = 1_000;

/** As in the first run. */
export const UNKNOWN_PACE: Pace = { quietMs: PATIENT_QUIET_MS, calls: new Map() };

/** Effects are waited for twice as long as the slowest one took, after a message or after everything else. */
export function paceOf({ report, lateMs, wire }: Played): Pace {
  const slowest = Math.max(lateMs, ...report.steps.map(({ latencyMs = 0 }) => latencyMs));
  const quietMs = Math.min(MAX_QUIET_MS, Math.max(MIN_QUIET_MS, Math.ceil(2 * slowest)));
  return { quietMs, calls: successesIn(wire.requests) };
}

/** The calls of the system under test that succeeded, by operation; one that a fault hit may be repeated. */
const successesIn = (requests: readonly RequestRecord[]): Map<string, number> =>
  countsOf(
    requests.flatMap(({ by, operation, status, fault }) =>
      by === "client" && operation !== null && status !== null && status < 300 && fault === undefined
        ? [operation]
        : [],
    ),
  );

/** Resets, plays a scenario, and waits until the system under test is quiet. @throws UnusableScenario, SimError */
export async function play(
  scenario: Scenario,
  change: Change,
  { target, connect, maxSteps }: Stage,
  { quietMs, calls: expected, hasEnded = () => false }: Pace,
  onStep?: (step: ParsedStep) => Promise<void>,
): Promise<Played> {
  const transport = transportTo(target);
  const faults = new ArmedFaults(transport, change.faults);
  const requests: RequestRecord[] = [];
  const deliveries: DeliveryRecord[] = [];
  const fired = new Set<FaultInput>();
  /** Keeps what a reset would clear. */
  const gather = async () => {
    requests.push(...(await transport.call<RequestRecord[]>("GET", "/requests")));
    deliveries.push(...(await transport.call<DeliveryRecord[]>("GET", "/deliveries")));
    for (const rule of await transport.call<FaultRule[]>("GET", "/faults")) {
      const fault = faults.armed.get(rule.id);
      if (fault !== undefined && rule.fired > 0) fired.add(fault);
    }
    return { requests, deliveries, fired, armed: faults.armed, released: faults.released };
  };
  const settled = async () => void (await settle(transport, hasEnded, () => quietMs));
  const begin = async () => {
    await resetSandbox(scenario, target, { apart: true });
    const adapted = await adapt(scenario, change, transport, settled);
    await connect(scenario);
    await transport.call("PATCH", "/behaviour", { body: change.behaviour ?? {} });
    await faults.arm();
    return adapted;
  };
  const adapted = await begin();
  const threads = new Set<string>();
  const beforeStep = async (step: ParsedStep) => {
    await onStep?.(step);
    const { thread = adapted.thread } = step.input;
    if (typeof thread === "string" || typeof thread === "number") threads.add(String(thread));
    if (!releases(change, step)) return faults.holdAgain();
    // Whatever overtakes a held delivery must have been tried first.
    if (faults.isHolding) await idle(transport);
    await faults.release();
  };
  const report = await runScenario(adapted, target, {
    fresh: true,
    reset: () => gather().then(begin),
    beforeStep,
    ...omitUndefined({ maxSteps }),
  });
  await faults.release();
  const patientMs = Math.max(PATIENT_QUIET_MS, quietMs, change.patienceMs ?? 0);
  const lateMs = await settle(transport, hasEnded, (calls) =>
    hasAll(expected, [...requests, ...calls]) ? quietMs : patientMs,
  );
  const state = await transport.call<FixtureDocument>("GET", "/state");
  const wire = await gather();
  return {
    report,
    outcome: outcomeOf(state, deliveries, change.offset),
    wire,
    lateMs,
    transcript: () => transcriptsOf(transport, threads),
  };
}

/** Applies a change to the state of a fresh sandbox and to the scenario. */
async function adapt(
  scenario: Scenario,
  change: Change,
  transport: Transport,
  settled: () => Promise<void>,
): Promise<Scenario> {
  const { templates, patienceMs } = change;
  const patient = patienceMs === undefined ? scenario : withPatience(scenario, patienceMs);
  if (change.offset === 0 && templates === undefined) return patient;
  const changed = changedState(await transport.call<FixtureDocument>("GET", "/state"), change);
  await transport.call("PUT", "/state", { body: changed.state });
  const renamed = withOtherIds(patient, changed.ids);
  return templates?.are === "empty" ? untilTemplate(renamed, templates.use, settled) : renamed;
}

/** Whether a step may wait for deliveries: observing steps do, except those that wait for messages in a thread. */
export const looksAtDeliveries = ({ kind }: ParsedStep): boolean =>
  kind.effect === "observes" && kind.inThread !== true;

const releases = ({ releasedBy }: Change, step: ParsedStep): boolean =>
  looksAtDeliveries(step) || (releasedBy === "any wait" && isPassive(step.kind));

async function idle(transport: Transport): Promise<void> {
  const body = { for: "idle", timeoutMs: MAX_SETTLE_MS };
  await transport.answer("POST", "/wait", { body, accept: [408] });
}

const LOOK_MS = 25;

/** Whether as many calls of each operation have succeeded. */
function hasAll(expected: Pace["calls"], requests: readonly RequestRecord[]): boolean {
  const made = successesIn(requests);
  return [...expected].every(([operation, count]) => (made.get(operation) ?? 0) >= count);
}

/**
 * Waits until the system under test is silent, or has exited.
 *
 * @param enoughMs for how long, after these calls
 * @returns the longest silence that a call ended, ms
 */
async function settle(
  transport: Transport,
  hasEnded: () => boolean,
  enoughMs: (calls: readonly RequestRecord[]) => number,
): Promise<number> {
  const callsOf = (query: object) =>
    transport.call<RequestRecord[]>("GET", "/requests", { query: { by: "client", ...query } });
  const started = monotonicNow();
  let [since, lateMs, neededMs] = [started, 0, 0];
  for (let newest: string | undefined; ; await sleep(LOOK_MS)) {
    await idle(transport);
    const now = monotonicNow();
    const [last] = await callsOf({ limit: 1 });
    if (neededMs === 0 || newest !== last?.id) {
      if (neededMs > 0) [since, lateMs] = [now, Math.max(lateMs, now - since)];
      newest = last?.id;
      neededMs = enoughMs(await callsOf({}));
    }
    if (hasEnded() || now - since >= neededMs || now - started >= MAX_SETTLE_MS) return lateMs;
  }
}

/** The fault rules of a change in a sandbox. */
class ArmedFaults {
  /** All rules that were ever armed, by id. */
  readonly armed = new Map<string, FaultInput>();
  /** Deliveries that were still held back when their rule was removed. */
  readonly released = new Set<string>();
  /** The ids of the rules that hold deliveries back now. */
  #holding: string[] = [];

  constructor(
    readonly transport: Transport,
    readonly faults: readonly FaultInput[],
  ) {}

  get isHolding(): boolean {
    return this.#holding.length > 0;
  }

  /** Arms rules; all of them after a reset, which has removed them. */
  async arm(faults = this.faults): Promise<void> {
    this.#holding = [];
    for (const body of faults) {
      const { id } = await this.transport.call<FaultRule>("POST", "/faults", { body });
      this.armed.set(id, body);
      if (holdsBack(body)) this.#holding.push(id);
    }
  }

  /** Removes rules that hold deliveries back, which releases the deliveries. */
  async release(): Promise<void> {
    if (!this.isHolding) return;
    for (const { id, status, attempts } of await this.transport.call<DeliveryRecord[]>("GET", "/deliveries"))
      if (status === "pending" && attempts.length === 0) this.released.add(id);
    for (const id of this.#holding) await this.transport.answer("DELETE", `/faults/${id}`, { accept: [404] });
    this.#holding = [];
  }

  /** Arms the released rules again. */
  async holdAgain(): Promise<void> {
    if (!this.isHolding) await this.arm(this.faults.filter(holdsBack));
  }
}

const holdsBack = ({ then }: FaultInput): boolean => typeof then === "object" && then.reorder === true;

interface Renamed {
  readonly state: FixtureDocument;
  /** New ids of threads and templates by their old ones. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Another contentSid, always the same one. */
const renamed = (contentSid: string): string =>
  `HX${createHash("sha256").update(contentSid).digest("hex").slice(0, 32)}`;

function changedState(state: FixtureDocument, { offset, templates }: Change): Renamed {
  const { threads, messages } = state;
  const kept = templates?.are === "empty" ? [] : state.templates;
  const templateIds = kept.map(({ id }) => [id, templates === undefined ? id : renamed(id)] as const);
  const threadIds = threads.map(({ id }) => [id, String(Number(id) + offset)] as const);
  const ids = new Map([...templateIds, ...threadIds]);
  const idOf = (id: string) => ids.get(id) ?? id;
  return {
    ids,
    state: {
      ...state,
      templates: kept.map((template) => ({ ...template, id: idOf(template.id) })),
      threads: threads.map((thread) => ({ ...thread, id: idOf(thread.id) })),
      messages: messages.map(({ threadId, contentSid, ...message }) => ({
        ...message,
        threadId: idOf(threadId),
        contentSid: contentSid === null || templates?.are === "empty" ? null : idOf(contentSid),
      })),
    },
  };
}

/** The scenario with new ids, where they stand as a whole value or in a path or query. */
function withOtherIds(scenario: Scenario, ids: Renamed["ids"]): Scenario {
  const inPath = /\b((?:customerT|t)hreadId=|\/threads\/)(\d+)\b/g;
  const changed = (value: unknown): unknown => {
    const id = ids.get(String(value));
    if (id !== undefined) return typeof value === "number" ? Number(id) : id;
    if (typeof value !== "string") return value;
    return value.replace(inPath, (_, before, id) => before + (ids.get(id) ?? id));
  };
  const { thread } = scenario;
  return {
    ...withInputs(scenario, (input) => mapLeaves(input, changed) as Fields),
    ...(thread !== undefined && { thread: ids.get(thread) ?? thread }),
  };
}

/** The scenario with expectations that wait longer. */
const withPatience = (scenario: Scenario, ms: number): Scenario => ({
  ...withInputs(scenario, (input) => {
    const { within } = input;
    if (within === undefined || String(within).includes("${")) return input;
    return { ...input, within: waitMs(within as Duration, undefined) + ms };
  }),
  within: waitMs(undefined, scenario.within) + ms,
});

const withInputs = (scenario: Scenario, change: (input: Fields) => Fields): Scenario => ({
  ...scenario,
  steps: mapSteps(scenario.steps, (step) => ({ ...step, input: change(step.input) })),
});

/** @returns undefined if it neither listed nor sent a template */
export function templateUseIn(
  requests: readonly RequestRecord[],
  { steps }: Report,
): TemplateUse | undefined {
  const lists = ({ response }: RequestRecord) => valueAt(response, ["templates", 0]) !== undefined;
  const first = templateCalls(requests).find((call) => sendsTemplate(call) || lists(call));
  if (first === undefined) return undefined;
  const thread = valueAt(first.body, ["customerThreadId"]) ?? first.query.customerThreadId;
  const step = steps.find(({ said }) => said?.who === "client" && said.template !== undefined);
  const refused = new Set(requests.filter(isRefused).map(refusalOf));
  return { thread: String(thread), step: step?.place.path, refused };
}

export const REFUSED = "without templates, a call was refused";
export const UNANSWERED = "without templates, the response to an event was not a success";

const NEXT = "Hello?";

/**
 * The scenario up to the step that waits for a template. In place of that step, no call may be refused that the unchanged
 * run does not have refused, and the next event must be answered with a success.
 *
 * @param settled resolves when the system under test is quiet
 */
function untilTemplate(
  scenario: Scenario,
  { thread, step: path, refused }: TemplateUse,
  settled: () => Promise<void>,
): Scenario {
  const run = async (context: StepEngine) => {
    const { transport } = context;
    await settled();
    const refusal = (await transport.call<RequestRecord[]>("GET", "/requests")).find(
      (request) => isRefused(request) && !refused.has(refusalOf(request)),
    );
    if (refusal !== undefined) {
      const { id: about, operation, status, response } = refusal;
      throw new StepFailure(REFUSED, {
        expected: "no refused call",
        seen: { operation, status, response },
        about,
      });
    }
    const { length: before } = await transport.call<DeliveryRecord[]>("GET", "/deliveries");
    await context.control("POST", `/threads/${context.threadId(thread)}/inbound`, { text: NEXT });
    await settled();
    const deliveries = await transport.call<DeliveryRecord[]>("GET", "/deliveries");
    const unanswered = deliveries.slice(before).find(({ status }) => status === "failed");
    if (unanswered !== undefined) {
      const { status, error } = unanswered.attempts.at(-1) ?? {};
      throw new StepFailure(UNANSWERED, {
        expected: "a success",
        seen: status ?? error,
        about: unanswered.id,
      });
    }
    return {};
  };
  const inPlaceOf = ({ kind, name, id, place }: ParsedStep): ParsedStep => {
    const { call: _, ...own } = kind;
    return { name, id, place, input: {}, kind: { ...own, key: "reply", effect: "observes", run } };
  };
  let isReached = false;
  const steps = mapSteps(scenario.steps, (step) => {
    if (isReached) return undefined;
    isReached = step.place.path === path;
    if (isReached) return inPlaceOf(step);
    // The `repeat` with that step in it ends there too.
    const isAround = path?.startsWith(`${step.place.path}.`);
    return isAround ? { ...step, input: { ...step.input, times: 1 } } : step;
  });
  const last = scenario.steps.at(-1);
  return { ...scenario, steps: isReached || last === undefined ? steps : [...steps, inPlaceOf(last)] };
}
