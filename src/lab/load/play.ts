/** Runs a load test: plays scenarios as many customers, who share a sandbox, in real time, and reports. */

import { SimError } from "../../client/errors.js";
import { controlApi } from "../../client/transport.js";
import { BOUNDS } from "../../kernel/bounds.js";
import { mapLeaves } from "../../kernel/json.js";
import { omitUndefined } from "../../kernel/objects.js";
import type { Problem } from "../../kernel/problems.js";
import { isoOf, later, MAX_TIMER_MS, wallNow } from "../../kernel/realtime.js";
import type { Target } from "../../scenarios/http.js";
import { Http, sendAsScenario } from "../../scenarios/http.js";
import { UnusableScenario } from "../../scenarios/prepare.js";
import type { Scenario } from "../../scenarios/read.js";
import type { ParsedStep } from "../../scenarios/step.js";
import { allSteps, mapSteps } from "../../scenarios/step.js";
import type { Schedule } from "./arrivals.js";
import { arrive, overAfterMs } from "./arrivals.js";
import type { Feed, Surroundings } from "./customer.js";
import { Customer, Post } from "./customer.js";
import type { Expectation, LoadReport, Point } from "./report.js";
import { notesOn } from "./report.js";
import { startSampling } from "./sampler.js";
import { Threads } from "./threads.js";

interface LoadPlan extends Schedule {
  readonly scenarios: readonly Scenario[];
  readonly target: Target & { readonly sandbox: string };
  readonly feed: Feed;
  readonly isOwnSimulator: boolean;
  /** Five digits, unique among the generators of the sandbox. */
  readonly generator: string;
  readonly expectations: readonly Expectation[];
  /** Called each second. */
  readonly onPoint: (point: Point) => void;
}

/** The most connections to the simulator. */
const CONNECTIONS = 256;
/** The delay after a customer that failed at once, ms. */
const AFTER_REFUSAL_MS = 1_000;

/** @throws UnusableScenario if the sandbox has no such thread; SimError if the simulator does not answer */
export async function playLoad(plan: LoadPlan): Promise<LoadReport> {
  const { target, tally, finish, scenarios } = plan;
  const { url, sandbox, controlToken, isOwn } = target;
  const http = new Http({ isOwn, connections: CONNECTIONS });
  const server = controlApi(url, { controlToken, maker: "scenario", fetch: http.fetch });
  const transport = server.ofSandbox(sandbox);
  const threads = new Threads(transport, plan.generator);
  const post = new Post(plan.feed.matches, tally);
  try {
    const problems = await threads.prepare(scenarios);
    if (problems.length > 0) throw new UnusableScenario(problems);
    const isOrdered = (await threads.behaviour("delivery.order")) === "perWebhook";
    const feed = await plan.feed.open(logsOf(scenarios), (log, entry) => post.hear(log, entry));
    try {
      const stopSampling = await startSampling(tally, server, plan.onPoint);
      const startedAt = isoOf(wallNow());
      const surroundings = { transport, tally, finish, target, send: sendAsScenario(http) };
      const play = customersOf(scenarios, surroundings, threads, post);
      const endedEarly = playUntilOver(plan, play, post);
      const sampled = await endedEarly.then(stopSampling, stopSampling);
      const when = { startedAt, endedEarly: await endedEarly };
      return reportOf(plan, sampled, when, { breaks: feed.breaks, isOrdered });
    } finally {
      feed.close();
    }
  } finally {
    finish.come();
    threads.close();
    http.close();
  }
}

/** Plays customers, each the next scenario on a thread of its own. */
function customersOf(
  scenarios: readonly Scenario[],
  surroundings: Surroundings,
  threads: Threads,
  post: Post,
): (due?: number) => Promise<void> {
  const { tally, finish } = surroundings;
  const parts = scenarios.map((scenario) => ({
    scenario,
    ...{ steps: withOwnThread(scenario), token: scenario.token, within: scenario.within },
  }));
  let arrived = 0;
  return async (due) => {
    const part = parts[arrived % parts.length] as (typeof parts)[number];
    arrived += 1;
    tally.begin();
    const thread = await threads.make(part.scenario).catch((error) => {
      if (!(error instanceof SimError) || error.status === null) throw error;
      const { message } = error;
      tally.end({ how: "failed", kind: "other", step: "thread", place: { path: "thread" }, message });
    });
    if (thread === undefined) return void (await finish.pause(AFTER_REFUSAL_MS));
    const mailbox = post.open(thread);
    try {
      const ending = await new Customer(thread, part, mailbox, surroundings, due).play();
      tally.end(ending);
      if (ending.how === "failed" && ending.kind === "other") await finish.pause(AFTER_REFUSAL_MS);
    } finally {
      post.close(thread);
      threads.end(thread);
    }
  };
}

/** Lets customers arrive until the finish, and ends their last waits some time after it. @returns whether the finish came early */
async function playUntilOver(
  plan: LoadPlan,
  play: (due?: number) => Promise<void>,
  post: Post,
): Promise<boolean> {
  const { finish } = plan;
  let isOver = false;
  const end = later(overAfterMs(plan), () => {
    isOver = true;
    finish.come();
  });
  const last = finish.pause(MAX_TIMER_MS).then(() => {
    post.closeAll({ onlyWatched: true });
    return later(BOUNDS.loadLastRepliesMs.limit, () => post.closeAll(), { background: true });
  });
  try {
    await arrive(plan, play);
  } finally {
    end.cancel();
    finish.come();
    (await last).cancel();
  }
  return !isOver;
}

function reportOf(
  plan: LoadPlan,
  sampled: Awaited<ReturnType<Awaited<ReturnType<typeof startSampling>>>>,
  when: Pick<LoadReport, "startedAt" | "endedEarly">,
  delivered: { readonly breaks: number; readonly isOrdered: boolean },
): LoadReport {
  const { model, forMs, rampMs, scenarios, tally, isOwnSimulator: sameProcess } = plan;
  const { started, done, failed, unfinished, turnedAway, peak } = tally;
  const { messages, replies, timeouts, wrong, unasked, latency, sending, failures } = tally;
  const expectations = plan.expectations.map(({ text, judge }) => ({ expectation: text, ...judge(tally) }));
  const figures = {
    ...sampled,
    conversations: { started, done, failed, unfinished, turnedAway, peak },
    sending: { p50: sending.at(50), p99: sending.at(99), max: sending.at(100) },
    lag: { ...sampled.lag, sameProcess },
  };
  return {
    ok: expectations.every(({ ok }) => ok),
    expectations,
    ...("customers" in model
      ? { model: "closed", customers: model.customers }
      : { model: "open", arrivalsPerSecond: model.perSecond }),
    ...{ forMs, rampMs, messages, replies, timeouts, wrong, unasked, failures, ...when, ...figures },
    scenarios: scenarios.map(({ name, file }) => ({ name, ...omitUndefined({ file }) })),
    messagesPerSecond: Math.round((10_000 * messages) / Math.max(1, sampled.durationMs)) / 10,
    latency: { ...latency.figures, curve: latency.curve() },
    notes: notesOn({ ...figures, latency: latency.figures, ...delivered }),
  };
}

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
function withOwnThread({ steps, thread = "" }: Scenario): readonly ParsedStep[] {
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
function logsOf(scenarios: readonly Scenario[]): ReadonlySet<"requests" | "deliveries"> {
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
