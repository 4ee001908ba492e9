/** Plays a scenario against a system under test, with a change applied. */

import { createHash } from "node:crypto";
import type { Transport } from "../../client/transport.js";
import type {
  CoverageReport,
  DeliveryRecord,
  FaultRule,
  FixtureDocument,
  RequestRecord,
} from "../../client/types.js";
import { mapLeaves } from "../../kernel/json.js";
import { numberOf, omitUndefined } from "../../kernel/objects.js";
import { monotonicNow, sleep } from "../../kernel/realtime.js";
import type { Duration } from "../../kernel/units.js";
import { segment } from "../../protocol/names.js";
import { transcriptsOf } from "../../scenarios/evidence.js";
import type { Target } from "../../scenarios/http.js";
import { transportTo } from "../../scenarios/http.js";
import { resetSandbox } from "../../scenarios/prepare.js";
import type { Scenario } from "../../scenarios/read.js";
import type { Report } from "../../scenarios/report.js";
import type { RunOptions } from "../../scenarios/run.js";
import { runScenario } from "../../scenarios/run.js";
import type { Fields, ParsedStep } from "../../scenarios/step.js";
import { mapSteps, waitMs } from "../../scenarios/step.js";
import { reportSince } from "../coverage/report.js";
import type { Facts } from "./facts.js";
import { differencesOf, factsOf } from "./facts.js";
import type { Change } from "./table.js";

/** A system under test that this process started. */
interface SystemControl {
  /** How it exited; undefined while it runs. */
  readonly ended: () => string | undefined;
  readonly exited: () => NonNullable<RunOptions["systemEnded"]>;
  readonly restart: () => Promise<void>;
}

/** A sandbox whose webhooks lead to the system under test. */
export interface Stage {
  readonly target: Target & { readonly sandbox: string };
  /** Points its webhooks at the system under test, after each reset to the scenario's start. */
  readonly connect: () => Promise<void>;
  /** Undefined if the system under test runs already. */
  readonly system?: SystemControl | undefined;
  readonly maxSteps?: number | undefined;
}

/** A step that begins, and the numbers of the newest call and delivery before it. */
export interface Mark {
  readonly step: ParsedStep;
  readonly calls: number;
  readonly deliveries: number;
}

export interface Played {
  readonly report: Report;
  readonly facts: Facts;
  readonly calls: readonly RequestRecord[];
  readonly deliveries: readonly DeliveryRecord[];
  /** What was met and consulted. */
  readonly met: CoverageReport;
  /** Why the fault of the change had no effect; undefined if it had one, or there is none. */
  readonly unmet: string | undefined;
  /** The steps until the first reset, if they were to be noted. */
  readonly marks: readonly Mark[];
  /** The longest silence after the last step that a call ended, ms. */
  readonly lateMs: number;
  /** The current conversations, in Markdown. */
  readonly transcript: () => Promise<string>;
}

/** When a run is over, as an unchanged run has shown. */
export interface Pace {
  /** How long the system under test must be silent, ms. */
  readonly quietMs: number;
  /** The facts that it is expected to leave: if some differ, it gets more time. */
  readonly facts: Facts;
  readonly except: ReadonlySet<string>;
}

/** The longest wait for a system under test that keeps calling, ms. */
const MAX_SETTLE_MS = 5_000;
/** The silence that ends a run: the shortest, the longest, and the one that proves that calls are missing, ms. */
const MIN_QUIET_MS = 150;
const MAX_QUIET_MS = 2_000;
const PATIENT_QUIET_MS = 1_000;

/** As in the first run. */
export const UNKNOWN_PACE: Pace = { quietMs: PATIENT_QUIET_MS, facts: new Map(), except: new Set() };

/** Effects are waited for twice as long as the slowest one took, after a message or after everything else. */
export function quietMsOf({ report, lateMs }: Played): number {
  const slowest = Math.max(lateMs, ...report.steps.map(({ latencyMs = 0 }) => latencyMs));
  return Math.min(MAX_QUIET_MS, Math.max(MIN_QUIET_MS, Math.ceil(2 * slowest)));
}

