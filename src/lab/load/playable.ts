/** What a load test can play: many customers share a sandbox, in real time. */

import { mapLeaves } from "../../kernel/json.js";
import { omitUndefined } from "../../kernel/objects.js";
import type { Problem } from "../../kernel/problems.js";
import type { Scenario } from "../../scenarios/read.js";
import type { ParsedStep } from "../../scenarios/step.js";
import { allSteps, mapSteps } from "../../scenarios/step.js";

/** Why a load test cannot play a scenario, with places. */
export function playProblems(scenario: Scenario): readonly Problem[] {
  const { thread, clock, file, steps, locate } = scenario;
  const top = [
    ...(thread === undefined
      ? [{ path: "", message: "names no thread: each customer gets one like the scenario's" }]
      : []),
    ...(clock === undefined
      ? []
      : [{ path: "clock", message: "freezes the clock, and a load test runs in real time" }]),
  ];
  return [
    ...locate(top).map((problem) => ({ ...omitUndefined({ file }), ...problem })),
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
  if (kind.inThread !== true || named === undefined || isOwn(named, thread)) return undefined;
  return `the step is about thread ${String(named)}, and each customer has one thread only`;
}

const isOwn = (named: unknown, thread: string | undefined): boolean =>
  String(named) === thread || named === "${thread}";

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

const startOf = ({ fixtures, behaviour, seed }: Scenario): string =>
  JSON.stringify([fixtures, behaviour, seed]);

/**
 * Why the scenarios cannot be played in one sandbox. `isRunning`: in that of a running simulator, which keeps its state;
 * `isStarted`: the system under test is started, with one token.
 */
export function startsProblems(
  scenarios: readonly Scenario[],
  { isRunning, isStarted }: { readonly isRunning: boolean; readonly isStarted: boolean },
): readonly Problem[] {
  const [first] = scenarios;
  const none = JSON.stringify([undefined, undefined, undefined]);
  return scenarios.flatMap((scenario) => {
    const at = (message: string) => ({ ...omitUndefined({ file: scenario.file }), path: "", message });
    if (isStarted && scenario.token !== first?.token)
      return [
        at(
          `names another token than ${first?.file ?? first?.name}, and --exec starts one program with one token`,
        ),
      ];
    if (isRunning)
      return startOf(scenario) === none
        ? []
        : [
            at(
              "has its own fixtures, behaviour or seed: give them to the running simulator, and leave them out here",
            ),
          ];
    return first === undefined || startOf(scenario) === startOf(first)
      ? []
      : [at(`has a different start than ${first.file ?? first.name}, and a load test uses one sandbox`)];
  });
}
