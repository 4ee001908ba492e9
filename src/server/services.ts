/** What the control API uses from other rooms. Most simulators need none of it, so each part is loaded on first use. */

import { readdir } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ControlServices, Descriptions, ScenarioControl } from "../control/services.js";
import { BOUNDS } from "../kernel/bounds.js";
import { UnusableDocument } from "../kernel/problems.js";
import { onAbort } from "../kernel/realtime.js";
import type { RanStep } from "../sandbox/observer.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { Target } from "../scenarios/http.js";

const SHIPPED = fileURLToPath(new URL("../../scenarios", import.meta.url));
const IS_SCENARIO = /\.(ya?ml|json)$/i;

/** Runs scenarios against the simulator itself. */
export const scenarioControl = (server: () => Target): ScenarioControl => ({
  list: listScenarios,
  run: async (sandbox, { name, scenario: document, hook }, clientGone) => {
    const { scenarioFormat } = await import("./scenario-format.js");
    const { readScenario, readScenarioFile } = await import("../scenarios/read.js");
    const { namesStart, pointWebhooksAt, resetSandbox } = await import("../scenarios/prepare.js");
    const { runScenario } = await import("../scenarios/run.js");
    const format = scenarioFormat();
    const listed = (await listScenarios()).find((one) => one.name === name);
    if (name !== undefined && listed === undefined) {
      const message = `there is no scenario "${name}": see GET /__sim/scenarios`;
      return { problems: [{ path: "name", message }] };
    }
    const read = await (listed ? readScenarioFile(format, listed.file) : readScenario(format, document));
    if (read.problems !== undefined) return { problems: read.problems };
    const target = { ...server(), sandbox: sandbox.id };
    const { scenario } = read;
    const fresh = namesStart(scenario);
    const ended = new AbortController();
    const end = () => ended.abort();
    onAbort(clientGone, end);
    let forget = () => {};
    // If the scenario itself resets, it continues with the new run; if anybody else does, it ends.
    const begin = async (resets: boolean) => {
      forget();
      try {
        if (resets) await resetSandbox(scenario, target);
        if (hook !== undefined) await pointWebhooksAt(hook, target);
      } finally {
        forget = onAbort(sandbox.run.signal, end);
      }
    };
    const reset = () => begin(true);
    try {
      await begin(fresh);
      const onStep = (step: RanStep) => sandbox.tell("step", step);
      const options = { fresh, reset, onStep, signal: ended.signal, timeoutMs: BOUNDS.runMs.limit };
      const report = await runScenario(scenario, target, options);
      if (ended.signal.aborted) return { ended: true };
      return { report };
    } catch (error) {
      if (ended.signal.aborted) return { ended: true };
      if (error instanceof UnusableDocument) return { problems: error.problems };
      throw error;
    } finally {
      forget();
    }
  },
});

/** The scenarios that ship and those in the working folder's `scenarios`; the latter win if names are equal. */
async function listScenarios() {
  const byName = new Map<string, { readonly name: string; readonly file: string }>();
  for (const folder of [SHIPPED, join(process.cwd(), "scenarios")]) {
    const files = await readdir(folder).catch(() => []);
    for (const file of files.filter((name) => IS_SCENARIO.test(name)).sort()) {
      const name = basename(file, extname(file));
      byName.set(name, { name, file: join(folder, file) });
    }
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const whyControl = (registry: SandboxRegistry): Pick<ControlServices, "why" | "unknownToken"> => ({
  why: async (sandbox, thread) =>
    (await import("./why-no-reply.js")).whyNoReply(sandbox, thread, registry.all()),
  unknownToken: async (sandbox) =>
    (await import("./why-no-reply.js")).unknownToken(sandbox, registry.default),
});

export const coverageReport: ControlServices["coverageReport"] = async (coverage) =>
  (await import("../lab/coverage/report.js")).coverageReport(coverage);

/** The descriptions of the three surfaces, generated from the tables on demand. `url` is the server's address. */
export const describe = (url: () => string): Descriptions => ({
  openapi: async () => (await import("../api/descriptions.js")).describeApi(url()),
  control: async () => (await import("../control/openapi.js")).describeControlApi(url()),
  asyncapi: async () => (await import("../api/descriptions.js")).describeWebhooks(),
});
