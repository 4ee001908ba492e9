import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatProblem } from "../../src/kernel/problems.js";
import { readScenario, type Scenario } from "../../src/scenarios/read.js";
import type { Report, StepReport } from "../../src/scenarios/report.js";
import { runScenario } from "../../src/scenarios/run.js";
import { scenarioFormat } from "../../src/server/scenario-format.js";
import { newFolder } from "../persistence/support.js";
import { serverOf } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";

const format = scenarioFormat();

/** The problems of a scenario's text, one line each. */
export async function problemsOf(text: string, file = "s.yaml"): Promise<string[]> {
  const { problems = [] } = await readScenario(format, text, { file });
  return problems.map((problem) => formatProblem(problem));
}

export async function read(source: unknown, params: Record<string, string> = {}): Promise<Scenario> {
  const file = typeof source === "string" ? { file: "s.yaml" } : {};
  const result = await readScenario(format, source, { params, ...file });
  if (result.problems !== undefined) throw new Error(result.problems.map(formatProblem).join("\n"));
  return result.scenario;
}

/** Runs steps in a simulator of their own, on thread 9001 with the token of Acme. */
export async function runSteps(steps: readonly object[], more: object = {}): Promise<Report> {
  const { url } = await startSimulator();
  const scenario = await read({ thread: "9001", token: "acme-token", within: "10s", ...more, steps });
  return runScenario(scenario, { url }, { fresh: true });
}

/** The last step that ran: the failed one, where there is one. */
export const last = (report: Report): StepReport =>
  report.steps.filter(({ skipped }) => !skipped).at(-1) as StepReport;

/** A folder that goes with the test, and a way to write files into it. */
export function scratch(): (name: string, text: string) => string {
  const folder = newFolder();
  return (name, text) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
}

/** An event as the system under test sees it. */
export interface Heard {
  readonly eventType: string;
  readonly data: {
    messageId: number;
    fromCustomer: boolean;
    invisible: boolean;
    customerThreadId: number;
    messageBody: string;
  };
}

/** A receiver of webhooks that lives as long as the test. */
export async function receiver(hear: (event: Heard) => Promise<void> | void): Promise<string> {
  const url = await serverOf(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    response.end("ok");
    await hear(JSON.parse(text) as Heard);
  });
  return `${url}/hook`;
}
