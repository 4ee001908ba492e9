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
import type { Finish, Schedule } from "./arrivals.js";
import { arrive, overAfterMs } from "./arrivals.js";
import type { Feed, Part, Surroundings } from "./customer.js";
import { Customer, Post } from "./customer.js";
import { logsOf, withOwnThread } from "./playable.js";
import type { Expectation, LoadReport, Point } from "./report.js";
import { notesOn } from "./report.js";
import { Sampler, simulatorFigures } from "./sampler.js";
import type { Tally } from "./tally.js";
import { Threads } from "./threads.js";

interface LoadPlan extends Schedule {
  readonly scenarios: readonly Scenario[];
  readonly target: Target & { readonly sandbox: string };
  readonly feed: Feed;
  readonly isOwnSimulator: boolean;
  /** Five digits, unique among the generators of the sandbox. */
  readonly generator: string;
  readonly expectations: readonly Expectation[];
  readonly tally: Tally;
  /** Ends the load early. */
  readonly finish: Finish;
  /** Called each second. */
  readonly onPoint: (point: Point) => void;
}

/** The most connections to the simulator. */
const CONNECTIONS = 256;
/** The most customers at once in the open model. */
const MAX_CUSTOMERS = BOUNDS.loadCustomers.limit;
/** The longest wait for replies after the finish, ms. */
const LAST_REPLIES_MS = BOUNDS.loadLastRepliesMs.limit;
/** The delay after a customer that failed at once, ms. */
const AFTER_REFUSAL_MS = 1_000;

/** @throws UnusableScenario if the sandbox has no such thread; SimError if the simulator does not answer */
export async function playLoad(plan: LoadPlan): Promise<LoadReport> {
  const { target, tally, finish } = plan;
  const http = new Http({ isOwn: target.isOwn, connections: CONNECTIONS });
  const server = controlApi(target.url, {
    controlToken: target.controlToken,
    maker: "scenario",
    fetch: http.fetch,
  });
  const transport = server.ofSandbox(target.sandbox);
  const threads = new Threads(transport, plan.generator);
  const post = new Post(plan.feed.matches, (count) => {
    tally.unasked += count;
  });
  try {
    const problems = await threads.prepare(plan.scenarios);
    if (problems.length > 0) throw new UnusableScenario(problems);
    const isOrdered = (await threads.behaviour("delivery.order")) === "perWebhook";
    const feed = await plan.feed.open(logsOf(plan.scenarios), (log, entry) => post.hear(log, entry));
    try {
      const sampler = new Sampler(tally, server, await simulatorFigures(server));
      const startedAt = isoOf(wallNow());
      const send = sendAsScenario(http);
      const playOne = customersOf(plan, { transport, tally, finish, target, send }, threads, post);
      sampler.start(plan.onPoint);
      const endedEarly = await arrivalsOf(plan, playOne, post).finally(() => sampler.stop());
      return reportOf(plan, sampler, { startedAt, endedEarly, breaks: feed.breaks, isOrdered });
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
  { scenarios, tally, finish }: LoadPlan,
  surroundings: Surroundings,
  threads: Threads,
  post: Post,
): (due: number | undefined) => Promise<void> {
  const parts = scenarios.map(({ steps, thread = "", token, within }): Part => {
    return { steps: withOwnThread(steps, thread), token, within };
  });
  let arrived = 0;
  return async (due) => {
    const which = arrived % scenarios.length;
    arrived += 1;
    tally.begin();
    const thread = await threads.make(scenarios[which] as Scenario).catch((error) => {
      if (!(error instanceof SimError) || error.status === null) throw error;
      return error;
    });
    if (thread instanceof SimError) {
      const place = { path: "thread" };
      tally.end({ how: "failed", kind: "other", step: "thread", place, message: thread.message });
      await finish.pause(AFTER_REFUSAL_MS);
      return;
    }
    const mailbox = post.open(thread);
    try {
      const customer = new Customer(thread, parts[which] as Part, mailbox, surroundings, due);
      const ending = await customer.play();
      tally.end(ending);
      if (ending.how === "failed" && ending.kind === "other") await finish.pause(AFTER_REFUSAL_MS);
    } finally {
      post.close(thread);
      threads.end(thread);
    }
  };
}

/** Lets customers arrive until the finish. @returns whether that came early */
async function arrivalsOf(
  plan: LoadPlan,
  play: (due: number | undefined) => Promise<void>,
  post: Post,
): Promise<boolean> {
  const { tally, finish } = plan;
  let isOver = false;
  const end = later(overAfterMs(plan), () => {
    isOver = true;
    finish.come();
  });
  const last = finish.pause(MAX_TIMER_MS).then(() => {
    post.closeAll();
    return later(LAST_REPLIES_MS, () => post.closeAll({ alsoTaking: true }), { background: true });
  });
  const isFull = () => tally.alive >= MAX_CUSTOMERS;
  const turnAway = () => {
    tally.turnedAway += 1;
  };
  try {
    await arrive(plan, { play, isFull, turnAway, finish });
  } finally {
    end.cancel();
    finish.come();
    (await last).cancel();
  }
  return !isOver;
}

interface Seen {
  readonly startedAt: string;
  readonly endedEarly: boolean;
  readonly breaks: number;
  readonly isOrdered: boolean;
}

function reportOf(plan: LoadPlan, sampler: Sampler, { breaks, isOrdered, ...seen }: Seen): LoadReport {
  const { model, forMs, rampMs, scenarios, tally, isOwnSimulator: sameProcess } = plan;
  const { started, done, failed, unfinished, turnedAway, peak } = tally;
  const { messages, replies, timeouts, wrong, unasked, latency, failures } = tally;
  const expectations = plan.expectations.map(({ text, judge }) => ({ expectation: text, ...judge(tally) }));
  const sampled = sampler.figures();
  const figures = {
    ...sampled,
    conversations: { started, done, failed, unfinished, turnedAway, peak },
    sending: { p50: tally.sending.at(50), p99: tally.sending.at(99), max: tally.sending.at(100) },
    lag: { ...sampled.lag, sameProcess },
  };
  return {
    ok: expectations.every(({ ok }) => ok),
    expectations,
    ...("customers" in model
      ? { model: "closed", customers: model.customers }
      : { model: "open", arrivalsPerSecond: model.perSecond }),
    ...{ forMs, rampMs },
    scenarios: scenarios.map(({ name, file }) => ({ name, ...omitUndefined({ file }) })),
    ...{ messages, replies, timeouts, wrong, unasked, failures },
    messagesPerSecond: Math.round((10_000 * messages) / Math.max(1, sampled.durationMs)) / 10,
    latency: { ...latency.figures, curve: latency.curve() },
    ...seen,
    ...figures,
    notes: notesOn({ ...figures, latency: latency.figures, breaks, isOrdered }),
  };
}
