/** Checks that every answer in a test is declared in the tables. */
import { expect } from "vitest";
import type { Operation } from "../../src/api/operation.js";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { possibleAnswers } from "../../src/api/responses.js";
import { type ControlRoute, pathsOf } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { routeTable } from "../../src/kernel/http/endpoint.js";
import { createAjv } from "../../src/kernel/schema-problems.js";
import { ANSWERS } from "../../src/service/behaviour/answers.js";

const operations = routeTable<Operation>(OPERATIONS);
const controlRoutes = routeTable<ControlRoute>(ROUTES, pathsOf);
const ajv = createAjv();

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Fails if an operation of the simulated API does not declare this answer. */
export function expectPossible(method: string, target: string, { status, headers, body }: Answer): void {
  const { route } = operations.find(method, target.split("?")[0] as string);
  if (route === undefined) return;
  const { id } = route;
  const answers = possibleAnswers(route).filter((answer) => answer.status === status);
  expect(answers.length, `${id} never answers ${status}: ${JSON.stringify(body)}`).toBeGreaterThan(0);
  const decidedBy = headers.get("x-sim-behaviour");
  if (decidedBy !== null && Object.hasOwn(ANSWERS, decidedBy)) {
    const keys = answers.map(({ behaviour }) => behaviour);
    expect(keys, `${id} ${status} is not declared to be decided by ${decidedBy}`).toContain(decidedBy);
    // The sandbox's behaviour may be anything: the description has the default.
    return;
  }
  const fits = answers.some(({ schema }) => ajv.validate(schema, body));
  expect(fits, `${id} ${status} does not fit its schema: ${JSON.stringify(body)} ${ajv.errorsText()}`).toBe(
    true,
  );
}

/** Whether a call of the control API is about the server, not a sandbox. `target` is below `/__sim`. */
export function isOfServer(method: string, target: string): boolean {
  const { route } = controlRoutes.find(method, target.split("?")[0] as string);
  return route !== undefined && (route.scope === "server" || target.startsWith("/sandboxes/"));
}
