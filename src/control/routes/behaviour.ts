import { behaviourRowSchema } from "../../behaviour/behaviour.js";
import { unmasked } from "../../kernel/masking.js";
import { array, record, unknown } from "../../kernel/schema.js";
import { unusable } from "../control-error.js";
import { route } from "../route.js";

export const BEHAVIOUR_ROUTES = [
  route("getBehaviour", "GET /behaviour", {
    summary: "What the specification leaves open, and what the sandbox does about it",
    success: { status: 200, schema: array(behaviourRowSchema) },
    handle: ({ run }) => ({ body: run.behaviour.rows() }),
  }),
  route("patchBehaviour", "PATCH /behaviour", {
    summary: "Change some of it; answers all",
    body: record(unknown(), {
      description: "keys of the table with new values",
      examples: [{ "window.duration": "24h", "timestamps.unit": "s" }],
    }),
    success: { status: 200, schema: array(behaviourRowSchema) },
    recorded: "call",
    handle: ({ run, body, services, cause }) => {
      const checked = services.checker.check(unmasked(body, run.behaviour.values));
      if (checked.problems !== undefined) throw unusable(checked.problems, "the behaviour");
      run.patchBehaviour(checked.values, cause().id);
      return { body: run.behaviour.rows() };
    },
  }),
];
