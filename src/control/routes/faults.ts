import { array } from "../../kernel/schema.js";
import { faultRuleSchema, faultSchema, problemsOf } from "../../sandbox/faults.js";
import { ControlError, unusable } from "../control-error.js";
import { route } from "../route.js";
import { clearedSchema } from "../traffic-schemas.js";

export const FAULTS_ROUTES = [
  route("listFaults", "GET /faults", {
    summary: "The rules about what goes wrong, with how often each was seen and fired",
    success: { status: 200, schema: array(faultRuleSchema) },
    handle: ({ run }) => ({ body: run.faults.list() }),
  }),
  route("addFault", "POST /faults", {
    summary: "Add a rule about what goes wrong",
    body: faultSchema,
    success: { status: 201, schema: faultRuleSchema },
    refusals: ["faults.tooMany"],
    handle: ({ run, body }) => {
      const problems = problemsOf(body);
      if (problems.length > 0) throw unusable(problems);
      return { body: run.faults.add(body) };
    },
  }),
  route("clearFaults", "DELETE /faults", {
    summary: "Take all rules away",
    success: { status: 200, schema: clearedSchema },
    handle: ({ run }) => {
      const cleared = run.faults.list().length;
      run.faults.clear();
      return { body: { cleared } };
    },
  }),
  route("deleteFault", "DELETE /faults/:id", {
    summary: "Take a rule away",
    success: { status: 200, schema: faultRuleSchema },
    refusals: ["faults.notFound"],
    handle: ({ run, params }) => {
      const rule = run.faults.get(params.id);
      if (rule === undefined) throw new ControlError("faults.notFound", { id: params.id });
      run.faults.remove(params.id);
      return { body: rule };
    },
  }),
];
