import { eventBatches } from "../../../src/client/stream.js";
import type { Transport } from "../../../src/client/transport.js";
import { errorMessage } from "../lib/control";
import { LOST, withUndo } from "./moment";
import type { ScenarioRun } from "./runs";
import { isEnded, isRunning } from "./runs";
import type { Session } from "./session";
import type { Report, SandboxInfo, StepReport } from "./types";

/** How long a sandbox that was made for a run can be looked at, ms of real time. */
const OWN_TTL_MS = 3_600_000;

const CANCELLED = "Cancelled.";

/** Runs a scenario by name where the page's choice says, if not said otherwise, and keeps its report. */
export async function runScenario(
  session: Session,
  name: string,
  own = !session.runs.here.peek(),
): Promise<void> {
  const { runs, server } = session;
  const before = runs.byName.get(name);
  const stop = new AbortController();
  runs.set(name, { done: 0, steps: [], stop });
  let made: string | undefined;
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
      return `The run of ${name} in ${session.sandbox} was cancelled`;
    } finally {
      over.abort();
    }
    return `The scenario ${name} ran in ${session.sandbox}`;
  };
  try {
    if (own) {
      made = await madeFor(session, before);
      await run(server.ofSandbox(made));
    } else {
      const again = () => runScenario(session, name, false);
      await withUndo(session, `run of ${name}`, () => run(session.transport), LOST, again);
    }
  } catch (thrown) {
    runs.set(name, new Error(stop.signal.aborted ? CANCELLED : errorMessage(thrown)));
    if (made !== undefined)
      await server.call("DELETE", `/sandboxes/${encodeURIComponent(made)}`).catch(() => {});
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
    for await (const events of eventBatches(transport, signal, ["step"])) {
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

/** Runs scenarios one after the other, until all have run or somebody cancels. */
export async function runAll(session: Session, names: readonly string[]): Promise<void> {
  const { runs } = session;
  const stop = new AbortController();
  runs.all.value = stop;
  for (const name of names) {
    const running = runScenario(session, name);
    const cancel = () => stopScenario(session, name);
    stop.signal.addEventListener("abort", cancel, { once: true });
    await running;
    stop.signal.removeEventListener("abort", cancel);
    if (stop.signal.aborted) break;
  }
  runs.all.value = null;
}

/** Ends a run without a report. */
export function stopScenario({ runs }: Session, name: string): void {
  const run = runs.byName.get(name);
  if (isRunning(run)) run.stop.abort();
}

/** Makes a sandbox for a run; the one of the run before goes, unless it is shown. Resolves with its id. */
async function madeFor(session: Session, before: ScenarioRun | undefined): Promise<string> {
  const { server, sandbox, sandboxes } = session;
  const old = isEnded(before) && before.own ? before.report.sandbox : sandbox;
  const isThere = sandboxes.peek().includes(old);
  if (old !== sandbox && isThere) await server.call("DELETE", `/sandboxes/${encodeURIComponent(old)}`);
  const { id } = await server.call<SandboxInfo>("POST", "/sandboxes", { body: { ttlMs: OWN_TTL_MS } });
  sandboxes.value = [...sandboxes.peek().filter((one) => one !== old || one === sandbox), id];
  return id;
}
