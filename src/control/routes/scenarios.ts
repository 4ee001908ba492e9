import { BOUNDS } from "../../kernel/bounds.js";
import { array, integer, nullable, object, optional, record, string, unknown } from "../../kernel/schema.js";
import { scenarioRunSchema } from "../../sandbox/observer.js";
import { ControlError, problemsError, refuseExcess, unusable } from "../control-error.js";
import { route } from "../route.js";

/** How long a run takes at most, real time; `fetch` waits as long for an answer. */
const MAX_RUN_MS = BOUNDS.runMs.limit;

export const SCENARIOS_ROUTES = [
  route("lastScenarioRun", "GET /scenarios/last", {
    summary:
      "The scenario that ran in this sandbox last, since its reset, and the report; null where none has",
    success: { status: 200, schema: nullable(scenarioRunSchema) },
    handle: ({ run }) => ({ body: run.logs.scenarioRun ?? null }),
  }),
  route("listScenarios", "GET /scenarios", {
    summary: "The scenarios that can be run by name",
    success: { status: 200, schema: array(object({ name: string(), file: string() })) },
    handle: async ({ services }) => ({ body: await services.scenarios.list() }),
  }),
  route("scenarioText", "GET /scenarios/files/:name", {
    summary: "The file of a scenario that can be run by name, as it stands",
    success: { status: 200, schema: object({ name: string(), text: string() }) },
    refusals: ["scenarios.notFound"],
    handle: async ({ params: { name }, services }) => {
      const text = await services.scenarios.textOf(name);
      if (text === undefined) throw new ControlError("scenarios.notFound", { id: name });
      return { body: { name, text } };
    },
  }),
  route("runScenario", "POST /scenarios/run", {
    summary: "Run a scenario in this sandbox as it stands",
    world: "fixtures",
    body: object({
      name: optional(string({ description: "one of those that the list names" })),
      scenario: optional(unknown({ description: "the scenario itself" })),
      timeoutMs: optional(
        integer({
          minimum: 1,
          maximum: MAX_RUN_MS,
          description: `real time after which the run ends, failed; default ${MAX_RUN_MS}`,
        }),
      ),
    }),
    success: { status: 200, schema: record(unknown(), { description: "the report" }) },
    refusals: ["scenarios.unusable", "scenarios.running", "scenarios.ended"],
    recorded: false,
    handle: async ({ sandbox, body, services, gone }) => {
      if ((body.name === undefined) === (body.scenario === undefined))
        throw unusable([{ path: "", message: "needs either a name or a scenario" }]);
      const { load } = services;
      refuseExcess(load, load.excessOfRuns);
      if (!sandbox.scenarios.idle) throw new ControlError("scenarios.running", { id: sandbox.id });
      load.runs += 1;
      sandbox.scenarios.enter();
      const outcome = await services.scenarios
        .run(sandbox, { timeoutMs: MAX_RUN_MS, ...body }, gone())
        .finally(() => {
          load.runs -= 1;
          sandbox.scenarios.leave();
        });
      if ("ran" in outcome) {
        sandbox.run.logs.keepScenarioRun(outcome.ran);
        return { body: outcome.ran.report };
      }
      if ("ended" in outcome) throw new ControlError("scenarios.ended");
      throw problemsError("scenarios.unusable", outcome.problems);
    },
  }),
];