/** Resets, plays a scenario, and waits until the system under test is quiet. @throws UnusableScenario, SimError */
export async function play(
  scenario: Scenario,
  change: Change,
  stage: Stage,
  pace: Pace,
  notesSteps = false,
): Promise<Played> {
  const { target, connect, system, maxSteps } = stage;
  const { fault, behaviour, offset = 0, patienceMs = 0 } = change;
  const transport = transportTo(target);
  const calls: RequestRecord[] = [];
  const deliveries: DeliveryRecord[] = [];
  const marks: Mark[] = [];
  const threads = new Set<string>();
  let rule: FaultRule | undefined;
  let [fired, hasReset] = [0, false];
  let unmet = fault && "nothing in the run triggered the fault";
  const newest = async (log: "/requests" | "/deliveries") =>
    numberOf((await transport.call<{ id: string }[]>("GET", log, { query: { limit: 1 } }))[0]?.id);
  const sent = () => transport.call<DeliveryRecord[]>("GET", "/deliveries");
  const coverage = () =>
    transportTo({ ...target, sandbox: undefined }).call<CoverageReport>(
      "GET",
      `/sandboxes/${segment(target.sandbox)}/coverage`,
    );
  const begin = async () => {
    await resetSandbox(scenario, target, { apart: true });
    const adapted = await adapt(scenario, change, transport);
    await connect();
    if (behaviour !== undefined) await transport.call("PATCH", "/behaviour", { body: behaviour });
    // A fault of one call does not come back after a reset by the scenario.
    if (fault !== undefined && (fired === 0 || fault.times === undefined))
      rule = await transport.call<FaultRule>("POST", "/faults", { body: fault });
    return adapted;
  };
  /** Removes the rule of the fault, which releases a delivery that it holds back, and notes whether it had an effect. */
  const disarm = async () => {
    if (rule === undefined) return;
    const held = `held by fault ${rule.id} `;
    const isHeld = (await sent()).some(({ reason }) => reason?.startsWith(held));
    const { body } = await transport.answer<FaultRule>("DELETE", `/faults/${rule.id}`);
    rule = undefined;
    fired += body.fired;
    if (body.then.reorder && isHeld) unmet = "no other event came before a step waited for this one";
    else if (fired > 0) unmet = undefined;
    else unmet = body.note ?? unmet;
  };
  /** Keeps what a reset would clear. */
  const gather = async () => {
    calls.push(...(await transport.call<RequestRecord[]>("GET", "/requests")));
    deliveries.push(...(await sent()));
  };
  const adapted = await begin();
  const before = await coverage();
  const report = await runScenario(adapted, target, {
    fresh: true,
    reset: async () => {
      hasReset = true;
      await disarm();
      await gather();
      await begin();
    },
    beforeStep: async (step) => {
      const { thread = adapted.thread } = step.input;
      if (typeof thread === "string" || typeof thread === "number") threads.add(String(thread));
      if (step.kind.key === "clearFaults") await disarm();
      if (notesSteps && !hasReset)
        marks.push({ step, calls: await newest("/requests"), deliveries: await newest("/deliveries") });
    },
    ...omitUndefined({ maxSteps, systemEnded: system?.exited() }),
  });
  if (rule?.then.reorder) await disarm();
  const factsNow = async () => {
    const state = await transport.call<FixtureDocument>("GET", "/state");
    return factsOf(state, [...deliveries, ...(await sent())], offset);
  };
  const isAlike = async () => differencesOf(pace.facts, await factsNow(), pace.except).length === 0;
  const lateMs = await settle(transport, {
    hasEnded: () => system?.ended() !== undefined,
    quietMs: pace.quietMs,
    patientMs: Math.max(PATIENT_QUIET_MS, pace.quietMs) + patienceMs,
    // After a failure, only a system under test that is not restarted may still disturb the next run.
    isEnough: async () => (report.ok ? behaviour !== undefined || (await isAlike()) : system !== undefined),
  });
  await disarm();
  const facts = await factsNow();
  await gather();
  const met = reportSince(before, await coverage());
  const transcript = () => transcriptsOf(transport, threads);
  return { report, facts, calls, deliveries, met, unmet, marks, lateMs, transcript };
}

const LOOK_MS = 25;

interface Quiet {
  readonly hasEnded: () => boolean;
  /** How long it must be silent, and how long if that is not enough, ms. */
  readonly quietMs: number;
  readonly patientMs: number;
  readonly isEnough: () => Promise<boolean>;
}

/**
 * Waits until the system under test is silent, or has exited.
 *
 * @returns the longest silence that a call ended, ms
 */
async function settle(
  transport: Transport,
  { hasEnded, quietMs, patientMs, isEnough }: Quiet,
): Promise<number> {
  const started = monotonicNow();
  let [since, lateMs, isAsked] = [started, 0, false];
  for (let newest: string | undefined; ; await sleep(LOOK_MS)) {
    const body = { for: "idle", timeoutMs: MAX_SETTLE_MS };
    await transport.answer("POST", "/wait", { body, accept: [408] });
    const now = monotonicNow();
    const query = { by: "client", limit: 1 };
    const [last] = await transport.call<RequestRecord[]>("GET", "/requests", { query });
    if (newest !== last?.id) {
      if (newest !== undefined) lateMs = Math.max(lateMs, now - since);
      [newest, since, isAsked] = [last?.id, now, false];
    }
    const quiet = monotonicNow() - since;
    if (hasEnded() || quiet >= patientMs || now - started >= MAX_SETTLE_MS) return lateMs;
    // Until the next call, the answer stays the same.
    if (quiet >= quietMs && !isAsked) {
      if (await isEnough()) return lateMs;
      isAsked = true;
    }
  }
}

/** Applies a change to the state of a fresh sandbox and to the scenario. */
async function adapt(
  scenario: Scenario,
  { offset = 0, renamesTemplates = false, patienceMs = 0 }: Change,
  transport: Transport,
): Promise<Scenario> {
  const patient = patienceMs === 0 ? scenario : withPatience(scenario, patienceMs);
  if (offset === 0 && !renamesTemplates) return patient;
  const state = await transport.call<FixtureDocument>("GET", "/state");
  const ids = new Map([
    ...state.templates.map(({ id }) => [id, renamesTemplates ? renamed(id) : id] as const),
    ...state.threads.map(({ id }) => [id, String(Number(id) + offset)] as const),
  ]);
  const idOf = (id: string) => ids.get(id) ?? id;
  const body = {
    ...state,
    templates: state.templates.map((template) => ({ ...template, id: idOf(template.id) })),
    threads: state.threads.map((thread) => ({ ...thread, id: idOf(thread.id) })),
    messages: state.messages.map(({ threadId, contentSid, ...message }) => ({
      ...message,
      threadId: idOf(threadId),
      contentSid: contentSid === null ? null : idOf(contentSid),
    })),
  };
  await transport.call("PUT", "/state", { body });
  return withOtherIds(patient, ids);
}

/** Another contentSid, always the same one. */
const renamed = (contentSid: string): string =>
  `HX${createHash("sha256").update(contentSid).digest("hex").slice(0, 32)}`;

/** The scenario with new ids, where they stand as a whole value or in a path or query. */
function withOtherIds(scenario: Scenario, ids: ReadonlyMap<string, string>): Scenario {
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
