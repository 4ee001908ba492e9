/** Challenges a system under test: in one sandbox, or in several at once where it takes its token from the delivery. */
import type { Stage } from "../challenge/play.js";
import type { ChallengeReport } from "../challenge/report.js";
import type { ChallengeOptions } from "../challenge/run.js";
import { runChallenges } from "../challenge/run.js";
import { segment } from "../client/address.js";
import type { SandboxInfo } from "../client/types.js";
import type { Target } from "../scenarios/http.js";
import { transportTo } from "../scenarios/http.js";
import { pointWebhooksAt, resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { ChallengeValues } from "./challenge-options.js";
import { ownSimulator, serverOf, startFor } from "./run-scenarios.js";
import type { SystemUnderTest } from "./system-under-test.js";
import type { Terminal } from "./terminal.js";

/** How many runs take place at once unless `--jobs` says so. */
const DEFAULT_JOBS = 4;

type Plan = ChallengeValues & Pick<Terminal, "env">;

/** @throws UnusableScenario, NotReady, SimError */
export async function challengeAll(
  scenarios: readonly Scenario[],
  plan: Plan,
  options: Omit<ChallengeOptions, "stages" | "start">,
): Promise<ChallengeReport> {
  const simulator = plan.url === undefined ? await ownSimulator(plan) : undefined;
  const server = serverOf(plan, simulator);
  const made: string[] = [];
  let system: SystemUnderTest | undefined;
  try {
    const stages = await stagesOf(server, plan, made);
    const [stage] = stages;
    if (stage === undefined) throw new Error("there is nowhere to run");
    const { exec } = plan;
    if (exec === undefined) return await runChallenges(scenarios, { ...options, stages });
    const begin = async (scenario: Scenario) => {
      await system?.stop();
      await resetSandbox(scenario, stage.target, { apart: true });
      await stage.connect();
      system = await startFor(scenario, stage.target, plan, exec);
    };
    const start = async (scenario: Scenario) => {
      await begin(scenario);
      return { ended: () => system?.ended(), restart: () => begin(scenario) };
    };
    return await runChallenges(scenarios, { ...options, stages, start });
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
    const body = { url: hook, header: tokenHeader };
    const connect = () => transportTo(target).call<void>("POST", "/connect", { body });
    stages.push({ target, connect, maxSteps });
  }
  return stages;
}
