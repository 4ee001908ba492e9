/** The two sides of a scenario: all of it for the simulator, its requests for the other side. */
import { Http, type Target, transportTo } from "../../scenarios/http.js";
import { resetSandbox } from "../../scenarios/prepare.js";
import type { Scenario } from "../../scenarios/read.js";
import { allSteps, mapSteps, type StepKind, worksAnywhere } from "../../scenarios/step.js";
import { type RunTrace, tracedRun } from "../../scenarios/trace.js";
import { BEHAVIOUR_KEYS, type BehaviourKey } from "../../service/behaviour/table.js";

/** A run on the simulator. Another value of an entry that it did not consult would change none of its answers. */
export interface SimulatorTrace extends RunTrace {
  readonly consulted: readonly BehaviourKey[];
}

export type Values = Readonly<Record<string, unknown>>;

type Coverage = {
  readonly behaviours: readonly { readonly key: BehaviourKey; readonly consulted: number }[];
};

const SIMULATOR_TIMEOUT_MS = 60_000;
/** Comparisons deliver nothing: a repeated run must not call receivers. */
const MUTE = { on: "delivery", then: { drop: "before" } };

/**
 * Plays a whole scenario in the sandbox `default`, which also answers calls with unknown tokens, with some behaviour values
 * overridden. Its calls count as those of a client, so that the sandbox's coverage shows the entries that they consulted.
 *
 * @throws UnusableScenario, SimError
 */
export async function simulatorTrace(
  scenario: Scenario,
  server: Target,
  values: Values,
): Promise<SimulatorTrace> {
  const http = new Http({ isOwn: server.isOwn });
  const transport = transportTo(server, http);
  const reset = async () => {
    await resetSandbox(scenario, server);
    await transport.call("PATCH", "/behaviour", { body: values });
    await transport.call("POST", "/faults", { body: MUTE });
  };
  const steps = mapSteps(scenario.steps, (step) => (isLeftOut(step.kind) ? undefined : step));
  const counts = async () => {
    const { behaviours } = await transport.call<Coverage>("GET", "/coverage");
    return new Map(behaviours.map(({ key, consulted }) => [key, consulted]));
  };
  // What control steps consult is not counted.
  const isCounted = allSteps(steps).every(({ kind }) => worksAnywhere(kind));
  try {
    const before = await counts();
    const side = { http, send: http.send.bind(http), timeoutMs: SIMULATOR_TIMEOUT_MS, reset };
    const trace = await tracedRun(scenario, server, steps, side);
    const after = await counts();
    const consulted = BEHAVIOUR_KEYS.filter((key) => !isCounted || after.get(key) !== before.get(key));
    return { ...trace, consulted };
  } finally {
    http.close();
  }
}

/** No answer of the API depends on steps that observe or emit, and only the simulator takes faults. */
const isLeftOut = ({ effect, call }: StepKind): boolean =>
  effect === "observes" || effect === "emits" || call?.route.endsWith("/faults") === true;

/**
 * The steps for the other side: requests, and steps that need no simulator.
 *
 * @param tokenFor the other side's token in place of one that a step names, if it has one
 */
export function otherSteps(scenario: Scenario, tokenFor: (name: string) => string | undefined) {
  /** Requests that cannot be sent, and why. */
  const notSent: RunTrace["failures"][number][] = [];
  const steps = mapSteps(scenario.steps, (step) => {
    const { kind, input, name, place } = step;
    if (kind.effect !== "calls") return worksAnywhere(kind) ? step : undefined;
    const named = input.token === undefined ? scenario.token : input.token;
    if (typeof named !== "string") return step;
    const token = tokenFor(named);
    if (token !== undefined) return { ...step, input: { ...input, token } };
    const reason = `the token ${named} has no counterpart on the other side: pass --token-for ${named}=KEY`;
    notSent.push({ name, place, reason });
    return undefined;
  });
  return { steps, notSent };
}
