/** Plays a scenario against a system under test: `run` with one change, and what it left. */

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
import { segment } from "../../kernel/names.js";
import { numberOf, omitUndefined } from "../../kernel/objects.js";
import { monotonicNow, sleep } from "../../kernel/realtime.js";
import type { Duration } from "../../kernel/units.js";
import { transcriptsOf } from "../../scenarios/evidence.js";
import type { Target } from "../../scenarios/http.js";
import { transportTo } from "../../scenarios/http.js";
import { isPlaceholder } from "../../scenarios/placeholders.js";
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

/** How a system under test exited, and the last lines that it printed. */
export interface Ended {
  readonly how: string;
  readonly output: readonly string[];
}

/** A sandbox whose webhooks lead to the system under test. */
export interface Stage {
  readonly target: Target & { readonly sandbox: string };
  /** Points its webhooks at the system under test, after each reset to the scenario's start. */
  readonly connect: () => Promise<void>;
  /** The system under test, if this process started it. */
  readonly system?:
    | {
        /** How it exited; undefined while it runs. */
        readonly ended: () => Ended | undefined;
        readonly exited: () => NonNullable<RunOptions["systemEnded"]>;
        readonly restart: () => Promise<void>;
      }
    | undefined;
}

/** A step that began, and the numbers of the newest call and delivery before it. */
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
  /** The steps of an unchanged run. */
  readonly marks: readonly Mark[];
  /** The longest silence after the last step that a call ended, ms. */
  readonly lateMs: number;
  /** The conversations, in Markdown. */
  readonly transcript: string;
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

/** The change of an unchanged run. */
export const UNCHANGED: Change = {};

/** Effects are waited for twice as long as the slowest one took, after a message or after everything else. */
export function quietMsOf({ report, lateMs }: Played): number {
  const slowest = Math.max(lateMs, ...report.steps.map(({ latencyMs = 0 }) => latencyMs));
  return Math.min(MAX_QUIET_MS, Math.max(MIN_QUIET_MS, Math.ceil(2 * slowest)));
}

/**
 * Resets, plays a scenario, and waits until the system under test is quiet.
 *
 * What came before the last reset by the scenario does not count.
 *
 * @throws UnusableScenario, SimError
 */
export async function play(
  scenario: Scenario,
  change: Change,
  { target, connect, system }: Stage,
  pace: Pace,
): Promise<Played> {
  const { fault, behaviour, offset = 0, patienceMs = 0 } = change;
  const transport = transportTo(target);
  const marks: Mark[] = [];
  let rule: FaultRule | undefined;
  let unmet: string | undefined;
  const sent = () => transport.call<DeliveryRecord[]>("GET", "/deliveries");
  const newest = async (log: "/requests" | "/deliveries") =>
    numberOf((await transport.call<{ id: string }[]>("GET", log, { query: { limit: 1 } }))[0]?.id);
  const coverage = () =>
    transportTo({ ...target, sandbox: undefined }).call<CoverageReport>(
      "GET",
      `/sandboxes/${segment(target.sandbox)}/coverage`,
    );
  const begin = async () => {
    await resetSandbox(scenario, target, { apart: true });
    const changed = await withChange(scenario, change, transport);
    await connect();
    if (behaviour !== undefined) await transport.call("PATCH", "/behaviour", { body: behaviour });
    rule = fault && (await transport.call<FaultRule>("POST", "/faults", { body: fault }));
    return changed;
  };
  /** Removes the rule of the fault, which releases a delivery that it holds back, and notes whether it had an effect. */
  const disarm = async () => {
    if (rule === undefined) return;
    const held = `held by fault ${rule.id} `;
    const isHeld = (await sent()).some(({ reason }) => reason?.startsWith(held));
    const { body } = await transport.answer<FaultRule>("DELETE", `/faults/${rule.id}`);
    rule = undefined;
    if (body.then.reorder && isHeld) unmet = "no other event came before a step waited for this one";
    else unmet = body.fired > 0 ? undefined : (body.note ?? "nothing in the run triggered the fault");
  };
  const changed = await begin();
  const before = await coverage();
  const report = await runScenario(changed, target, {
    fresh: true,
    reset: () => {
      marks.length = 0;
      return begin();
    },
    beforeStep: async (step) => {
      if (step.kind.key === "clearFaults") await disarm();
      if (change === UNCHANGED)
        marks.push({ step, calls: await newest("/requests"), deliveries: await newest("/deliveries") });
    },
    ...omitUndefined({ systemEnded: system?.exited() }),
  });
  if (rule?.then.reorder) await disarm();
  const factsNow = async () =>
    factsOf(await transport.call<FixtureDocument>("GET", "/state"), await sent(), offset);
  const isAlike = async () => differencesOf(pace.facts, await factsNow(), pace.except).length === 0;
  const lateMs = await settle(transport, {
    hasEnded: () => system?.ended() !== undefined,
    quietMs: pace.quietMs,
    patientMs: Math.max(PATIENT_QUIET_MS, pace.quietMs) + patienceMs,
    // After a failure, only a system under test that is not restarted may still disturb the next run.
    isEnough: async () => (report.ok ? behaviour !== undefined || (await isAlike()) : system !== undefined),
  });
  await disarm();
  const threads = new Set(report.steps.flatMap(({ said }) => said?.thread ?? []));
  return {
    ...{ report, unmet, marks, lateMs },
    facts: await factsNow(),
    calls: await transport.call<RequestRecord[]>("GET", "/requests"),
    deliveries: await sent(),
    met: reportSince(before, await coverage()),
    transcript: await transcriptsOf(transport, threads),
  };
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
  let [since, lateMs] = [started, 0];
  for (let newest: string | undefined; ; await sleep(LOOK_MS)) {
    const body = { for: "idle", timeoutMs: MAX_SETTLE_MS };
    await transport.answer("POST", "/wait", { body, accept: [408] });
    const now = monotonicNow();
    const query = { by: "client", limit: 1 };
    const [last] = await transport.call<RequestRecord[]>("GET", "/requests", { query });
    if (newest !== last?.id) {
      if (newest !== undefined) lateMs = Math.max(lateMs, now - since);
      [newest, since] = [last?.id, now];
    }
    const quiet = monotonicNow() - since;
    if (hasEnded() || quiet >= patientMs || now - started >= MAX_SETTLE_MS) return lateMs;
    if (quiet >= quietMs && (await isEnough())) return lateMs;
  }
}

