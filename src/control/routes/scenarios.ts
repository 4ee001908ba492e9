/** Runs of scenarios, and coverage. */
import { BOUNDS } from "../../kernel/bounds.js";
import { array, object, partial, string, unknown } from "../../kernel/schema.js";
import { coverageSchema } from "../../sandbox/coverage.js";
import { reportSchema } from "../../sandbox/observer.js";
import { webhookUrl } from "../../service/world/records.js";
import { ControlError, problemsError, unusable } from "../errors.js";
import { sandboxWithId } from "../inputs.js";
import { route } from "../route.js";

const success = { status: 200, schema: coverageSchema };

export const SCENARIOS_ROUTES = [
  route("listScenarios", "GET /scenarios", {
    summary: "List the scenarios that can be run by name",
    success: { status: 200, schema: array(object({ name: string(), file: string() })) },
    handle: async ({ services }) => ({ body: await services.scenarios.list() }),
  }),
  route("runScenario", "POST /scenarios/run", {
    summary:
      "Run a scenario in the sandbox as it stands; if it has fixtures, clock, seed or behaviour, the sandbox is reset to them first",
    world: "fixtures",
    body: object(
      partial({
        name: string({ description: "a name from the list" }),
        scenario: unknown({ description: "the scenario itself" }),
        hook: webhookUrl({
          description:
            "the address of the system under test: all webhooks point there during the run and afterwards",
        }),
      }),
    ),
    success: { status: 200, schema: reportSchema },
    recorded: false,
    handle: async ({ sandbox, body, services, gone }) => {
      if ((body.name === undefined) === (body.scenario === undefined))
        throw unusable([{ path: "", message: "needs a name or a scenario" }]);
      const { limit } = BOUNDS.scenarioRuns;
      const running = [...services.registry.all()].filter(({ scenarios }) => !scenarios.idle);
      if (running.length >= limit) throw new ControlError("scenarios.tooMany", { limit });
      if (!sandbox.scenarios.idle) throw new ControlError("scenarios.running", { id: sandbox.id });
      sandbox.scenarios.enter();
      const outcome = await services.scenarios
        .run(sandbox, body, gone())
        .finally(() => sandbox.scenarios.leave());
      if ("report" in outcome) {
        sandbox.tell("ran", outcome.report);
        return { body: outcome.report };
      }
      if ("ended" in outcome) throw new ControlError("sandboxes.ended");
      throw problemsError("scenarios.unusable", outcome.problems);
    },
  }),
  route("coverage", "GET /coverage", {
    scope: "server",
    summary: "Show the coverage of all sandboxes together, including deleted ones",
    success,
    handle: async ({ services }) => ({ body: await services.coverageReport(services.registry.coverage()) }),
  }),
  route("sandboxCoverage", "GET /sandboxes/:sandbox/coverage", {
    scope: "server",
    summary: "Show the coverage of one sandbox since its creation; resets do not clear it",
    success,
    handle: async ({ services, params }) => ({
      body: await services.coverageReport(sandboxWithId(services.registry, params.sandbox).coverage),
    }),
  }),
];
