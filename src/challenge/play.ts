/** Plays a scenario against a system under test, in the world as a challenge changes it. */
import type { Transport } from "../client/transport.js";
import type { DeliveryRecord, FixtureDocument } from "../client/types.js";
import { given } from "../kernel/given.js";
import { monotonicNow, sleep } from "../kernel/realtime.js";
import { newestEntry } from "../scenarios/entries.js";
import { transcriptsOf } from "../scenarios/evidence.js";
import { resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { Report } from "../scenarios/report.js";
import { runScenario } from "../scenarios/run.js";
import type { ParsedStep } from "../scenarios/step.js";
import type { Target } from "../scenarios/target.js";
import { transportTo } from "../scenarios/target.js";
import { ArmedFaults } from "./armed.js";
import type { Change } from "./change.js";
import type { CopyAnswer } from "./kind.js";
import type { Outcome } from "./outcome.js";
import { outcomeOf } from "./outcome.js";
import { shiftedScenario, shiftedState } from "./shifted.js";

/** A sandbox whose webhooks lead to the system under test. */
export interface Stage {
  readonly target: Target & { readonly sandbox: string };
  /** Points its webhooks at the system under test, after each reset. */
  readonly connect: () => Promise<void>;
  readonly maxSteps?: number | undefined;
  /** Messages have ids from here on: no two sandboxes of a system under test have one in common. */
  readonly firstId?: number;
}

export interface Played {
  readonly report: Report;
  readonly outcome: Outcome;
  /** Whether a fault of the change has fired; undefined where it has none. */
  readonly hasFired: boolean | undefined;
  /** What was answered to copies in place of what must be; null: nothing. */
  readonly wrongAnswers: readonly (number | null)[];
  /** The conversations of the run as they stand now, in Markdown. */
  readonly transcript: () => Promise<string>;
}

interface PlayOptions {
  /** A run counts as over when nothing has come for so long, ms. */
  readonly quietMs: number;
  /** Whether nothing can come any more. */
  readonly isOver?: () => boolean;
  readonly onStep?: (step: ParsedStep) => Promise<void>;
}

/** A system under test that never stops calling is waited for no longer, ms. */
const MAX_SETTLE_MS = 5_000;

/** Plays a scenario from a reset on, and waits until the system under test has done what it does. @throws UnusableScenario, SimError */
export async function play(
  scenario: Scenario,
  change: Change,
  { target, connect, maxSteps, firstId = 0 }: Stage,
  { quietMs, isOver = () => false, onStep }: PlayOptions,
): Promise<Played> {
  const transport = transportTo(target);
  const faults = new ArmedFaults(transport, change.faults);
  let isReleased = false;
  let shifted = scenario;
  const reset = async () => {
    await resetSandbox(scenario, target, { apart: true });
    if (change.offset > 0) shifted = await shift(scenario, transport, change.offset, firstId);
    await connect();
    if (change.behaviour !== undefined)
      await transport.call("PATCH", "/behaviour", { body: change.behaviour });
    await faults.arm();
    isReleased = false;
  };
  const threads = new Set<string>();
  const beforeStep = async (step: ParsedStep) => {
    await onStep?.(step);
    const { thread = shifted.thread } = step.input;
    if (typeof thread === "string" || typeof thread === "number") threads.add(String(thread));
    const mustRelease = releases(change, step);
    if (mustRelease === isReleased || change.releasedBy === undefined) return;
    isReleased = mustRelease;
    if (!mustRelease) return faults.holdAgain();
    // What overtakes it must have been tried.
    await idle(transport);
    await faults.release();
  };
  await reset();
  const report = await runScenario(shifted, target, {
    fresh: true,
    reset,
    beforeStep,
    ...given({ maxSteps }),
  });
  if (change.releasedBy !== undefined) await faults.release();
  await settle(transport, quietMs, isOver);
  const state = await transport.call<FixtureDocument>("GET", "/state");
  const deliveries = await transport.call<DeliveryRecord[]>("GET", "/deliveries");
  return {
    report,
    outcome: outcomeOf(state, deliveries, change.offset),
    hasFired: await faults.hasFired(),
    wrongAnswers: wrongAnswers(deliveries, change.copy),
    transcript: () => transcriptsOf(transport, threads),
  };
}

async function shift(
  scenario: Scenario,
  transport: Transport,
  offset: number,
  firstId: number,
): Promise<Scenario> {
  const state = await transport.call<FixtureDocument>("GET", "/state");
  await transport.call("PUT", "/state", { body: shiftedState(state, offset, firstId) });
  return shiftedScenario(scenario, state, offset);
}

/** Whether a step looks at deliveries, or waits until they are over. */
export const looksAtDeliveries = ({ kind }: ParsedStep): boolean =>
  kind.key === "delivered" || kind.key === "expect";

const releases = ({ releasedBy }: Change, step: ParsedStep): boolean =>
  looksAtDeliveries(step) || (releasedBy === "any wait" && step.kind.passive === true);

/** Resolves when no call and no delivery is under way. */
async function idle(transport: Transport): Promise<void> {
  const body = { for: "idle", timeoutMs: MAX_SETTLE_MS };
  await transport.answer("POST", "/wait", { body, accept: [408] });
}

/** Whether nothing can come any more is looked at so often, ms. */
const LOOK_MS = 20;

/** Resolves after so long, ms, or sooner where it is over. */
export async function pause(ms: number, isOver: () => boolean): Promise<void> {
  for (let left = ms; left > 0 && !isOver(); left -= LOOK_MS) await sleep(Math.min(left, LOOK_MS));
}

/** Resolves when nothing has come for so long. */
async function settle(transport: Transport, quietMs: number, isOver: () => boolean): Promise<void> {
  const end = monotonicNow() + MAX_SETTLE_MS;
  for (let isQuiet = false; !isQuiet && monotonicNow() < end; ) {
    await idle(transport);
    const newest = await newestEntry(transport, "requests");
    await pause(quietMs, isOver);
    isQuiet = newest === (await newestEntry(transport, "requests"));
  }
}

/** The answers to copies that are none of those. */
function wrongAnswers(
  deliveries: readonly DeliveryRecord[],
  copy: CopyAnswer | undefined,
): (number | null)[] {
  const isRight = (status: number | null) =>
    copy === "a refusal" ? status !== null && status >= 400 : status !== null && status < 300;
  return deliveries
    .flatMap(({ attempts }) => attempts)
    .flatMap((attempt) =>
      attempt.copy && copy !== undefined && !isRight(attempt.status) ? [attempt.status] : [],
    );
}
