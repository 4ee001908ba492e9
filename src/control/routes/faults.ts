import { array } from "../../kernel/schema.js";
import { faultSchema, problemsOf, TooManyFaults } from "../../sandbox/faults.js";
import { conflict, notFound, unusable } from "../errors.js";
import type { ControlRoute } from "../route.js";
import { route } from "../route.js";
import { clearedSchema, faultRuleSchema } from "../traffic-schemas.js";

export const FAULTS_ROUTES: readonly ControlRoute[] = [
  route({
    id: "list-faults",
    method: "GET",
    path: "/faults",
    scope: "sandbox",
    summary: "The rules about what goes wrong, with how often each was seen and fired",
    success: { status: 200, schema: array(faultRuleSchema) },
    handle: ({ run }) => ({ body: run.faults.list() }),
  }),
  route({
    id: "add-fault",
    method: "POST",
    path: "/faults",
    scope: "sandbox",
    summary: "Add a rule about what goes wrong",
    body: faultSchema,
    success: { status: 201, schema: faultRuleSchema },
    refusals: { 409: "there are too many rules" },
    handle: ({ run, body }) => {
      const problems = problemsOf(body);
      if (problems.length > 0) throw unusable(problems);
      try {
        return { body: run.faults.add(body) };
      } catch (error) {
        throw error instanceof TooManyFaults ? conflict(error.message) : error;
      }
    },
  }),
  route({
    id: "clear-faults",
    method: "DELETE",
    path: "/faults",
    scope: "sandbox",
    summary: "Take all rules away",
    success: { status: 200, schema: clearedSchema },
    handle: ({ run }) => {
      const cleared = run.faults.list().length;
      run.faults.clear();
      return { body: { cleared } };
    },
  }),
  route({
    id: "delete-fault",
    method: "DELETE",
    path: "/faults/:id",
    scope: "sandbox",
    summary: "Take a rule away",
    success: { status: 200, schema: faultRuleSchema },
    refusals: { 404: "there is no such rule" },
    handle: ({ run, params }) => {
      const rule = run.faults.get(params.id);
      if (rule === undefined) throw notFound("fault", params.id);
      run.faults.remove(params.id);
      return { body: rule };
    },
  }),
];
