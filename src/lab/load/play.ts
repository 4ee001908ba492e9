/** Runs a load test: plays scenarios as many customers, and reports. */
import { SimError } from "../../client/errors.js";
import { controlApi } from "../../client/transport.js";
import { BOUNDS } from "../../kernel/bounds.js";
import { omitUndefined } from "../../kernel/objects.js";
import { isoOf, later, MAX_TIMER_MS, wallNow } from "../../kernel/realtime.js";
import type { Target } from "../../scenarios/http.js";
import { Http, sendAsScenario } from "../../scenarios/http.js";
import { UnusableScenario } from "../../scenarios/prepare.js";
import type { Scenario } from "../../scenarios/read.js";
import type { Schedule } from "./arrivals.js";
import { arrive, overAfterMs } from "./arrivals.js";
import type { Feed, Surroundings } from "./customer.js";
import { Customer, Post } from "./customer.js";
import { logsOf, withOwnThread } from "./playable.js";
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
/** The longest wait for replies after the finish, ms. */
const LAST_REPLIES_MS = BOUNDS.loadLastRepliesMs.limit;
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
    return later(LAST_REPLIES_MS, () => post.closeAll(), { background: true });
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
