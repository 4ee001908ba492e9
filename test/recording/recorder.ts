/** Records sandboxes, and runs recordings. */
import { controlApi } from "../../src/client/transport.js";
import { ownSandbox, pointWebhooksAt } from "../../src/scenarios/prepare.js";
import { recordingOf, recordingText } from "../../src/scenarios/recording/record.js";
import { sessionLogOf } from "../../src/scenarios/recording/session.js";
import type { Report } from "../../src/scenarios/report.js";
import { runScenario } from "../../src/scenarios/run.js";
import { read } from "../scenarios/support.js";
import { serverOf } from "../support/server.js";
import type { Running } from "../support/simulator.js";

/** What `record` prints for a sandbox. */
export const recordOf = async ({ url }: { url: string }, sandbox: string): Promise<string> =>
  recordingText(recordingOf(await sessionLogOf(controlApi(url), sandbox)));

/** The steps of what it prints, without what comes before them. */
export const stepsOf = (text: string): string => text.slice(text.indexOf("steps:\n") + "steps:\n".length);

/** Marks a call as one that a scenario made: a recording repeats it. */
export const BY_SCENARIO = { "X-Sim-By": "scenario" };

/** Runs a scenario in a sandbox of its own, whose webhooks lead to a receiver; `look` sees the sandbox before it goes. */
export async function replay<T>(
  { url }: Running,
  text: string,
  receiver: string,
  look: (sandbox: string) => Promise<T>,
): Promise<{ report: Report; seen: T }> {
  const scenario = await read(text);
  const own = await ownSandbox(scenario, { url });
  try {
    await pointWebhooksAt(receiver, own);
    const report = await runScenario(scenario, own, { fresh: true });
    return { report, seen: await look(own.sandbox) };
  } finally {
    await own.dispose();
  }
}

/** The address of a receiver outside the simulator, which accepts every webhook. */
export const acceptingReceiver = (): Promise<string> =>
  serverOf((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
