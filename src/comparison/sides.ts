/** Runs a scenario on one of the two sides of a comparison, and keeps every answer. */
import { resetSandbox, transportOf } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { StepPlace, StepReport } from "../scenarios/report.js";
import { Run, type Target } from "../scenarios/run.js";
import type { ParsedStep } from "../scenarios/step.js";
import { isRequest, isSimulatorOnly, type OtherSteps, simulatorSteps } from "./plan.js";
import { type Recorded, RecordingHttp } from "./recorder.js";
import type { Omission, StepMention } from "./report.js";

/** One request step as one side took it. */
export interface StepTrace {
  readonly name: string;
  readonly place: StepPlace;
  readonly rounds?: readonly number[];
  /** Undefined when the call could not be made. */
  readonly recorded?: Recorded;
  /** Why it could not be made. */
  readonly problem?: string;
  /** The steps before it that only the simulator takes. */
  readonly after: readonly StepMention[];
}

export interface RunTrace {
  /** By the step's path and rounds. */
  readonly taken: ReadonlyMap<string, StepTrace>;
  readonly failures: readonly Omission[];
}

/** No simulator takes as long. */
const OWN_TIMEOUT_MS = 60_000;
/** Nothing is delivered while answers are compared: a run that is repeated for its answers must not call anybody. */
const MUTE = { on: "delivery", then: { drop: "before" } };

export const keyOf = ({ place, rounds = [] }: Pick<StepTrace, "place" | "rounds">): string =>
  [place.path, ...rounds].join(" ");

/**
 * Runs a scenario in full in the sandbox `default`, which also answers calls without a known token, with some behaviour
 * values in place of its own.
 *
 * @throws UnusableScenario, SimError
 */
export async function simulatorSide(
  scenario: Scenario,
  server: Target,
  values: Readonly<Record<string, unknown>> = {},
): Promise<RunTrace> {
  const http = new RecordingHttp({ base: server.url, isForeign: false, timeoutMs: OWN_TIMEOUT_MS });
  const wire = transportOf(server, http);
  const mute = () => wire.call("POST", "/faults", { body: MUTE });
  const reset = async () => {
    await resetSandbox(scenario, server);
    if (Object.keys(values).length > 0) await wire.call("PATCH", "/behaviour", { body: values });
    await mute();
  };
  try {
    await reset();
    return await perform(scenario, server, simulatorSteps(scenario, mute), { http, reset, isOwn: true });
  } finally {
    http.close();
  }
}

/** Sends a scenario's requests to another address, and nothing else. */
export async function otherSide(
  scenario: Scenario,
  { url, timeoutMs }: { readonly url: string; readonly timeoutMs: number },
  { steps }: OtherSteps,
): Promise<RunTrace> {
  const http = new RecordingHttp({ base: url, isForeign: true, timeoutMs });
  try {
    return await perform(scenario, { url }, steps, { http, isOwn: false });
  } finally {
    http.close();
  }
}

interface How {
  readonly http: RecordingHttp;
  readonly isOwn: boolean;
  readonly reset?: () => Promise<unknown>;
}

async function perform(
  scenario: Scenario,
  target: Target,
  steps: readonly ParsedStep[],
  { http, isOwn, ...how }: How,
): Promise<RunTrace> {
  const taken = new Map<string, StepTrace>();
  const failures: Omission[] = [];
  const after: StepMention[] = [];
  const onStep = ({ step, name, place, rounds, ok, message }: StepReport) => {
    const recorded = http.take();
    if (isRequest(step)) {
      const one = {
        name,
        place,
        ...(rounds === undefined ? {} : { rounds }),
        ...(recorded === undefined ? {} : { recorded }),
        ...(recorded === undefined && message !== undefined ? { problem: message } : {}),
        after: [...after],
      };
      taken.set(keyOf(one), one);
    } else if (isSimulatorOnly(step)) after.push({ name, place });
    if (!ok && !isRequest(step)) failures.push({ name, place, reason: message ?? "failed" });
  };
  const run = new Run(scenario, target, { ...how, http, keepGoing: true, onStep });
  if (isOwn) await run.begin(true);
  await run.execute(steps);
  return { taken, failures };
}
