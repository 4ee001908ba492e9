import { signal } from "@preact/signals";
import type { Transport } from "../../../src/client/transport.js";
import { errorMessage } from "../lib/control";
import { LOST, withUndo } from "./moment";
import type { Session } from "./session";
import type { Report, SandboxInfo } from "./types";

/** A report, and where the calls that it names are: ids begin again with each run of a sandbox. */
export interface KeptReport {
  readonly report: Report;
  /** The number of the sandbox's run; null where it is not known. */
  readonly run: number | null;
  /** Whether the sandbox was made for it. */
  readonly own: boolean;
}

/** A scenario that was run from this page. */
export type ScenarioRun = KeptReport | "running" | Error;

const KEY = "messaging-sim.reports";
/** So many reports outlive a reload, those that ended last. */
const MAX_KEPT = 20;

/** The scenarios that were run from this tab, by name. Reports outlive a reload and a change of sandbox. */
export class Runs {
  readonly #runs = signal<ReadonlyMap<string, ScenarioRun>>(kept());

  /** Whether scenarios run in the sandbox that is shown, in place of one of their own. */
  readonly here = signal(false);

  get all(): ReadonlyMap<string, ScenarioRun> {
    return this.#runs.value;
  }

  set(name: string, run: ScenarioRun): void {
    const runs = new Map(this.#runs.peek());
    runs.delete(name);
    this.#runs.value = runs.set(name, run);
    const ended = [...runs].filter(([, one]) => one !== "running" && !(one instanceof Error));
    keep(ended.slice(-MAX_KEPT));
  }
}

/** How long a sandbox that was made for a run can be looked at, ms of real time. */
const OWN_TTL_MS = 3_600_000;

/** Runs a scenario by name where the page's choice says, and keeps its report. */
export async function runScenario(session: Session, name: string): Promise<void> {
  const { runs, server } = session;
  const before = runs.all.get(name);
  const own = !runs.here.peek();
  runs.set(name, "running");
  const run = async (transport: Transport) => {
    const report = await transport.call<Report>("POST", "/scenarios/run", { body: { name } });
    runs.set(name, { report, own, run: own ? null : session.run.peek() });
    return `The scenario ${name} ran in ${session.sandbox}`;
  };
  try {
    if (own) await run(server.ofSandbox(await madeFor(session, before)));
    else await withUndo(session, `run of ${name}`, () => run(session.transport), LOST);
  } catch (thrown) {
    runs.set(name, new Error(errorMessage(thrown)));
  }
}

/** Makes a sandbox for a run; the one of the run before goes, unless it is shown. Resolves with its id. */
async function madeFor(session: Session, before: ScenarioRun | undefined): Promise<string> {
  const { server, sandbox, sandboxes } = session;
  const old = typeof before === "object" && "own" in before && before.own ? before.report.sandbox : sandbox;
  const isThere = sandboxes.peek().includes(old);
  if (old !== sandbox && isThere) await server.call("DELETE", `/sandboxes/${encodeURIComponent(old)}`);
  const { id } = await server.call<SandboxInfo>("POST", "/sandboxes", { body: { ttlMs: OWN_TTL_MS } });
  sandboxes.value = [...sandboxes.peek().filter((one) => one !== old || one === sandbox), id];
  return id;
}

function kept(): ReadonlyMap<string, ScenarioRun> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(KEY) ?? "[]"));
  } catch {
    return new Map();
  }
}

/** Keeps as many of the newest as the browser has room for. */
function keep(runs: readonly unknown[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(runs));
  } catch {
    if (runs.length > 0) keep(runs.slice(1));
  }
}
