import { array } from "../../kernel/schema.js";
import { faultSchema, problemsOf } from "../../sandbox/faults.js";
import { ControlError, unusable } from "../control-error.js";
import type { ControlRoute } from "../route.js";
import { route } from "../route.js";
import { clearedSchema, faultRuleSchema } from "../traffic-schemas.js";

export const FAULTS_ROUTES: readonly ControlRoute[] = [
  route({
    id: "listFaults",
    method: "GET",
    path: "/faults",
    scope: "sandbox",
    summary: "The rules about what goes wrong, with how often each was seen and fired",
    success: { status: 200, schema: array(faultRuleSchema) },
    handle: ({ run }) => ({ body: run.faults.list() }),
  }),
  route({
    id: "addFault",
    method: "POST",
    path: "/faults",
    scope: "sandbox",
    summary: "Add a rule about what goes wrong",
    body: faultSchema,
    success: { status: 201, schema: faultRuleSchema },
    refusals: ["faults.tooMany"],
    recorded: "call and answer",
    handle: ({ run, body }) => {
      const problems = problemsOf(body);
      if (problems.length > 0) throw unusable(problems);
      return { body: run.faults.add(body) };
    },
  }),
  route({
    id: "clearFaults",
    method: "DELETE",
    path: "/faults",
    scope: "sandbox",
    summary: "Take all rules away",
    success: { status: 200, schema: clearedSchema },
    recorded: "call and answer",
    handle: ({ run }) => {
      const cleared = run.faults.list().length;
      run.faults.clear();
      return { body: { cleared } };
    },
  }),
  route({
    id: "deleteFault",
    method: "DELETE",
    path: "/faults/:id",
    scope: "sandbox",
    summary: "Take a rule away",
    success: { status: 200, schema: faultRuleSchema },
    refusals: ["faults.notFound"],
    recorded: "call and answer",
    handle: ({ run, params }) => {
      const rule = run.faults.get(params.id);
      if (rule === undefined) throw new ControlError("faults.notFound", { id: params.id });
      run.faults.remove(params.id);
      return { body: rule };
    },
  }),
];
