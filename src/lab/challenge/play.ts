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
import { omitUndefined } from "../../kernel/objects.js";
import { elapsedSince, monotonicNow } from "../../kernel/realtime.js";
import { milliseconds, type WrittenDuration } from "../../kernel/units.js";
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
import type { RunFacts } from "./facts.js";
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

export interface Played {
  readonly report: Report;
  readonly facts: RunFacts;
  readonly deliveries: readonly DeliveryRecord[];
  /** What was met and consulted; nothing if the change is a fault, which counts its own effects. */
  readonly met: Pick<CoverageReport, "operations" | "behaviours">;
  /** Why the fault of the change had no effect; undefined if it had one, or there is none. */
  readonly unmet: string | undefined;
  /** The sandbox as the run has left it, until the next run. */
  readonly transport: Transport;
}

/** When a run is over, as the unchanged run has shown. */
export interface Pace {
  /** How long the system under test must be silent, ms. */
  readonly quietMs: number;
  /** The facts that it is expected to leave: if some differ, it gets more time. */
  readonly facts: RunFacts;
}

/** The longest wait for a system under test that keeps calling, ms. */
const MAX_SETTLE_MS = 5_000;
/** The silence that ends a run: the shortest, and the one that proves that calls are missing, ms. */
const MIN_QUIET_MS = 100;
const MAX_QUIET_MS = 500;

/** The pace of an unchanged run. */
export const UNKNOWN_PACE: Pace = { quietMs: MAX_QUIET_MS, facts: new Map() };

/** The pace of the runs after an unchanged one: they wait for effects twice as long as its last reply took. The first one is slower. */
export function paceOf({ report, facts }: Played): Pace {
  const { latencyMs = 0 } = report.steps.findLast((step) => step.latencyMs !== undefined) ?? {};
  return { quietMs: Math.min(MAX_QUIET_MS, Math.max(MIN_QUIET_MS, 2 * latencyMs)), facts };
}

const NOTHING_MET: Played["met"] = { operations: [], behaviours: [] };

/** Why a challenge of order could not be tried. */
const ALONE =
  "no other event comes right after it in this scenario: let two events happen before a step waits, such as two `customer` steps in a row, or a `customer` step right after a `transfer`";

/**
 * Resets, plays a scenario, and waits until the system under test is quiet.
 *
 * What came before the last reset by the scenario does not count.
 *
 * @throws UnusableDocument, SimError
 */
export async function play(
  scenario: Scenario,
  change: Change,
  { target, connect, system }: Stage,
  pace: Pace,
): Promise<Played> {
  const { fault, behaviour, offset = 0, patienceMs = 0 } = change;
  const transport = transportTo(target);
  let rule: FaultRule | undefined;
  let hasFired = false;
  let note: string | undefined;
  const arm = async () =>
    void (rule = fault && (await transport.call<FaultRule>("POST", "/faults", { body: fault })));
  const sent = () => transport.call<DeliveryRecord[]>("GET", "/deliveries");
  const coverage = () =>
    transportTo({ ...target, sandbox: undefined }).call<CoverageReport>(
      "GET",
      `/sandboxes/${segment(target.sandbox)}/coverage`,
    );
  const begin = async () => {
    await resetSandbox(scenario, target, { apart: true });
    const changed = await withChange(scenario, change, pace, transport);
    await connect();
    if (behaviour !== undefined) await transport.call("PATCH", "/behaviour", { body: behaviour });
    await arm();
    return changed;
  };
  /** Removes the rule of the fault, which releases a delivery that it holds back, and notes whether it had an effect. */
  const disarm = async () => {
    if (rule === undefined) return;
    const { id, then } = rule;
    const isHeld =
      then.reorder && (await sent()).some(({ reason }) => reason?.startsWith(`held by fault ${id} `));
    const { body } = await transport.answer<FaultRule>("DELETE", `/faults/${id}`);
    hasFired ||= body.fired > (isHeld ? 1 : 0);
    note = then.reorder ? ALONE : "nothing in the run triggered the fault";
    rule = undefined;
  };
  const changed = await begin();
  const before = fault === undefined ? await coverage() : undefined;
  const report = await runScenario(changed, target, {
    fresh: true,
    reset: begin,
    beforeStep: async ({ kind }) => {
      if (kind.key === "clearFaults") await disarm();
      // A step must not wait for what the fault holds back.
      if (rule?.then.reorder && kind.effect === "observes") await disarm().then(arm);
    },
    ...omitUndefined({ systemEnded: system?.exited() }),
  });
  if (rule?.then.reorder) await disarm();
  const factsNow = async () =>
    factsOf(await transport.call<FixtureDocument>("GET", "/state"), await sent(), offset);
  const isAlike = async () => differencesOf(pace.facts, await factsNow()).length === 0;
  // After a failure, only a system under test that is not restarted may still disturb the next run.
  const isEnough = async () =>
    report.ok ? behaviour !== undefined || (await isAlike()) : system !== undefined;
  await settle(transport, system, [pace.quietMs, MAX_QUIET_MS + patienceMs], isEnough);
  await disarm();
  return {
    ...{ report, transport, unmet: fault === undefined || hasFired ? undefined : note },
    facts: await factsNow(),
    deliveries: await sent(),
    met: before === undefined ? NOTHING_MET : reportSince(before, await coverage()),
  };
}

/** Waits until the system under test has been silent for the first time, ms, or for the second if that is not enough; or has exited. */
async function settle(
  transport: Transport,
  system: Stage["system"],
  [quietMs, patientMs]: readonly [number, number],
  isEnough: () => Promise<boolean>,
): Promise<void> {
  const started = monotonicNow();
  for (let silentMs = 0; system?.ended() === undefined && elapsedSince(started, 0) < MAX_SETTLE_MS; ) {
    const idle = { for: "idle", timeoutMs: MAX_SETTLE_MS };
    await transport.answer("POST", "/wait", { body: idle, accept: [408] });
    const query = { by: "client", limit: 1 };
    const [newest] = await transport.call<RequestRecord[]>("GET", "/requests", { query });
    const next = { requests: { by: "client" }, ...(newest && { since: newest.id }) };
    const timeoutMs = silentMs === 0 ? quietMs : Math.max(0, patientMs - silentMs);
    const body = { for: next, timeoutMs: Math.ceil(timeoutMs) };
    const { status } = await transport.answer("POST", "/wait", { body, accept: [408] });
    silentMs = status === 408 ? silentMs + timeoutMs : 0;
    if (silentMs >= patientMs || (silentMs > 0 && (await isEnough()))) return;
  }
}

/** Changes the ids in a fresh sandbox, and the scenario: other ids, expectations that wait longer, and silences no longer than needed. */
async function withChange(
  scenario: Scenario,
  { offset = 0, renamesTemplates = false, patienceMs = 0 }: Change,
  { quietMs }: Pace,
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
  const patient = (own: WrittenDuration | undefined) => waitMs(own, undefined) + patienceMs;
  const changed = (step: ParsedStep): ParsedStep => {
    const input = mapLeaves(step.input, withIds) as Fields;
    const { within: own, for: time } = input;
    const isPlain = (value: unknown): value is WrittenDuration =>
      value !== undefined && !isPlaceholder(String(value));
    // What comes later shows in the state at the end.
    const isSilence = step.kind.effect === "observes" && isPlain(time);
    return {
      ...step,
      input: {
        ...input,
        ...(isPlain(own) && { within: patient(own) }),
        ...(isSilence && { for: Math.min(milliseconds(time), quietMs) }),
      },
    };
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
