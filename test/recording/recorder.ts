/** Records sandboxes, replays recordings, and shows sandboxes in a form in which two can be compared. */
import { expect } from "vitest";
import { controlApi } from "../../src/client/transport.js";
import { ownSandbox } from "../../src/scenarios/prepare.js";
import type { RecordingKind } from "../../src/scenarios/recording/record.js";
import { recordingOf, recordingText } from "../../src/scenarios/recording/record.js";
import { sessionLogOf } from "../../src/scenarios/recording/session.js";
import type { Report } from "../../src/scenarios/report.js";
import { runScenario } from "../../src/scenarios/run.js";
import { withoutSecrets } from "../../src/scenarios/trace.js";
import { read } from "../scenarios/support.js";
import { serverOf } from "../support/server.js";
import type { Running } from "../support/simulator.js";

/** What `record` prints for a sandbox. */
export async function recordOf(
  { url }: { url: string },
  sandbox: string,
  as: RecordingKind = "replay",
): Promise<string> {
  return recordingText(recordingOf(await sessionLogOf(controlApi(url), sandbox), as));
}

/** The steps of what it prints, without what comes before them. */
export const stepsOf = (text: string): string => text.slice(text.indexOf("steps:\n") + "steps:\n".length);

/** Runs a recording in a sandbox of its own; `look` sees that before it goes. */
export async function replay<T>(
  { url }: Running,
  text: string,
  look: (sandbox: string) => Promise<T>,
): Promise<{ report: Report; seen: T }> {
  const scenario = await read(text);
  const own = await ownSandbox(scenario, { url });
  try {
    const report = await runScenario(scenario, own, { fresh: true });
    return { report, seen: await look(own.sandbox) };
  } finally {
    await own.dispose();
  }
}

/** Replays the recording of a sandbox, and expects the same calls and deliveries. @returns the recording */
export async function expectReplays(sim: Running, sandbox: string, stood: boolean): Promise<string> {
  const text = await recordOf(sim, sandbox);
  const look = (id: string) => trafficOf(sim, id, stood);
  const before = await look(sandbox);
  const { report, seen } = await replay(sim, text, look);
  expect(report.steps.filter(({ ok }) => !ok).slice(0, 1), text).toEqual([]);
  expect(seen, text).toEqual(before);
  return text;
}

/** The calls and deliveries of a sandbox without what is its own name or a secret; without instants unless the clock `stood`. */
async function trafficOf(sim: Running, sandbox: string, stood: boolean): Promise<unknown> {
  const get = async (route: string, ...fields: string[]) => {
    const entries: Fields[] = (await sim.control(`GET /sandboxes/${sandbox}${route}`)).body;
    const shown = (entry: Fields) => Object.fromEntries(fields.map((field) => [field, entry[field]]));
    return entries.map((entry) => ({ byCall: String(entry.causedBy).startsWith("r"), ...shown(entry) }));
  };
  const traffic = withoutSecrets([
    await get("/requests", "method", "path", "query", "body", "status", "response"),
    await get("/deliveries", "hookId", "eventType", "body", "status"),
  ]);
  if (stood) return traffic;
  return JSON.parse(JSON.stringify(traffic, (key, value) => (/timestamp$/i.test(key) ? 0 : value)));
}

/** A receiver of webhooks outside the simulator; `answer` says with what, by the number of the call. */
export async function outsideReceiver(
  answer: (call: number) => number,
): Promise<{ url: string; calls: () => number }> {
  let calls = 0;
  const url = await serverOf((request, response) => {
    calls += 1;
    request.resume();
    response.writeHead(answer(calls)).end();
  });
  return { url: `${url}/hook?key=s3cret`, calls: () => calls };
}

type Fields = Readonly<Record<string, unknown>>;