/** Changes the ids in a fresh sandbox, and the scenario: other ids, and expectations that wait longer. */
async function withChange(
  scenario: Scenario,
  { offset = 0, renamesTemplates = false, patienceMs = 0 }: Change,
  transport: Transport,
): Promise<Scenario> {
  const ids = new Map<string, string>();
  if (offset > 0 || renamesTemplates) {
    const state = await transport.call<FixtureDocument>("GET", "/state");
    if (renamesTemplates) for (const { id } of state.templates) ids.set(id, renamed(id));
    if (offset > 0) for (const { id } of state.threads) ids.set(id, String(Number(id) + offset));
    const other = <T extends string | null>(id: T) => ids.get(id ?? "") ?? id;
    const withOtherId = <R extends { readonly id: string }>(one: R) => ({ ...one, id: other(one.id) });
    const messages = state.messages.map(({ threadId, contentSid, ...message }) => ({
      ...message,
      threadId: other(threadId),
      contentSid: other(contentSid),
    }));
    const threads = state.threads.map(withOtherId);
    const templates = state.templates.map(withOtherId);
    await transport.call("PUT", "/state", { body: { ...state, threads, templates, messages } });
  }
  const { thread = "", within } = scenario;
  const inPath = /\b((?:customerT|t)hreadId=|\/threads\/)(\d+)\b/g;
  /** Ids stand as a whole value, or in a path or query. */
  const withIds = (value: unknown): unknown => {
    const id = ids.get(String(value));
    if (id !== undefined) return typeof value === "number" ? Number(id) : id;
    if (typeof value !== "string") return value;
    return value.replace(inPath, (_, before, id) => before + (ids.get(id) ?? id));
  };
  const patient = (own: Duration | undefined) => waitMs(own, undefined) + patienceMs;
  const changed = (step: ParsedStep): ParsedStep => {
    const input = mapLeaves(step.input, withIds) as Fields;
    const { within: own } = input;
    const isTimed = own !== undefined && !isPlaceholder(String(own));
    return { ...step, input: isTimed ? { ...input, within: patient(own as Duration) } : input };
  };
  return {
    ...scenario,
    within: patient(within),
    ...(scenario.thread !== undefined && { thread: ids.get(thread) ?? thread }),
    steps: mapSteps(scenario.steps, changed),
  };
}

/** Another contentSid, always the same one. */
const renamed = (contentSid: string): string =>
  `HX${createHash("sha256").update(contentSid).digest("hex").slice(0, 32)}`;
