import { eventBatches } from "../../../src/client/stream.js";
import type { Transport } from "../../../src/client/transport.js";
import { errorMessage } from "../lib/control";
import { isRunning } from "./runs";
import type { Session } from "./session";
import type { Report, SandboxInfo, StepReport } from "./types";
import { withUndo } from "./undo";

/** How long a sandbox that was made for a run can be looked at where the page went away, ms of real time. */
const OWN_TTL_MS = 900_000;

const CANCELLED = "Cancelled.";

/** Runs a scenario by name where the page's choice says, and keeps its report. */
export async function runScenario(session: Session, name: string): Promise<void> {
  const { runs, server } = session;
  const own = !runs.here.peek();
  const stop = new AbortController();
  runs.set(name, { own, done: 0, steps: [], stop });
  const run = async (transport: Transport) => {
    const over = new AbortController();
    await followSteps(transport, over.signal, (steps) => runs.addSteps(name, steps));
    try {
      const call = { body: { name }, signal: stop.signal };
      const report = await transport.call<Report>("POST", "/scenarios/run", call);
      runs.set(name, { report, own, run: own ? null : session.run.peek() });
    } catch (error) {
      // What ran before it was cancelled has had its effect.
      if (own || !stop.signal.aborted) throw error;
      runs.set(name, new Error(CANCELLED));
      return `Run of ${name} in ${session.sandbox} cancelled`;
    } finally {
      over.abort();
    }
    return `Scenario ${name} ran in ${session.sandbox}`;
  };
  try {
    if (own) {
      if (runs.kept !== session.sandbox) await forgetRun(session);
      const { id } = await server.call<SandboxInfo>("POST", "/sandboxes", { body: { ttlMs: OWN_TTL_MS } });
      runs.kept = id;
      await run(server.ofSandbox(id));
    } else await withUndo(session, "run", () => run(session.transport));
  } catch (thrown) {
    runs.set(name, new Error(stop.signal.aborted ? CANCELLED : errorMessage(thrown)));
    if (own && runs.kept !== session.sandbox) await forgetRun(session);
  }
}

/** Tells of each step of a sandbox's posted scenario as it ends; resolves when nothing will be missed, or nothing heard. */
function followSteps(
  transport: Transport,
  signal: AbortSignal,
  onSteps: (steps: readonly StepReport[]) => void,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const follow = async () => {
    for await (const events of eventBatches(transport, signal)) {
      resolve();
      onSteps(events.flatMap(({ event, data }) => (event === "step" ? [data] : [])));
    }
  };
  // The report tells the steps again.
  follow()
    .catch(() => {})
    .finally(resolve);
  return promise;
}

/** Deletes the sandbox of the newest run that had one of its own. */
export async function forgetRun({ runs, server, sandboxes }: Session): Promise<void> {
  const { kept } = runs;
  if (kept === null) return;
  runs.kept = null;
  await server.call("DELETE", `/sandboxes/${encodeURIComponent(kept)}`).catch(() => {});
  sandboxes.value = sandboxes.peek().filter((one) => one !== kept);
}

/** Ends a run without a report. */
export function stopScenario({ runs }: Session, name: string): void {
  const run = runs.byName.get(name);
  if (isRunning(run)) run.stop.abort();
}
