import { BEHAVIOUR_KEYS } from "../../behaviour/table.js";
import { anyOf, array, object, oneOf, record, string, unknown } from "../../kernel/schema.js";
import { unusable } from "../control-error.js";
import { route } from "../route.js";

const rowsSchema = array(
  object({
    key: oneOf(BEHAVIOUR_KEYS),
    section: string({ description: "the section of the specification that leaves the question open" }),
    question: string(),
    default: unknown(),
    alternatives: anyOf([array(unknown()), string()], {
      description: "what could stand in place of the default: values where there are a few, else words",
    }),
    value: unknown({ description: "what is in force" }),
    source: oneOf(["documented", "assumed", "simulator"]),
  }),
);

export const BEHAVIOUR_ROUTES = [
  route("getBehaviour", "GET /behaviour", {
    summary: "What the specification leaves open, and what the sandbox does about it",
    success: { status: 200, schema: rowsSchema },
    handle: ({ run }) => ({ body: run.behaviour.rows() }),
  }),
  route("patchBehaviour", "PATCH /behaviour", {
    summary: "Change some of it; answers all",
    body: record(unknown(), {
      description: "keys of the table with new values",
      examples: [{ "window.duration": "24h", "timestamps.unit": "s" }],
    }),
    success: { status: 200, schema: rowsSchema },
    recorded: "call",
    handle: ({ run, body, services, cause }) => {
      const checked = services.checker.check(body);
      if (checked.problems !== undefined) throw unusable(checked.problems, "the behaviour");
      run.patchBehaviour(checked.values, cause().id);
      return { body: run.behaviour.rows() };
    },
  }),
];
