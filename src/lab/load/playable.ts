/** What a load test can play: many customers share a sandbox, in real time. */

import { mapLeaves } from "../../kernel/json.js";
import { omitUndefined } from "../../kernel/objects.js";
import type { Problem } from "../../kernel/problems.js";
import type { Scenario } from "../../scenarios/read.js";
import type { ParsedStep } from "../../scenarios/step.js";
import { allSteps, mapSteps } from "../../scenarios/step.js";

/** Why a load test cannot play a scenario, with places. */
export function playProblems(scenario: Scenario): readonly Problem[] {
  const { thread, clock, steps, locate } = scenario;
  return [
    ...(thread === undefined
      ? locate([{ path: "", message: "names no thread: each customer gets one like the scenario's" }])
      : []),
    ...(clock === undefined
      ? []
      : locate([{ path: "clock", message: "freezes the clock, and a load test runs in real time" }])),
    ...allSteps(steps).flatMap((step) => {
      const why = whyRefused(step, thread);
      return why === undefined ? [] : [{ ...step.place, message: `cannot be played under load: ${why}` }];
    }),
  ];
}

function whyRefused({ kind, input }: ParsedStep, thread: string | undefined): string | undefined {
  const { notUnderLoad } = kind;
  const why = typeof notUnderLoad === "function" ? notUnderLoad(input) : notUnderLoad;
  if (why !== undefined) return `${kind.key} ${why}`;
  const { thread: named } = input;
  if (kind.inThread !== true || named === undefined || named === "${thread}" || String(named) === thread)
    return undefined;
  return `the step is about thread ${String(named)}, and each customer has one thread only`;
}

const THREAD_KEYS = ["thread", "threadId", "customerThreadId"];

/** The steps with the customer's own thread in place of the scenario's. */
export function withOwnThread({ steps, thread = "" }: Scenario): readonly ParsedStep[] {
  const own = (value: unknown, key: string) => {
    if (THREAD_KEYS.includes(key) && value === thread) return "${thread}";
    if (THREAD_KEYS.includes(key) && value === Number(thread)) return "${threadNumber}";
    if (key !== "path" || typeof value !== "string") return value;
    return value.replace(/(customerThreadId=)(\d+)/g, (all, name: string, id: string) =>
      id === thread ? `${name}\${thread}` : all,
    );
  };
  return mapSteps(steps, (step) => ({ ...step, input: mapLeaves(step.input, own) as ParsedStep["input"] }));
}

/** The logs that the steps wait for. */
export function logsOf(scenarios: readonly Scenario[]): ReadonlySet<"requests" | "deliveries"> {
  const steps = scenarios.flatMap((scenario) => allSteps(scenario.steps));
  return new Set(["requests", ...steps.flatMap(({ kind, input }) => kind.log?.(input) ?? [])]);
}

/**
 * Why the scenarios cannot be played in one sandbox. `isRunning`: in that of a running simulator, which keeps its state;
 * `isStarted`: the system under test is started, with one token.
 */
export function startsProblems(
  scenarios: readonly Scenario[],
  { isRunning, isStarted }: { readonly isRunning: boolean; readonly isStarted: boolean },
): readonly Problem[] {
  const [first] = scenarios;
  const firstName = first?.file ?? first?.name;
  const startOf = ({ fixtures, behaviour, seed }: Partial<Scenario> = {}) =>
    JSON.stringify([fixtures, behaviour, seed]);
  return scenarios.flatMap((scenario) => {
    const start = startOf(scenario);
    const problem = (message: string) => [{ ...omitUndefined({ file: scenario.file }), path: "", message }];
    if (isStarted && scenario.token !== first?.token)
      return problem(`names another token than ${firstName}, and --exec starts one program with one token`);
    if (isRunning && start !== startOf())
      return problem(
        "has its own fixtures, behaviour or seed: give them to the running simulator, and leave them out here",
      );
    if (isRunning || start === startOf(first)) return [];
    return problem(`has a different start than ${firstName}, and a load test uses one sandbox`);
  });
}
