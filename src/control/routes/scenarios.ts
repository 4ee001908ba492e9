import { array, object, optional, record, string, unknown } from "../../kernel/schema.js";
import { problemsError, unusable } from "../control-error.js";
import { route } from "../route.js";

export const SCENARIOS_ROUTES = [
  route("listScenarios", "GET /scenarios", {
    summary: "The scenarios that can be run by name",
    success: { status: 200, schema: array(object({ name: string(), file: string() })) },
    handle: async ({ services }) => ({ body: await services.scenarios.list() }),
  }),
  route("runScenario", "POST /scenarios/run", {
    summary: "Run a scenario in this sandbox as it stands",
    body: object({
      name: optional(string({ description: "one of those that the list names" })),
      scenario: optional(unknown({ description: "the scenario itself" })),
    }),
    success: { status: 200, schema: record(unknown(), { description: "the report" }) },
    refusals: ["scenarios.unusable"],
    recorded: false,
    handle: async ({ sandbox, body, services }) => {
      if ((body.name === undefined) === (body.scenario === undefined))
        throw unusable([{ path: "", message: "needs either a name or a scenario" }]);
      const outcome = await services.scenarios.run(sandbox, body);
      if ("report" in outcome) return { body: outcome.report };
      throw problemsError("scenarios.unusable", outcome.problems);
    },
  }),
];
