/** Challenges a system under test: in one sandbox, or in several at once where it takes its token from the delivery. */
import type { Stage } from "../challenge/play.js";
import type { ChallengeReport } from "../challenge/report.js";
import type { ChallengeOptions } from "../challenge/run.js";
import { runChallenges } from "../challenge/run.js";
import { segment } from "../client/address.js";
import type { SandboxInfo } from "../client/types.js";
import { pointWebhooksAt, resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { Target } from "../scenarios/target.js";
import { transportTo } from "../scenarios/target.js";
import type { ChallengeValues } from "./challenge-options.js";
import { ownSimulator, serverOf, startFor } from "./run-scenarios.js";
import type { SystemUnderTest } from "./system-under-test.js";
import type { Terminal } from "./terminal.js";

/** How many runs take place at once unless `--jobs` says so. */
const DEFAULT_JOBS = 4;
/** Between the ids of two sandboxes: a system under test that remembers messages by their ids meets none twice. */
const IDS_APART = 10_000_000;

type Plan = ChallengeValues & Pick<Terminal, "env">;

/** @throws UnusableScenario, NotReady, SimError */
export async function challengeAll(
  scenarios: readonly Scenario[],
  plan: Plan,
  options: Omit<ChallengeOptions, "stages" | "system">,
): Promise<ChallengeReport> {
  const simulator = plan.url === undefined ? await ownSimulator(plan) : undefined;
  const server = serverOf(plan, simulator);
  const made: string[] = [];
  let system: SystemUnderTest | undefined;
  try {
    const stages = await stagesOf(server, plan, made);
    const [scenario] = scenarios;
    const [stage] = stages;
    if (scenario === undefined || stage === undefined) throw new Error("there is nothing to run");
    const { exec } = plan;
    const start = async () => {
      await resetSandbox(scenario, stage.target, { apart: true });
      await stage.connect();
      if (exec !== undefined) system = await startFor(scenario, stage.target, plan, exec);
    };
    await start();
    const restart = async () => {
      await system?.stop();
      await start();
    };
    const control = exec === undefined ? undefined : { ended: () => system?.ended(), restart };
    return await runChallenges(scenarios, { ...options, stages, system: control });
  } finally {
    await system?.stop();
    for (const id of made) await transportTo(server).call("DELETE", `/sandboxes/${segment(id)}`);
    await simulator?.close();
  }
}

/** The sandboxes in which runs take place; `made` gets the ids of those that must go afterwards. */
async function stagesOf(
  server: Target,
  { hook, tokenHeader, jobs = DEFAULT_JOBS, maxSteps }: Plan,
  made: string[],
): Promise<Stage[]> {
  if (tokenHeader === undefined) {
    const target = { ...server, sandbox: "default" };
    const connect = async () => {
      if (hook !== undefined) await pointWebhooksAt(hook, target);
    };
    return [{ target, connect, maxSteps }];
  }
  const stages: Stage[] = [];
  for (let job = 1; job <= jobs; job += 1) {
    const { id } = await transportTo(server).call<SandboxInfo>("POST", "/sandboxes", { body: {} });
    made.push(id);
    const target = { ...server, sandbox: id };
    const transport = transportTo(target);
    const firstId = job * IDS_APART;
    await useIdsFrom(transport, firstId);
    const body = { url: hook, header: tokenHeader };
    stages.push({ target, connect: () => transport.call("POST", "/connect", { body }), maxSteps, firstId });
  }
  return stages;
}

/** From now on messages have greater ids than this one. */
async function useIdsFrom(transport: ReturnType<typeof transportTo>, id: number): Promise<void> {
  const [message] = await transport.call<{ id: string }[]>("GET", "/data/messages", { query: { _limit: 1 } });
  if (message === undefined) return;
  await transport.call("POST", "/data/messages", { body: { ...message, id: String(id) } });
  await transport.call("DELETE", `/data/messages/${id}`);
}
